/** Density: how much was seen where, as a smoothed grid over the zone. Pure: places in, numbers out. */

import { EDGE } from "./coords.js";

/** Cells across and down: squares on a map three wide to two high. */
export const ACROSS = 240;
export const DOWN = 160;

/** Half the width of one pass of smoothing, in cells. Three passes of a moving mean are close to a normal curve. */
const REACH = 4;
const PASSES = 3;

/**
 * @param {{x: number, y: number, sightings: number}[]} places In percent.
 * @returns {Float32Array} `DOWN` rows of `ACROSS` values from 0 to 1, 1 where most was seen; all 0 without places.
 */
export function density(places) {
  let grid = new Float32Array(ACROSS * DOWN);
  for (const { x, y, sightings } of places) {
    const column = Math.min(Math.floor((x / EDGE) * ACROSS), ACROSS - 1);
    const row = Math.min(Math.floor((y / EDGE) * DOWN), DOWN - 1);
    grid[row * ACROSS + column] += sightings;
  }
  for (let pass = 0; pass < PASSES; pass += 1) {
    grid = smooth(grid, DOWN, ACROSS, ACROSS, 1);
    grid = smooth(grid, ACROSS, DOWN, 1, ACROSS);
  }
  const most = grid.reduce((highest, value) => Math.max(highest, value), 0);
  // The root keeps a place seen a hundred times from hiding those seen ten times.
  return most ? grid.map((value) => Math.sqrt(value / most)) : grid;
}

/**
 * A moving mean along `lines` lines of `length` cells, nothing lying beyond their ends.
 * @param {Float32Array} grid @param {number} lines @param {number} length
 * @param {number} toLine Distance from a line to the next. @param {number} toCell Distance from a cell to the next.
 */
function smooth(grid, lines, length, toLine, toCell) {
  const made = new Float32Array(grid.length);
  for (let line = 0; line < lines; line += 1) {
    const start = line * toLine;
    let sum = 0;
    for (let at = -REACH; at < length; at += 1) {
      if (at + REACH < length) sum += grid[start + (at + REACH) * toCell];
      if (at - REACH > 0) sum -= grid[start + (at - REACH - 1) * toCell];
      if (at >= 0) made[start + at * toCell] = Math.max(sum, 0) / (2 * REACH + 1);
    }
  }
  return made;
}
