/** The raw positions around the spawn point whose popup is open, drawn around it. */

import { onThemeChange, themed } from "../colours.js";
import { fetchJson, placesOf } from "../document.js";
import { nearestTo } from "../provenance.js";

const RADIUS_PX = 2.5;

/**
 * @typedef {import("../provenance.js").Position} Position
 * @typedef {import("../document.js").Point} Point
 */

export class Origin {
  /** @param {import("./canvas.js").Canvas} over @param {L.Map} map */
  constructor(over, map) {
    this.over = over;
    /** @type {Map<string, Promise<any>>} By address: a second dot of the same creature needs no second answer. */
    this.known = new Map();
    /** @type {{point: Point, positions: Position[]}|null} */
    this.drawn = null;
    /** @type {object|null} Stands for the latest call of `show`, null once the popup has closed. */
    this.wanted = null;
    over.painters.push(this);
    map.on("popupclose", () => this.clear());
    onThemeChange(() => over.repaint());
  }

  /**
   * Draw the raw positions nearest to a spawn point, and return them.
   * @param {string} url Of the creature's places. @param {number} zone @param {Point} point
   * @param {Point[]} spawns All spawn points of the creature in the zone.
   * @returns {Promise<Position[]>}
   */
  async show(url, zone, point, spawns) {
    const wanted = {};
    this.wanted = wanted;
    const all = this.known.get(url) ?? fetchJson(url);
    this.known.set(url, all);
    all.catch(() => this.known.delete(url));
    const others = spawns.filter(({ floor }) => floor === point.floor);
    const positions = nearestTo(point, others, placesOf(await all, zone, point.floor).positions);
    if (this.wanted === wanted) {
      this.drawn = { point, positions };
      this.over.repaint();
    }
    return positions;
  }

  clear() {
    this.wanted = null;
    this.drawn = null;
    this.over.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, { left, top, across, down, ratio }) {
    if (!this.drawn) return;
    const { point, positions } = this.drawn;
    const [x, y] = [left + point.x * across, top + point.y * down];
    context.strokeStyle = context.fillStyle = themed("--ink");
    context.lineWidth = 0.8 * ratio;
    context.globalAlpha = 0.5;
    context.beginPath();
    for (const position of positions) {
      context.moveTo(x, y);
      context.lineTo(left + position.x * across, top + position.y * down);
    }
    context.stroke();
    context.globalAlpha = 0.9;
    for (const position of positions) {
      context.beginPath();
      context.arc(left + position.x * across, top + position.y * down, RADIUS_PX * ratio, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  }
}
