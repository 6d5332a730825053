/** What a map shows, as files. Pure: points and areas in, text out. */

import { ASPECT } from "./coords.js";
import { isoDay } from "./document.js";

/**
 * @typedef {object} Dot Or an area, which has rings.
 * @property {string} kind `creature`, `area`, `patrol`, `herb`, `ore`, `chest` or `fishing`.
 * @property {number} id @property {string} name
 * @property {number} floor @property {number} x @property {number} y In percent.
 * @property {number} sightings
 * @property {number|null} uploaders @property {boolean|null} confirmed Null for an area around several spawn points.
 * @property {number|null} radius In percent of the zone's height, as far as an area reaches. Null for gathering places.
 * @property {string|null} last_seen A day such as `2026-01-31`.
 * @property {Ring[]} [rings]
 *
 * @typedef {import("./areas.js").Ring} Ring
 * @typedef {import("./document.js").Point} Point
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
 * Players who have seen several spawn points can't be counted once, so nobody is counted for an area around several.
 * @param {Named} mob @param {Point[]} points Of which it is. @param {Ring[]} rings
 * @returns {Dot}
 */
export function area(mob, points, rings) {
  const [first] = points;
  const sightings = points.reduce((sum, point) => sum + point.sightings, 0);
  const last_seen = Math.max(...points.map((point) => point.last_seen));
  const whole = dot(first.rings ? "patrol" : "area", mob, { ...first, ...extent(rings[0]), sightings, last_seen });
  return { ...whole, ...(points.length > 1 ? { uploaders: null, confirmed: null } : {}), rings };
}

/** The middle of a ring, and how far it reaches from there. @param {Ring} ring */
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

/** A ring that ends where it begins, as GeoJSON wants it. @param {Ring} ring */
function closed(ring) {
  const corners = ring.map((corner) => corner.map(rounded));
  return String(corners[0]) === String(corners.at(-1)) ? corners : [...corners, corners[0]];
}

/** Percent with two digits, as documents have it. @param {number} value */
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
  // A spreadsheet takes texts that begin like these for formulas, and names come from strangers.
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${harmless.replaceAll('"', '""')}"`;
}
