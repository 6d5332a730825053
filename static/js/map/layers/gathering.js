/** Gathering places of a zone: every kind a layer, in a shape and a colour of its own, faint when not seen for long. */

import { onThemeChange, themed } from "../colours.js";
import { SHAPES } from "../kinds.js";
import { Nearest } from "../nearest.js";
import { crowding, fitting } from "../sizes.js";
import { stampAll } from "./dots.js";

const RADIUS = 4.5;

/** Smaller, their shapes could not be told apart. */
const LEAST_RADIUS = 2.6;

/** @typedef {import("../document.js").Source} Source */

export class Gathering {
  /** @param {import("./canvas.js").Canvas} canvas @param {Source[]} sources */
  constructor(canvas, sources) {
    this.canvas = canvas;
    this.all = sources
      .filter(({ kind }) => kind in SHAPES)
      .flatMap((source) => source.points.map((point) => ({ ...point, source })));
    this.index = new Nearest(/** @type {typeof this.all} */ ([]));
    this.crowd = 0;
    this.edge = "";
    /** @type {Record<string, string>} Each kind's color. */
    this.fills = {};
    /** @type {number|null} */
    this.since = null;
    canvas.painters.push(this);
    this.paintFills();
    onThemeChange(() => this.paintFills());
  }

  /**
   * Draw these kinds on this floor and nothing else. Return how many places that is.
   * @param {Set<string>} kinds @param {number} floor
   * @param {number|null} since Fade what was last seen before this day, counted from 1970-01-01.
   */
  filter(kinds, floor, since) {
    this.since = since;
    this.index = new Nearest(this.all.filter((place) => kinds.has(place.source.kind) && place.floor === floor));
    this.crowd = crowding(this.shown);
    this.canvas.repaint();
    return this.shown.length;
  }

  get shown() {
    return this.index.places;
  }

  /** @param {number} x @param {number} y @param {number} reach */
  at(x, y, reach) {
    return this.index.at(x, y, reach);
  }

  /** @param {import("../document.js").Gathered} place */
  isOld({ last_seen }) {
    return this.since !== null && last_seen < this.since;
  }

  paintFills() {
    this.edge = themed("--raised");
    this.fills = Object.fromEntries(Object.keys(SHAPES).map((kind) => [kind, themed(`--${kind}`)]));
    this.canvas.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, view) {
    const groups = [true, false].flatMap((faded) =>
      Object.keys(SHAPES).map((shape) => ({
        places: this.shown.filter((place) => place.source.kind === shape && this.isOld(place) === faded),
        look: { shape, fill: this.fills[shape], edge: this.edge, edgeWidth: 1, fillOpacity: 0.9 },
        faded,
      })),
    );
    stampAll(context, view, groups, fitting(view, RADIUS, this.crowd, LEAST_RADIUS));
  }
}
