/** Spawn points of creatures: filled when confirmed, hollow until then, faint when not seen for long. */

import { onThemeChange, themed } from "../colours.js";
import { Nearest } from "../nearest.js";
import { crowding, spawnRadius, tooMany } from "../sizes.js";
import { stampAll } from "./dots.js";

/** Dots that are brought out are as large as if there were no others, and larger by this. */
const LIT_BY = 1.6;
const LIT_EDGE_PX = 1.2;

/**
 * @typedef {import("../document.js").Mob} Mob
 * @typedef {import("../document.js").Point} Point
 * @typedef {object} Filter
 * @property {(id: number) => boolean} shown @property {number} floor @property {boolean} confirmed
 * @property {number|null} [since] Fade what was last seen before this day, counted from 1970-01-01.
 */

export class Spawns {
  /**
   * @param {import("./canvas.js").Canvas} canvas Where all are painted. @param {import("./canvas.js").Canvas} over Where one creature is brought out.
   * @param {Mob[]} mobs @param {(mob: Mob) => string} colour
   */
  constructor(canvas, over, mobs, colour) {
    this.canvas = canvas;
    this.edge = this.ink = "";
    this.over = over;
    this.mobs = mobs;
    this.colour = colour;
    this.visible = true;
    /** @type {{mob: Mob, points: Point[]}[]} What the filters let through. */
    this.drawn = [];
    this.index = new Nearest(/** @type {(Point & {mob: Mob})[]} */ ([]));
    this.crowd = 0;
    /** What shows where so many dots are that no single one could be seen. @type {object|null} */
    this.standIn = null;
    /** @type {number|null} */
    this.since = null;
    /** @type {number|null} */
    this.lit = null;
    canvas.painters.push(this);
    over.painters.push({
      paint: (/** @type {any} */ context, /** @type {any} */ view) => this.paintLit(context, view),
    });
    this.paintEdges();
    onThemeChange(() => this.paintEdges());
  }

  /** Take everything off the map. */
  remove() {
    this.canvas.painters = this.canvas.painters.filter((/** @type {any} */ painter) => painter !== this);
    this.drawn = [];
    this.index = new Nearest([]);
    this.canvas.repaint();
  }

  /**
   * Draw exactly what the filters let through. Return how many points that is.
   * @param {Filter} filter
   */
  filter({ shown, floor, confirmed, since = null }) {
    this.since = since;
    this.drawn = this.mobs
      .filter(({ id }) => shown(id))
      .map((mob) => ({
        mob,
        points: mob.spawns.filter((point) => point.floor === floor && (point.confirmed || !confirmed)),
      }));
    this.index = new Nearest(this.drawn.flatMap(({ mob, points }) => points.map((point) => ({ ...point, mob }))));
    this.crowd = crowding(this.shown);
    this.repaint();
    return this.index.places.length;
  }

  /** The points that the filters let through, with their creatures. */
  get shown() {
    return this.index.places;
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

  /** Bring one creature out, or none. @param {number|null} id */
  light(id) {
    if (id === this.lit) return;
    this.lit = id;
    this.over.repaint();
  }

  repaint() {
    this.canvas.repaint();
    this.over.repaint();
  }

  paintEdges() {
    this.edge = themed("--raised");
    this.ink = themed("--ink");
    this.repaint();
  }

  /** Whether the stand-in is shown in place of the dots. @param {import("./canvas.js").View} view */
  isReplaced(view) {
    return this.visible && this.standIn !== null && tooMany(view, this.crowd);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, view) {
    if (!this.visible || this.isReplaced(view)) return;
    const groups = this.drawn.flatMap((entry) => this.groups(entry, { edge: this.edge, edgeWidth: 0.8 }));
    stampAll(context, view, groups, spawnRadius(view, this.crowd));
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paintLit(context, view) {
    const entry = this.lit === null ? undefined : this.drawn.find(({ mob }) => mob.id === this.lit);
    if (!entry) return;
    const groups = this.groups(entry, { edge: this.ink, edgeWidth: LIT_EDGE_PX });
    stampAll(context, view, groups, spawnRadius(view, crowding(entry.points)) * LIT_BY);
  }

  /**
   * A creature's dots by look, what is sure and fresh on top.
   * @param {{mob: Mob, points: Point[]}} entry @param {{edge: string, edgeWidth: number}} around What is sure.
   * @returns {import("./dots.js").Group[]}
   */
  groups({ mob, points }, around) {
    const fill = this.colour(mob);
    const sure = { fill, ...around, fillOpacity: 1 };
    const unsure = { fill, edge: fill, edgeWidth: 1.4, fillOpacity: 0.15 };
    const isOld = (/** @type {Point} */ { last_seen }) => this.since !== null && last_seen < this.since;
    return [true, false].flatMap((faded) =>
      [false, true].map((confirmed) => ({
        places: points.filter((point) => point.confirmed === confirmed && isOld(point) === faded),
        look: confirmed ? sure : unsure,
        faded,
      })),
    );
  }
}
