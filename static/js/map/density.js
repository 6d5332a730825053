/** Density: how much was seen where, as a smoothed grid over the zone. Pure: points in, numbers out. */

import { EDGE } from "./coords.js";

/** Size of the grid. Its cells are square, as a zone's map is three wide to two high. */
export const COLUMNS = 240;
export const ROWS = 160;

/** Half the width of one smoothing pass, in cells. Three passes of a moving mean approximate a normal curve. */
const RADIUS = 4;
const PASSES = 3;

/**
 * Return the density of each cell from 0 to 1, 1 in the densest cell; all 0 without points.
 * @param {{x: number, y: number, sightings: number}[]} points In percent.
 * @returns {Float32Array} `ROWS` rows of `COLUMNS` values.
 */
export function density(points) {
  let grid = new Float32Array(COLUMNS * ROWS);
  for (const { x, y, sightings } of points) {
    const column = Math.min(Math.floor((x / EDGE) * COLUMNS), COLUMNS - 1);
    const row = Math.min(Math.floor((y / EDGE) * ROWS), ROWS - 1);
    grid[row * COLUMNS + column] += sightings;
  }
  for (let pass = 0; pass < PASSES; pass += 1) {
    grid = smooth(grid, ROWS, COLUMNS, COLUMNS, 1);
    grid = smooth(grid, COLUMNS, ROWS, 1, COLUMNS);
  }
  const highest = grid.reduce((most, value) => Math.max(most, value), 0);
  // The square root keeps a point seen a hundred times from hiding those seen ten times.
  return highest ? grid.map((value) => Math.sqrt(value / highest)) : grid;
}

/**
 * Return the moving mean along each line of a grid; cells beyond a line's ends count as 0.
 * @param {Float32Array} grid @param {number} lines @param {number} length Cells of a line.
 * @param {number} toLine Offset from a line to the next. @param {number} toCell Offset from a cell to the next.
 */
function smooth(grid, lines, length, toLine, toCell) {
  const smoothed = new Float32Array(grid.length);
  for (let line = 0; line < lines; line += 1) {
    const start = line * toLine;
    let sum = 0;
    for (let at = -RADIUS; at < length; at += 1) {
      if (at + RADIUS < length) sum += grid[start + (at + RADIUS) * toCell];
      if (at - RADIUS > 0) sum -= grid[start + (at - RADIUS - 1) * toCell];
      if (at >= 0) smoothed[start + at * toCell] = Math.max(sum, 0) / (2 * RADIUS + 1);
    }
  }
  return smoothed;
}
