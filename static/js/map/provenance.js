/** Provenance of a dot: the raw positions around a spawn point. Pure. */

import { ASPECT } from "./coords.js";

/** A position farther than this from every spawn point belongs to none of them. In percent of the zone's height. */
const REACH = 3;

/**
 * @typedef {import("./published.js").Position} Position
 * @typedef {{x: number, y: number}} XY In percent.
 */

/**
 * Return the positions that are nearer to this spawn point than to any other of the creature on the floor. These need
 * not be the ones that the estimate assigned to it: it uses more than distance, and its assignment is not published.
 * @param {XY} spawn @param {XY[]} all The creature's spawn points on that floor. @param {Position[]} positions
 */
export function nearestTo(spawn, all, positions) {
  return positions.filter((position) => {
    const own = distance(spawn, position);
    return own <= REACH && all.every((other) => distance(other, position) >= own);
  });
}

/** Return a distance in percent of the zone's height. @param {XY} a @param {XY} b */
export const distance = (a, b) => Math.hypot((a.x - b.x) * ASPECT, a.y - b.y);

/** Return the earliest day of some positions. @param {Position[]} positions */
export const firstDay = (positions) => positions.map(({ first_seen }) => first_seen).toSorted()[0];
