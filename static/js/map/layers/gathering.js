/** Gathering places of a zone: every kind a layer, in a shape and a colour of its own. */

import { onThemeChange, themed } from "../colours.js";
import { xy } from "../coords.js";
import { gatheringPopup, tip } from "../popups.js";
import { SHAPES } from "../kinds.js";

const RADIUS = 4.5;

/** A dot with corners, drawn as Leaflet draws circles: by the insides of its canvas renderer (1.9.4, the one served here). */
const Shape = L.CircleMarker.extend({
  _updatePath() {
    const renderer = this._renderer;
    if (!renderer._drawing || this._empty()) return;
    const context = renderer._ctx;
    context.beginPath();
    for (const [right, down] of SHAPES[this.options.kind]) {
      context.lineTo(this._point.x + right * this._radius, this._point.y + down * this._radius);
    }
    context.closePath();
    renderer._fillStroke(context, this);
  },
});

export class Gathering {
  /**
   * @param {L.Map} map @param {import("../document.js").Source[]} sources
   * @param {(source: import("../document.js").Source) => string} url
   */
  constructor(map, sources, url) {
    this.layer = L.layerGroup().addTo(map);
    /** @type {{kind: string, floor: number, dot: L.CircleMarker}[]} */
    this.all = [];
    for (const source of sources) {
      if (!(source.kind in SHAPES)) continue;
      for (const point of source.points) {
        const dot = new Shape(xy(point.x, point.y), { kind: source.kind, radius: RADIUS, weight: 1, fillOpacity: 0.9 })
          .bindPopup(() => gatheringPopup(source.name, url(source), point))
          .bindTooltip(() => tip(source.name, point), { direction: "top", offset: [0, -6] })
          .on("popupopen", () => dot.closeTooltip());
        this.all.push({ kind: source.kind, floor: point.floor, dot });
      }
    }
    this.paint();
    onThemeChange(() => this.paint());
  }

  /**
   * Draw these kinds on this floor and nothing else. Return how many places that is.
   * @param {Set<string>} kinds @param {number} floor
   */
  filter(kinds, floor) {
    let count = 0;
    for (const { kind, floor: own, dot } of this.all) {
      const wanted = kinds.has(kind) && own === floor;
      if (wanted) count += 1;
      if (wanted !== this.layer.hasLayer(dot)) this.layer[wanted ? "addLayer" : "removeLayer"](dot);
    }
    return count;
  }

  /** Colours that depend on light and dark. */
  paint() {
    const edge = themed("--raised");
    const fills = Object.fromEntries(Object.keys(SHAPES).map((kind) => [kind, themed(`--${kind}`)]));
    for (const { kind, dot } of this.all) dot.setStyle({ color: edge, fillColor: fills[kind] });
  }
}
