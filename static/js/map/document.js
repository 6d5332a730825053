/** Fetching what a map draws, and turning its flat arrays into points. */

const DAY_MS = 86_400_000;

/** A place is confirmed once so many distinct uploaders have seen it, as in `maps/estimate/spawns.py`. */
const CONFIRMED_UPLOADERS = 2;

/**
 * @typedef {object} Point
 * @property {number} floor
 * @property {number} x @property {number} y In percent.
 * @property {number} radius In percent.
 * @property {number} sightings @property {number} uploaders
 * @property {boolean} confirmed
 * @property {number} last_seen Days since 1970-01-01.
 * @property {[number, number][][]} [rings] For a patrol: the ring around where it walks, then those around its holes.
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
 * @property {number} id @property {string} kind @property {string} name @property {number} sightings
 * @property {Gathered[]} points
 *
 * @typedef {object} Gathered A coordinate at which it was found.
 * @property {number} floor
 * @property {number} x @property {number} y In percent.
 * @property {number} sightings @property {number} uploaders
 * @property {boolean} confirmed
 * @property {number} first_seen @property {number} last_seen Days since 1970-01-01.
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
    layPatrols(spawns, mob.patrols);
    return { ...mob, spawns };
  });
}

/**
 * The same for a zone's gathering places and their flat `points`.
 * @param {{fields: string[], sources: any[]}} body
 * @returns {Source[]}
 */
export function sources(body) {
  return body.sources.map((source) => ({
    ...source,
    points: unpack(body.fields, source.points).map((point) => ({
      ...point,
      confirmed: point.uploaders >= CONFIRMED_UPLOADERS,
    })),
  }));
}

/**
 * Take one zone's floor out of a creature's document: its raw positions and its spawn points.
 * @param {{position_fields: string[], spawn_fields: string[], places: any[]}} body
 * @param {number} zone @param {number} floor
 * @returns {{positions: any[], spawns: any[]}}
 */
export function placesOf(body, zone, floor) {
  const found = body.places.find((place) => place.zone === zone && place.floor === floor);
  if (!found) return { positions: [], spawns: [] };
  const positions = unpack(body.position_fields, found.positions).map((position) => ({
    ...position,
    first_seen: isoDay(position.first_seen),
    last_seen: isoDay(position.last_seen),
  }));
  const spawns = unpack(body.spawn_fields, found.spawns).map((spawn) => ({ ...spawn, floor }));
  layPatrols(spawns, found.patrols);
  return { positions, spawns };
}

/** Days since 1970-01-01 as text, such as `2026-01-31`. @param {number} count */
export const isoDay = (count) => new Date(count * DAY_MS).toISOString().slice(0, 10);

/**
 * Turn a GeoJSON document of points into places.
 * @param {{features: {geometry: {coordinates: [number, number]}, properties: any}[]}} geojson
 * @returns {any[]}
 */
export function places(geojson) {
  return geojson.features.map(
    ({
      geometry: {
        coordinates: [x, y],
      },
      properties,
    }) => ({ ...properties, x, y }),
  );
}

/** The addresses of what is fetched once more is asked for. @param {string} api Of the locale, `/api/v1/deDE`. */
export const addresses = (api) => ({
  /** @param {number} mob */
  places: (mob) => `${api}/mobs/${mob}/places`,
  /** @param {string|number} zone */
  sources: (zone) => `${api}/zones/${zone}/sources`,
});

/**
 * Tell the spawn points that walk where they do.
 * @param {Point[]} spawns @param {{spawn: number, ring: [number, number][], holes?: [number, number][][]}[]} patrols
 */
function layPatrols(spawns, patrols) {
  for (const { spawn, ring, holes = [] } of patrols) spawns[spawn].rings = [ring, ...holes];
}

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
