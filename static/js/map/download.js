/** Files of what a map shows. Pure: points and areas in, text out. */

import { ASPECT } from "./coords.js";
import { isoDay } from "./published.js";

/**
 * @typedef {object} Dot A point, or an area if it has rings.
 * @property {string} kind `creature`, `area`, `patrol`, `herb`, `ore`, `chest` or `fishing`.
 * @property {number} id @property {string} name
 * @property {number} floor @property {number} x @property {number} y In percent.
 * @property {number} sightings
 * @property {number|null} uploaders @property {boolean|null} confirmed Null for an area of several spawn points.
 * @property {number|null} radius In percent of the zone's height; an area's largest distance from its center. Null for gathering points.
 * @property {string|null} last_seen A day such as `2026-01-31`.
 * @property {Ring[]} [rings]
 *
 * @typedef {import("./areas.js").Ring} Ring
 * @typedef {import("./published.js").Point} Point
 * @typedef {{id: number, name: string}} Named
 */

const COLUMNS = /** @type {(keyof Dot & string)[]} */ ([
  "kind",
  "id",
  "name",
  "floor",
  "x",
  "y",
  "sightings",
  "uploaders",
  "confirmed",
  "radius",
  "last_seen",
]);

/**
 * @param {string} kind @param {Named} of
 * @param {Omit<Point, "radius"> & {radius?: number}} point
 * @returns {Dot}
 */
export function dot(kind, { id, name }, { floor, x, y, sightings, uploaders, confirmed, radius, last_seen }) {
  return {
    kind,
    id,
    name,
    floor,
    x,
    y,
    sightings,
    uploaders,
    confirmed,
    radius: radius ?? null,
    last_seen: last_seen ? isoDay(last_seen) : null,
  };
}

/**
 * Return an area. Its uploaders are unknown if it has several spawn points: one uploader may have seen some of them.
 * @param {Named} mob @param {Point[]} points Spawn points in it. @param {Ring[]} rings
 * @returns {Dot}
 */
export function area(mob, points, rings) {
  const [first] = points;
  const sightings = points.reduce((sum, point) => sum + point.sightings, 0);
  const last_seen = Math.max(...points.map((point) => point.last_seen));
  const whole = dot(first.rings ? "patrol" : "area", mob, { ...first, ...extent(rings[0]), sightings, last_seen });
  return { ...whole, ...(points.length > 1 ? { uploaders: null, confirmed: null } : {}), rings };
}

/** Return the center of a ring, and its largest distance from there. @param {Ring} ring */
function extent(ring) {
  const [x, y] = [0, 1].map((axis) => {
    const along = ring.map((corner) => corner[axis]);
    return rounded((Math.min(...along) + Math.max(...along)) / 2);
  });
  return {
    x,
    y,
    radius: rounded(Math.max(...ring.map((corner) => Math.hypot((corner[0] - x) * ASPECT, corner[1] - y)))),
  };
}

/** @param {Dot[]} dots */
export function geojson(dots) {
  const features = dots.map(({ x, y, rings, ...properties }) => ({
    type: "Feature",
    geometry: rings ? { type: "Polygon", coordinates: rings.map(closed) } : { type: "Point", coordinates: [x, y] },
    properties,
  }));
  return JSON.stringify({ type: "FeatureCollection", features });
}

/** Return a ring that ends where it begins, as GeoJSON requires. @param {Ring} ring */
function closed(ring) {
  const corners = ring.map((corner) => corner.map(rounded));
  return String(corners[0]) === String(corners.at(-1)) ? corners : [...corners, corners[0]];
}

/** Round percent to two digits, as published files do. @param {number} value */
const rounded = (value) => Math.round(value * 100) / 100;

/** RFC 4180, with a header. @param {Dot[]} dots */
export function csv(dots) {
  const lines = dots.map((dot) =>
    COLUMNS.map((column) => cell(/** @type {string|number|boolean|null} */ (dot[column]))).join(","),
  );
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

/** @param {string|number|boolean|null} value */
function cell(value) {
  if (typeof value !== "string") return String(value ?? "");
  // Spreadsheets take texts that begin with these characters for formulas, and names come from strangers.
  const escaped = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${escaped.replaceAll('"', '""')}"`;
}
