/** Gathering layers of a zone: each kind in a shape and a color of its own, faint when not seen for long. */

import { onThemeChange, themed } from "../colors.js";
import { crowding, fittingRadius } from "../dot_sizes.js";
import { SHAPES } from "../kinds.js";
import { SpatialIndex } from "../spatial_index.js";
import { drawDots } from "./dots.js";

const RADIUS = 4.5;

/** Smaller shapes look alike. */
const MIN_RADIUS = 2.6;

/** @typedef {import("../published.js").Source} Source */

export class Gathering {
  /** @param {import("./canvas.js").Canvas} canvas @param {Source[]} sources */
  constructor(canvas, sources) {
    this.canvas = canvas;
    this.all = sources
      .filter(({ kind }) => kind in SHAPES)
      .flatMap((source) => source.points.map((point) => ({ ...point, source })));
    this.index = new SpatialIndex(/** @type {typeof this.all} */ ([]));
    this.crowd = 0;
    this.edge = "";
    /** Each kind's color. @type {Record<string, string>} */
    this.fills = {};
    /** @type {number|null} */
    this.since = null;
    canvas.painters.push(this);
    this.updateColors();
    onThemeChange(() => this.updateColors());
  }

  /**
   * Draw these kinds on this floor and nothing else; return the number of points.
   * @param {Set<string>} kinds @param {number} floor
   * @param {number|null} since Points last seen before this day (days since 1970-01-01) are drawn faint.
   */
  filter(kinds, floor, since) {
    this.since = since;
    this.index = new SpatialIndex(this.all.filter((point) => kinds.has(point.source.kind) && point.floor === floor));
    this.crowd = crowding(this.shown);
    this.canvas.repaint();
    return this.shown.length;
  }

  get shown() {
    return this.index.points;
  }

  /** @param {number} x @param {number} y @param {number} reach */
  at(x, y, reach) {
    return this.index.at(x, y, reach);
  }

  /** @param {import("../published.js").GatheringPoint} point */
  isOld({ last_seen }) {
    return this.since !== null && last_seen < this.since;
  }

  updateColors() {
    this.edge = themed("--raised");
    this.fills = Object.fromEntries(Object.keys(SHAPES).map((kind) => [kind, themed(`--${kind}`)]));
    this.canvas.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, view) {
    const groups = [true, false].flatMap((faded) =>
      Object.keys(SHAPES).map((shape) => ({
        points: this.shown.filter((point) => point.source.kind === shape && this.isOld(point) === faded),
        style: { shape, fill: this.fills[shape], edge: this.edge, edgeWidth: 1, fillOpacity: 0.9 },
        faded,
      })),
    );
    drawDots(context, view, groups, fittingRadius(view, RADIUS, this.crowd, MIN_RADIUS));
  }
}
