/** Layer of areas: what the spawn points shown of each creature span. */

import { areas } from "../areas.js";

/**
 * @typedef {import("../published.js").Point} Point
 * @typedef {import("../areas.js").Area<Point>} Area
 */

export class Areas {
  /** @param {import("./canvas.js").Canvas} canvas @param {import("./spawns.js").Spawns} spawns */
  constructor(canvas, spawns) {
    this.canvas = canvas;
    this.spawns = spawns;
    this.visible = false;
    /**
     * Cached areas by the array of points they were computed from; each change of the filters makes new arrays.
     * @type {WeakMap<object, Area[]>}
     */
    this.known = new WeakMap();
    canvas.painters.push(this);
  }

  /** @param {boolean} visible */
  toggle(visible) {
    this.visible = visible;
    this.canvas.repaint();
  }

  /** The areas that are drawn, with their creatures. */
  get shown() {
    if (!this.visible) return [];
    return this.spawns.drawn.flatMap(({ mob, points }) => this.areasOf(points).map((area) => ({ ...area, mob })));
  }

  /** @param {Point[]} points */
  areasOf(points) {
    const known = this.known.get(points) ?? areas(points);
    this.known.set(points, known);
    return known;
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, { left, top, across, down, ratio }) {
    if (!this.visible) return;
    for (const { mob, points } of this.spawns.drawn) {
      context.beginPath();
      for (const ring of this.areasOf(points).flatMap(({ rings }) => rings)) {
        const [[firstX, firstY], ...others] = ring;
        context.moveTo(left + firstX * across, top + firstY * down);
        for (const [x, y] of others) context.lineTo(left + x * across, top + y * down);
        context.closePath();
      }
      context.fillStyle = context.strokeStyle = this.spawns.color(mob);
      context.lineWidth = 1.2 * ratio;
      context.globalAlpha = 0.16;
      context.fill();
      context.globalAlpha = 0.75;
      context.stroke();
    }
    context.globalAlpha = 1;
  }
}
