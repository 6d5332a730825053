/** The raw positions around the spawn point whose popup is open, each joined to it by a line. */

import { onThemeChange, themed } from "../colors.js";
import { nearestTo } from "../provenance.js";
import { fetchJson, habitat } from "../published.js";

const RADIUS_PX = 2.5;

/**
 * @typedef {import("../published.js").Position} Position
 * @typedef {import("../published.js").Point} Point
 */

export class NearbyPositions {
  /** @param {import("./canvas.js").Canvas} overlay @param {L.Map} map */
  constructor(overlay, map) {
    this.overlay = overlay;
    /**
     * Answers by URL: a second dot of the same creature needs no second request.
     * @type {Map<string, Promise<import("../published.js").MobHabitats>>}
     */
    this.known = new Map();
    /** @type {{point: Point, positions: Position[]}|null} */
    this.drawn = null;
    /** The latest call of `show`, null once the popup has closed. @type {object|null} */
    this.wanted = null;
    overlay.painters.push(this);
    map.on("popupclose", () => this.clear());
    onThemeChange(() => overlay.repaint());
  }

  /**
   * Draw the raw positions nearest to a spawn point, and return them.
   * @param {string} url Of the creature's habitats. @param {number} zone @param {Point} point
   * @param {Point[]} spawns All spawn points of the creature in the zone.
   * @returns {Promise<Position[]>}
   */
  async show(url, zone, point, spawns) {
    const wanted = {};
    this.wanted = wanted;
    /** @type {Promise<import("../published.js").MobHabitats>} */
    const answer = this.known.get(url) ?? fetchJson(url);
    this.known.set(url, answer);
    answer.catch(() => this.known.delete(url));
    const onFloor = spawns.filter(({ floor }) => floor === point.floor);
    const positions = nearestTo(point, onFloor, habitat(await answer, zone, point.floor).positions);
    // Meanwhile another popup may have been opened.
    if (this.wanted === wanted) {
      this.drawn = { point, positions };
      this.overlay.repaint();
    }
    return positions;
  }

  clear() {
    this.wanted = null;
    this.drawn = null;
    this.overlay.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, { left, top, across, down, ratio }) {
    if (!this.drawn) return;
    const { point, positions } = this.drawn;
    const [x, y] = [left + point.x * across, top + point.y * down];
    context.strokeStyle = context.fillStyle = themed("--text");
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
