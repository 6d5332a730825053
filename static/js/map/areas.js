/** Areas: the ground that neighbouring spawn points of one creature span. Pure: points in, polygons out. */

import { ASPECT } from "./coords.js";

/** Spawn points nearer than this to each other belong to one area. Percent of the zone's height, as all here. */
const LINK = 9;

/** How far an area reaches beyond its outermost points. */
const MARGIN = 1.6;

const CORNERS = 12;

/** @typedef {{x: number, y: number, radius?: number}} Place */

/**
 * @param {Place[]} places Of one creature on one floor, in percent.
 * @returns {[number, number][][]} A convex ring of `[x, y]` in percent for each area.
 */
export function areas(places) {
  return linked(places).map((group) => hull(group.flatMap(around)));
}

/**
 * Group what is linked over steps of at most `LINK` (single linkage).
 * @param {Place[]} places
 */
function linked(places) {
  /** @type {Place[][]} */
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
