/** Layer of spawn points: filled when confirmed, otherwise hollow, faint when not seen for long. */

import { onThemeChange, themed } from "../colors.js";
import { crowding, isTooCrowded, spawnRadius } from "../dot_sizes.js";
import { SpatialIndex } from "../spatial_index.js";
import { drawDots } from "./dots.js";

/** Highlighted dots have the size they would have without other creatures, times this. */
const HIGHLIGHT_SCALE = 1.6;
const HIGHLIGHT_EDGE_PX = 1.2;

/**
 * @typedef {import("../published.js").Point} Point
 * @typedef {Pick<import("../published.js").Mob, "id"|"name"|"spawns">} Mob
 * @typedef {{mob: Mob, points: Point[]}} Drawn
 * @typedef {object} Filter
 * @property {(id: number) => boolean} shown @property {number} floor @property {boolean} confirmed
 * @property {number|null} [since] Points last seen before this day (days since 1970-01-01) are drawn faint.
 */

export class Spawns {
  /**
   * @param {import("./canvas.js").Canvas} canvas @param {import("./canvas.js").Canvas} overlay For highlighted dots.
   * @param {Mob[]} mobs @param {(mob: Mob) => string} color
   */
  constructor(canvas, overlay, mobs, color) {
    this.canvas = canvas;
    this.edge = this.highlightEdge = "";
    this.overlay = overlay;
    this.mobs = mobs;
    this.color = color;
    this.visible = true;
    /** What the filters let through. @type {Drawn[]} */
    this.drawn = [];
    this.index = new SpatialIndex(/** @type {(Point & {mob: Mob})[]} */ ([]));
    this.crowd = 0;
    /** Whether there is a density layer, which replaces dots that are too crowded. */
    this.hasDensity = false;
    /** @type {number|null} */
    this.since = null;
    /** Id of the highlighted creature. @type {number|null} */
    this.highlighted = null;
    canvas.painters.push(this);
    overlay.painters.push({ paint: (context, view) => this.paintHighlighted(context, view) });
    this.updateColors();
    onThemeChange(() => this.updateColors());
  }

  /** Remove the layer from its map. */
  remove() {
    this.canvas.painters = this.canvas.painters.filter((painter) => painter !== this);
    this.drawn = [];
    this.index = new SpatialIndex([]);
    this.canvas.repaint();
  }

  /**
   * Draw what a filter lets through, and nothing else; return the number of points.
   * @param {Filter} filter
   */
  filter({ shown, floor, confirmed, since = null }) {
    this.since = since;
    const passes = (/** @type {Point} */ point) => point.floor === floor && (point.confirmed || !confirmed);
    this.drawn = this.mobs
      .filter(({ id }) => shown(id))
      .map((mob) => ({ mob, points: mob.spawns.filter((point) => passes(point)) }));
    this.index = new SpatialIndex(this.drawn.flatMap(({ mob, points }) => points.map((point) => ({ ...point, mob }))));
    this.crowd = crowding(this.shown);
    this.repaint();
    return this.index.points.length;
  }

  /** The points that the filter lets through, with their creatures. */
  get shown() {
    return this.index.points;
  }

  /** @param {boolean} visible */
  toggle(visible) {
    this.visible = visible;
    this.repaint();
  }

  /** @param {number} x @param {number} y @param {number} reach */
  at(x, y, reach) {
    return this.visible ? this.index.at(x, y, reach) : null;
  }

  /** Highlight one creature, or none. @param {number|null} id */
  highlight(id) {
    if (id === this.highlighted) return;
    this.highlighted = id;
    this.overlay.repaint();
  }

  repaint() {
    this.canvas.repaint();
    this.overlay.repaint();
  }

  updateColors() {
    this.edge = themed("--raised");
    this.highlightEdge = themed("--text");
    this.repaint();
  }

  /** Whether the density replaces the dots. @param {import("./canvas.js").View} view */
  isReplaced(view) {
    return this.visible && this.hasDensity && isTooCrowded(view, this.crowd);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, view) {
    if (!this.visible || this.isReplaced(view)) return;
    const groups = this.drawn.flatMap((drawn) => this.groups(drawn, { edge: this.edge, edgeWidth: 0.8 }));
    drawDots(context, view, groups, spawnRadius(view, this.crowd));
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paintHighlighted(context, view) {
    const drawn = this.drawn.find(({ mob }) => mob.id === this.highlighted);
    if (!drawn) return;
    const groups = this.groups(drawn, { edge: this.highlightEdge, edgeWidth: HIGHLIGHT_EDGE_PX });
    drawDots(context, view, groups, spawnRadius(view, crowding(drawn.points)) * HIGHLIGHT_SCALE);
  }

  /**
   * Return a creature's dots grouped by style, the confirmed and recent ones last, so that they are drawn on top.
   * @param {Drawn} drawn @param {{edge: string, edgeWidth: number}} edge Of confirmed points.
   * @returns {import("./dots.js").Group[]}
   */
  groups({ mob, points }, edge) {
    const fill = this.color(mob);
    const filled = { fill, ...edge, fillOpacity: 1 };
    const hollow = { fill, edge: fill, edgeWidth: 1.4, fillOpacity: 0.15 };
    const isOld = (/** @type {Point} */ { last_seen }) => this.since !== null && last_seen < this.since;
    return [true, false].flatMap((faded) =>
      [false, true].map((confirmed) => ({
        points: points.filter((point) => point.confirmed === confirmed && isOld(point) === faded),
        style: confirmed ? filled : hollow,
        faded,
      })),
    );
  }
}
