/** Areas: the ground that neighbouring spawn points of one creature span, or walk. Pure: points in, polygons out. */

import { ASPECT } from "./coords.js";

/** Spawn points nearer than this to each other belong to one area. Percent of the zone's height, as all here. */
const LINK = 9;

/** How far an area reaches beyond its outermost points. */
const MARGIN = 1.6;

const CORNERS = 12;

/**
 * @typedef {[number, number][]} Ring Corners `[x, y]` in percent.
 * @typedef {{x: number, y: number, radius?: number, rings?: Ring[]}} Place
 */

/**
 * Return each area as the places it is of, and its rings: the outermost, then its holes. Outermost rings turn from x to
 * y and holes against it, as GeoJSON wants them, and so that areas that overlap are filled as one.
 * @template {Place} P
 * @param {P[]} places Of one creature on one floor, in percent.
 * @returns {{of: P[], rings: Ring[]}[]}
 */
export function areas(places) {
  const standing = linked(places.filter(({ rings }) => !rings)).map((group) => ({
    of: group,
    rings: [hull(group.flatMap(around))],
  }));
  // Where a patrol walks is known better than by joining its neighbours.
  const walking = places.flatMap((place) => (place.rings ? [{ of: [place], rings: wound(place.rings) }] : []));
  return [...standing, ...walking];
}

/** @param {Ring[]} rings */
function wound(rings) {
  return rings.map((ring, number) => (turnsToY(ring) === (number === 0) ? ring : ring.toReversed()));
}

/** Whether a ring turns from x to y, by the sign of its area (Gauss's formula). @param {Ring} ring */
function turnsToY(ring) {
  const twice = ring.reduce((sum, [x, y], corner) => {
    const [nextX, nextY] = ring[(corner + 1) % ring.length];
    return sum + x * nextY - nextX * y;
  }, 0);
  return twice > 0;
}

/**
 * Group what is linked over steps of at most `LINK` (single linkage).
 * @template {Place} P
 * @param {P[]} places
 */
function linked(places) {
  /** @type {P[][]} */
  const groups = [];
  const waiting = new Set(places);
  for (const first of places) {
    if (!waiting.delete(first)) continue;
    const group = [first];
    for (const place of group) {
      for (const other of waiting) {
        if (((place.x - other.x) * ASPECT) ** 2 + (place.y - other.y) ** 2 > LINK * LINK) continue;
        waiting.delete(other);
        group.push(other);
      }
    }
    groups.push(group);
  }
  return groups;
}

/** The corners of a round margin. @param {Place} place @returns {[number, number][]} */
function around({ x, y, radius = 0 }) {
  return Array.from({ length: CORNERS }, (_, corner) => {
    const angle = (corner / CORNERS) * 2 * Math.PI;
    const reach = MARGIN + radius;
    return [x + (Math.cos(angle) * reach) / ASPECT, y + Math.sin(angle) * reach];
  });
}

/** Andrew's monotone chain. @param {[number, number][]} points @returns {[number, number][]} */
function hull(points) {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...chain(sorted), ...chain(sorted.toReversed())];
}

/** @param {[number, number][]} sorted */
function chain(sorted) {
  /** @type {[number, number][]} */
  const ring = [];
  for (const point of sorted) {
    while (ring.length > 1 && turn(ring[ring.length - 2], ring[ring.length - 1], point) <= 0) ring.pop();
    ring.push(point);
  }
  return ring.slice(0, -1);
}

/** @param {[number, number]} a @param {[number, number]} b @param {[number, number]} c */
const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
