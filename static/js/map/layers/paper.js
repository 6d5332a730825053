/** What the zone is drawn on: the ground that players have walked, and the picture an admin gave. */

import { WHOLE_ZONE } from "../coords.js";

/** Below the grid (250), the picture lowest. */
const PANES = { image: "230", ground: "240" };

const TILE_PX = 256;
const FIRST_ZOOM = 1;

export class Paper {
  /** @param {L.Map} map @param {DOMStringMap} dataset Of the map: where the ground and the pictures of each floor are. */
  constructor(map, dataset) {
    this.map = map;
    this.dataset = dataset;
    for (const [name, zIndex] of Object.entries(PANES)) {
      const pane = map.createPane(name);
      pane.style.zIndex = zIndex;
      pane.style.pointerEvents = "none";
    }
    /** What is there, by its address. @type {Map<string, L.Layer>} */
    this.laid = new Map();
  }

  /** Lay exactly these. @param {Set<string>} layers @param {number} floor */
  show(layers, floor) {
    const wanted = new Map();
    if (layers.has("ground")) wanted.set(`${this.dataset.ground}${floor}.png`, ground);
    const image = this.dataset[`image-${floor}`];
    if (layers.has("image") && image) wanted.set(image, (/** @type {string} */ url) => tiles(url, Number(this.dataset[`imageZoom-${floor}`])));
    for (const [url, layer] of this.laid) {
      if (wanted.has(url)) continue;
      layer.remove();
      this.laid.delete(url);
    }
    for (const [url, make] of wanted) if (!this.laid.has(url)) this.laid.set(url, make(url).addTo(this.map));
  }
}

/** @param {string} url */
const ground = (url) => L.imageOverlay(url, WHOLE_ZONE, { pane: "ground", className: "ground", alt: "" });

/** @param {string} url @param {number} zoom The largest there are tiles for. */
const tiles = (url, zoom) =>
  L.tileLayer(url, {
    pane: "image",
    bounds: WHOLE_ZONE,
    noWrap: true,
    tileSize: TILE_PX,
    minNativeZoom: FIRST_ZOOM,
    maxNativeZoom: zoom,
    minZoom: 0,
    maxZoom: 7,
  });
