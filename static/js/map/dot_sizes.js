/** Sizes of dots: they grow with the map, and shrink where they would cover each other. Pure. */

import { EDGE } from "./coords.js";

/** Cells of the grid over the zone by which crowding is measured. */
const COLUMNS = 24;
const ROWS = 16;

/** Share of an occupied cell that dots may cover; beyond it they merge into each other. */
const MAX_COVERAGE = 0.35;

/** Radius of the smallest dots in pixels of the page; smaller ones cannot be seen. */
const MIN_RADIUS = 0.8;

/** Radius of a spawn point where there is room: in a whole zone on a phone, and at the highest zoom. */
const RADIUS_ZOOMED_OUT = 2.6;
const RADIUS_ZOOMED_IN = 7;

/** @typedef {import("./layers/canvas.js").View} View */

/**
 * Return the mean number of points in an occupied cell, 0 without points.
 * It covers the whole zone, whatever part is seen, so that dots keep their size while the map is moved.
 * @param {{x: number, y: number}[]} points In percent.
 */
export function crowding(points) {
  const occupied = new Uint8Array(COLUMNS * ROWS);
  for (const { x, y } of points) occupied[cell(y, ROWS) * COLUMNS + cell(x, COLUMNS)] = 1;
  const count = occupied.reduce((sum, one) => sum + one, 0);
  return count && points.length / count;
}

/** @param {number} value In percent. @param {number} count */
const cell = (value, count) => Math.min(Math.max(Math.floor((value / EDGE) * count), 0), count - 1);

/**
 * Return the largest radius, in pixels of the page, at which dots cover no more than `MAX_COVERAGE`.
 * @param {View} view @param {number} crowd What `crowding` returned.
 */
function maxRadius({ across, down, ratio }, crowd) {
  const cellArea = ((EDGE / COLUMNS) * across * (EDGE / ROWS) * down) / ratio ** 2;
  return Math.sqrt((MAX_COVERAGE * cellArea) / (crowd * Math.PI));
}

/**
 * Return whether even the smallest dots would merge into each other.
 * @param {View} view @param {number} crowd What `crowding` returned.
 */
export const isTooCrowded = (view, crowd) => maxRadius(view, crowd) < MIN_RADIUS;

/**
 * Return the radius of dots in pixels of the page: the wanted one, or less where they are crowded.
 * @param {View} view @param {number} wanted @param {number} crowd What `crowding` returned. @param {number} [least]
 */
export const fittingRadius = (view, wanted, crowd, least = MIN_RADIUS) =>
  Math.max(Math.min(wanted, maxRadius(view, crowd)), least);

/**
 * Return the radius of spawn points in pixels of the page.
 * @param {View} view @param {number} crowd What `crowding` returned.
 */
export function spawnRadius(view, crowd) {
  const wanted = 1 + (0.62 * view.down) / view.ratio;
  return fittingRadius(view, Math.min(Math.max(wanted, RADIUS_ZOOMED_OUT), RADIUS_ZOOMED_IN), crowd);
}
