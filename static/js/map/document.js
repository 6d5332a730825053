/** Fetching what a map draws, and turning its flat arrays into points. */

/**
 * @typedef {object} Point
 * @property {number} floor
 * @property {number} x @property {number} y In percent.
 * @property {number} radius In percent.
 * @property {number} sightings @property {number} uploaders
 * @property {boolean} confirmed
 * @property {number} last_seen Days since 1970-01-01.
 * @property {[number, number][]} [ring] Around where it walks, for a patrol in a zone's document.
 * @property {object} [area] The same as GeoJSON, among a creature's own spawn points.
 */

/**
 * @typedef {object} Mob
 * @property {number} id @property {string} name
 * @property {number|null} min @property {number|null} max @property {boolean} boss
 * @property {{alliance: number|null, horde: number|null}} react
 * @property {number} sightings
 * @property {Point[]} spawns
 */

/**
 * @typedef {object} Source
 * @property {number} id @property {string} kind @property {string} name
 * @property {{floor: number, x: number, y: number, sightings: number, uploaders: number}[]} points
 */

/**
 * Fetch JSON, or throw an error whose message can be shown to people.
 * @param {string} url
 * @returns {Promise<any>}
 */
export async function fetchJson(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.detail ?? `${response.status} ${response.statusText}`);
  return body;
}

/**
 * Turn a zone's map document into creatures with points. Its `fields` name the numbers that stand
 * for one spawn point in each creature's flat `spawns`.
 * @param {{fields: string[], mobs: any[]}} body
 * @returns {Mob[]}
 */
export function mobs(body) {
  return body.mobs.map((mob) => {
    const spawns = unpack(body.fields, mob.spawns);
    for (const { spawn, ring } of mob.patrols) spawns[spawn].ring = ring;
    return { ...mob, spawns };
  });
}

/**
 * The same for a zone's gathering places and their flat `points`.
 * @param {{fields: string[], sources: any[]}} body
 * @returns {Source[]}
 */
export function sources(body) {
  return body.sources.map((source) => ({ ...source, points: unpack(body.fields, source.points) }));
}

/**
 * Turn a GeoJSON document of points into places.
 * @param {{features: {geometry: {coordinates: [number, number]}, properties: any}[]}} geojson
 * @returns {any[]}
 */
export function places(geojson) {
  return geojson.features.map(({ geometry: { coordinates: [x, y] }, properties }) => ({ ...properties, x, y }));
}

/** The addresses of what is fetched once more is asked for. @param {string} api Of the locale, `/api/v1/deDE`. */
export const addresses = (api) => ({
  /** @param {number} mob @param {string|number} zone @param {number} floor */
  positions: (mob, zone, floor) => `${api}/mobs/${mob}/positions?zone=${zone}&floor=${floor}`,
  /** @param {string|number} zone */
  sources: (zone) => `${api}/zones/${zone}/sources`,
});

/**
 * @param {string[]} fields @param {number[]} flat
 * @returns {any[]}
 */
function unpack(fields, flat) {
  const points = [];
  for (let start = 0; start < flat.length; start += fields.length) {
    const point = /** @type {any} */ ({});
    fields.forEach((field, offset) => {
      point[field] = flat[start + offset];
    });
    if ("confirmed" in point) point.confirmed = Boolean(point.confirmed);
    points.push(point);
  }
  return points;
}
