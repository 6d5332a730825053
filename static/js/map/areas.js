/** Areas: what neighboring spawn points of one creature span, or where it patrols. Pure: points in, polygons out. */

import { ASPECT } from "./coords.js";

/** Spawn points nearer than this to each other belong to one area. In percent of the zone's height, as all lengths here. */
const MAX_LINK = 9;

/** How far an area extends beyond its outermost points. */
const MARGIN = 1.6;

/** Corners of the polygon that stands for a point's circular margin. */
const CORNERS = 12;

/**
 * @typedef {[number, number][]} Ring Corners `[x, y]` in percent.
 * @typedef {{x: number, y: number, radius?: number, rings?: Ring[]}} SpawnPoint With `rings` it patrols within them.
 */

/**
 * @template {SpawnPoint} P
 * @typedef {object} Area
 * @property {P[]} points Spawn points in it.
 * @property {Ring[]} rings The exterior ring, then those of holes.
 */

/**
 * Return the areas of one creature on one floor. Exterior rings turn from x to y and holes the other way, as GeoJSON
 * requires, so that overlapping areas are filled as one.
 * @template {SpawnPoint} P
 * @param {P[]} points In percent.
 * @returns {Area<P>[]}
 */
export function areas(points) {
  const standing = clusters(points.filter(({ rings }) => !rings)).map((cluster) => ({
    points: cluster,
    rings: [convexHull(cluster.flatMap(margin))],
  }));
  // Where a creature patrols is known more exactly than by joining neighboring points.
  const patrolling = points.flatMap((point) =>
    point.rings ? [{ points: [point], rings: oriented(point.rings) }] : [],
  );
  return [...standing, ...patrolling];
}

/** @param {Ring[]} rings */
function oriented(rings) {
  return rings.map((ring, index) => (turnsFromXToY(ring) === (index === 0) ? ring : ring.toReversed()));
}

/** Whether a ring turns from x to y, by the sign of its area (shoelace formula). @param {Ring} ring */
function turnsFromXToY(ring) {
  const doubled = ring.reduce((sum, [x, y], corner) => {
    const [nextX, nextY] = ring[(corner + 1) % ring.length];
    return sum + x * nextY - nextX * y;
  }, 0);
  return doubled > 0;
}

/**
 * Return clusters of points connected by steps of at most `MAX_LINK` (single linkage).
 * @template {SpawnPoint} P
 * @param {P[]} points
 */
function clusters(points) {
  /** @type {P[][]} */
  const found = [];
  const waiting = new Set(points);
  for (const first of points) {
    if (!waiting.delete(first)) continue;
    const cluster = [first];
    for (const point of cluster) {
      for (const other of waiting) {
        if (((point.x - other.x) * ASPECT) ** 2 + (point.y - other.y) ** 2 > MAX_LINK * MAX_LINK) continue;
        waiting.delete(other);
        cluster.push(other);
      }
    }
    found.push(cluster);
  }
  return found;
}

/** Return the corners of a point's circular margin. @param {SpawnPoint} point @returns {[number, number][]} */
function margin({ x, y, radius = 0 }) {
  return Array.from({ length: CORNERS }, (_, corner) => {
    const angle = (corner / CORNERS) * 2 * Math.PI;
    const distance = MARGIN + radius;
    return [x + (Math.cos(angle) * distance) / ASPECT, y + Math.sin(angle) * distance];
  });
}

/** Andrew's monotone chain algorithm. @param {[number, number][]} points @returns {[number, number][]} */
function convexHull(points) {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...halfHull(sorted), ...halfHull(sorted.toReversed())];
}

/** @param {[number, number][]} sorted */
function halfHull(sorted) {
  /** @type {[number, number][]} */
  const chain = [];
  for (const point of sorted) {
    while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], point) <= 0) chain.pop();
    chain.push(point);
  }
  return chain.slice(0, -1);
}

/** Cross product of a→b and a→c. @param {[number, number]} a @param {[number, number]} b @param {[number, number]} c */
const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
