/** Finding the place under the pointer among tens of thousands: a grid over the zone. Pure. */

import { ASPECT, EDGE } from "./coords.js";

const CELLS = 64;

/** @param {number} at In percent. */
const cell = (at) => Math.min(Math.max(Math.floor((at / EDGE) * CELLS), 0), CELLS - 1);

/** @template {{x: number, y: number}} T */
export class Nearest {
  /** @param {T[]} places */
  constructor(places) {
    this.places = places;
    const cellOf = Uint16Array.from(places, ({ x, y }) => cell(y) * CELLS + cell(x));
    /** Where each cell's places begin in `order`. */
    this.begins = new Uint32Array(CELLS * CELLS + 1);
    for (const at of cellOf) this.begins[at + 1] += 1;
    for (let at = 0; at < CELLS * CELLS; at += 1) this.begins[at + 1] += this.begins[at];
    const free = this.begins.slice();
    this.order = new Uint32Array(places.length);
    cellOf.forEach((at, index) => {
      this.order[free[at]++] = index;
    });
  }

  /**
   * Return the place nearest to a point, of those within `reach`; among equals the one drawn last.
   * @param {number} x @param {number} y In percent.
   * @param {number} reach In percent of the zone's height.
   * @returns {T|null}
   */
  at(x, y, reach) {
    let best = null;
    let least = reach * reach;
    const across = reach / ASPECT;
    for (let row = cell(y - reach); row <= cell(y + reach); row += 1) {
      for (let column = cell(x - across); column <= cell(x + across); column += 1) {
        const at = row * CELLS + column;
        for (let index = this.begins[at]; index < this.begins[at + 1]; index += 1) {
          const place = this.places[this.order[index]];
          const distance = ((place.x - x) * ASPECT) ** 2 + (place.y - y) ** 2;
          if (distance <= least) [best, least] = [place, distance];
        }
      }
    }
    return best;
  }
}
