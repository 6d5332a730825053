/** Spatial index: finds the point under the pointer among tens of thousands, by a grid over the zone. Pure. */

import { ASPECT, EDGE } from "./coords.js";

/** Cells across and down. */
const CELLS = 64;

/** @param {number} value In percent. */
const cell = (value) => Math.min(Math.max(Math.floor((value / EDGE) * CELLS), 0), CELLS - 1);

/** @template {{x: number, y: number}} T */
export class SpatialIndex {
  /** @param {T[]} points */
  constructor(points) {
    this.points = points;
    const cellOf = Uint16Array.from(points, ({ x, y }) => cell(y) * CELLS + cell(x));
    /** Where each cell's points begin in `order`. */
    this.begins = new Uint32Array(CELLS * CELLS + 1);
    for (const at of cellOf) this.begins[at + 1] += 1;
    for (let at = 0; at < CELLS * CELLS; at += 1) this.begins[at + 1] += this.begins[at];
    const free = this.begins.slice();
    /** Indexes of points, sorted by cell. */
    this.order = new Uint32Array(points.length);
    cellOf.forEach((at, index) => {
      this.order[free[at]++] = index;
    });
  }

  /**
   * Return the nearest point within `reach`; of equally near ones the one that is drawn last.
   * @param {number} x @param {number} y In percent.
   * @param {number} reach In percent of the zone's height.
   * @returns {T|null}
   */
  at(x, y, reach) {
    let nearest = null;
    let least = reach * reach;
    const across = reach / ASPECT;
    for (let row = cell(y - reach); row <= cell(y + reach); row += 1) {
      for (let column = cell(x - across); column <= cell(x + across); column += 1) {
        const at = row * CELLS + column;
        for (let index = this.begins[at]; index < this.begins[at + 1]; index += 1) {
          const point = this.points[this.order[index]];
          const squared = ((point.x - x) * ASPECT) ** 2 + (point.y - y) ** 2;
          if (squared <= least) [nearest, least] = [point, squared];
        }
      }
    }
    return nearest;
  }
}
