/** How large dots are drawn: as large as the map's scale allows, and smaller where too many would share its ground. Pure. */

import { EDGE } from "./coords.js";

/** Squares into which the zone is cut across and down to see how much of its ground dots stand on. */
const ACROSS = 24;
const DOWN = 16;

/** The share of their ground that dots may cover: past it they flow into each other. */
const COVERED = 0.35;

/** Radius of the smallest dots, in pixels of the page: smaller ones are no longer seen. */
const SMALLEST = 0.8;

/** Radius of a spawn point while there is room for it: of a whole zone on a phone, and of what lies nearest. */
const FAR = 2.6;
const NEAR = 7;

/** @typedef {import("./layers/canvas.js").View} View */

/**
 * Return how many places there are to the square that has any, as a mean: 0 without places.
 * Of the whole zone, whatever part of it is seen, so that dots keep their size while the map is moved.
 * @param {{x: number, y: number}[]} places In percent.
 */
export function crowding(places) {
  const squares = new Uint8Array(ACROSS * DOWN);
  for (const { x, y } of places) squares[square(y, DOWN) * ACROSS + square(x, ACROSS)] = 1;
  const ground = squares.reduce((sum, taken) => sum + taken, 0);
  return ground && places.length / ground;
}

/** @param {number} at In percent. @param {number} count */
const square = (at, count) => Math.min(Math.max(Math.floor((at / EDGE) * count), 0), count - 1);

/**
 * Return how large dots may be, in pixels of the page, that leave enough of their ground free.
 * @param {View} view @param {number} crowd What `crowding` returned.
 */
function room({ across, down, ratio }, crowd) {
  const ground = ((EDGE / ACROSS) * across * (EDGE / DOWN) * down) / ratio ** 2;
  return Math.sqrt((COVERED * ground) / (crowd * Math.PI));
}

/**
 * Tell whether not even the smallest dots could be told apart.
 * @param {View} view @param {number} crowd What `crowding` returned.
 */
export const tooMany = (view, crowd) => room(view, crowd) < SMALLEST;

/**
 * Return the radius of dots in pixels of the page: what is wanted, or less where they are crowded.
 * @param {View} view @param {number} wanted @param {number} crowd What `crowding` returned. @param {number} [least]
 */
export const fitting = (view, wanted, crowd, least = SMALLEST) => Math.max(Math.min(wanted, room(view, crowd)), least);

/**
 * Return the radius of spawn points in pixels of the page: they grow with the map.
 * @param {View} view @param {number} crowd What `crowding` returned.
 */
export const spawnRadius = (view, crowd) =>
  fitting(view, Math.min(Math.max(1 + (0.62 * view.down) / view.ratio, FAR), NEAR), crowd);
