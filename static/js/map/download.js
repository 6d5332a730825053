/** What a map shows, as files. Pure: dots in, text out. */

/**
 * @typedef {object} Dot
 * @property {string} kind `creature`, `herb`, `ore`, `chest` or `fishing`.
 * @property {number} id @property {string} name
 * @property {number} floor @property {number} x @property {number} y In percent.
 * @property {number} sightings @property {number} uploaders
 * @property {boolean|null} confirmed Null for gathering places.
 */

const COLUMNS = /** @type {(keyof Dot)[]} */ (["kind", "id", "name", "floor", "x", "y", "sightings", "uploaders", "confirmed"]);

/** @param {Dot[]} dots */
export function geojson(dots) {
  const features = dots.map(({ x, y, ...properties }) => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [x, y] },
    properties,
  }));
  return JSON.stringify({ type: "FeatureCollection", features });
}

/** RFC 4180, with a header. @param {Dot[]} dots */
export function csv(dots) {
  const lines = dots.map((dot) => COLUMNS.map((column) => cell(dot[column])).join(","));
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

/** @param {string|number|boolean|null} value */
function cell(value) {
  if (typeof value !== "string") return String(value ?? "");
  // A spreadsheet takes texts that begin like these for formulas, and names come from strangers.
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${harmless.replaceAll('"', '""')}"`;
}
