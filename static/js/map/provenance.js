/** Why a dot is where it is: the raw positions around a spawn point. Pure. */

import { ASPECT } from "./coords.js";

/** Farther from every spawn point than this a position stands for itself, not for one of them. Percent of the zone's height. */
const REACH = 3;

/**
 * @typedef {import("./layers/positions.js").Position} Position
 * @typedef {{x: number, y: number}} Place
 */

/**
 * Return the positions for which this is the nearest of the creature's spawn points on the floor. The estimate divides
 * positions by more than distance, and which are whose is not published: these need not be the ones it counted.
 * @param {Place} spawn @param {Place[]} all The creature's spawn points on that floor. @param {Position[]} positions
 */
export function nearestTo(spawn, all, positions) {
  return positions.filter((position) => {
    const own = distance(spawn, position);
    return own <= REACH && all.every((other) => distance(other, position) >= own);
  });
}

/** @param {Place} a @param {Place} b In percent of the zone's height. */
export const distance = (a, b) => Math.hypot((a.x - b.x) * ASPECT, a.y - b.y);

/** The first day of some positions. @param {Position[]} positions */
export const firstDay = (positions) => positions.map(({ first_seen }) => first_seen).toSorted()[0];
