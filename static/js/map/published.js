/** Fetches what maps draw, published files and answers of the API, and unpacks their flat arrays into points. */

const DAY_MS = 86_400_000;

/** A point is confirmed when at least this many distinct uploaders have seen it (as the server's spawn estimate counts). */
const CONFIRMED_UPLOADERS = 2;

/**
 * @typedef {[number, number][]} Ring Corners `[x, y]` in percent.
 *
 * @typedef {object} Point An estimated spawn point.
 * @property {number} floor
 * @property {number} x @property {number} y In percent.
 * @property {number} radius In percent.
 * @property {number} sightings @property {number} uploaders
 * @property {boolean} confirmed
 * @property {number} last_seen Days since 1970-01-01.
 * @property {Ring[]} [rings] Of a patrol: the exterior ring of its area, then those of holes.
 */

/**
 * @typedef {object} Mob
 * @property {number} id @property {string} name
 * @property {number|null} min @property {number|null} max Levels. @property {boolean} boss
 * @property {{alliance: number|null, horde: number|null}} react
 * @property {number} sightings
 * @property {Point[]} spawns
 */

/**
 * @typedef {object} Source What can be gathered, and where.
 * @property {number} id @property {string} kind @property {string} name @property {number} sightings
 * @property {GatheringPoint[]} points
 *
 * @typedef {object} GatheringPoint A coordinate at which a source was seen.
 * @property {number} floor
 * @property {number} x @property {number} y In percent.
 * @property {number} sightings @property {number} uploaders
 * @property {boolean} confirmed
 * @property {number} first_seen @property {number} last_seen Days since 1970-01-01.
 */

/**
 * @typedef {object} Position A coordinate at which a creature was seen, before any estimate.
 * @property {number} x @property {number} y In percent.
 * @property {number} sightings @property {number} uploaders
 * @property {string} first_seen @property {string} last_seen Days such as `2026-01-31`.
 */

/**
 * JSON as it is published. Each array of numbers is flat: `fields` names the numbers of one point.
 * @typedef {{spawn: number, ring: Ring, holes?: Ring[]}} Patrol `spawn` is the index of a spawn point.
 * @typedef {{fields: string[], mobs: (Omit<Mob, "spawns"> & {spawns: number[], patrols: Patrol[]})[]}} ZoneMap
 * @typedef {{fields: string[], sources: (Omit<Source, "points"> & {points: number[]})[]}} ZoneSources
 * @typedef {{zone: number, floor: number, positions: number[], spawns: number[], patrols: Patrol[]}} Habitat
 * @typedef {{position_fields: string[], spawn_fields: string[], places: Habitat[]}} MobHabitats
 * @typedef {{features: {geometry: {coordinates: [number, number]}, properties: Omit<Position, "x"|"y">}[]}} Positions
 */

/**
 * Fetch JSON, of the type that the caller expects. Throws an error whose message can be shown to people.
 * @template T
 * @param {string} url
 * @returns {Promise<T>}
 */
export async function fetchJson(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.detail ?? `${response.status} ${response.statusText}`);
  return body;
}

/**
 * Return the creatures of a zone's map.
 * @param {ZoneMap} body
 * @returns {Mob[]}
 */
export function mobs(body) {
  return body.mobs.map((mob) => ({ ...mob, spawns: spawnPoints(body.fields, mob) }));
}

/**
 * Return the sources of a zone.
 * @param {ZoneSources} body
 * @returns {Source[]}
 */
export function sources(body) {
  return body.sources.map((source) => ({
    ...source,
    points: gatheringPoints(body.fields, source.points),
  }));
}

/**
 * Return a creature's raw positions and spawn points on one floor of one zone.
 * @param {MobHabitats} body
 * @param {number} zone @param {number} floor
 * @returns {{positions: Position[], spawns: Point[]}}
 */
export function habitat(body, zone, floor) {
  const found = body.places.find((one) => one.zone === zone && one.floor === floor);
  if (!found) return { positions: [], spawns: [] };
  /** @type {(Omit<Position, "first_seen"|"last_seen"> & {first_seen: number, last_seen: number})[]} */
  const counted = unpack(body.position_fields, found.positions);
  const positions = counted.map((position) => ({
    ...position,
    first_seen: isoDay(position.first_seen),
    last_seen: isoDay(position.last_seen),
  }));
  const spawns = spawnPoints(body.spawn_fields, found).map((spawn) => ({ ...spawn, floor }));
  return { positions, spawns };
}

/** Return a number of days since 1970-01-01 as text, such as `2026-01-31`. @param {number} count */
export const isoDay = (count) => new Date(count * DAY_MS).toISOString().slice(0, 10);

/**
 * Return the raw positions of the API's GeoJSON.
 * @param {Positions} geojson
 * @returns {Position[]}
 */
export function positions(geojson) {
  return geojson.features.map(({ geometry, properties }) => {
    const [x, y] = geometry.coordinates;
    return { ...properties, x, y };
  });
}

/** Return URLs of what is fetched on request. @param {string} api Of the locale, `/api/v1/deDE`. */
export const urlsOf = (api) => ({
  /** @param {number} mob */
  habitats: (mob) => `${api}/mobs/${mob}/places`,
  /** @param {string|number} zone */
  sources: (zone) => `${api}/zones/${zone}/sources`,
});

/**
 * Return spawn points, those of patrols with their rings.
 * @param {string[]} fields @param {{spawns: number[], patrols: Patrol[]}} packed
 * @returns {Point[]}
 */
function spawnPoints(fields, { spawns, patrols }) {
  /** @type {Point[]} */
  const points = unpack(fields, spawns);
  for (const { spawn, ring, holes = [] } of patrols) points[spawn].rings = [ring, ...holes];
  return points;
}

/** @param {string[]} fields @param {number[]} flat @returns {GatheringPoint[]} */
function gatheringPoints(fields, flat) {
  /** @type {GatheringPoint[]} */
  const points = unpack(fields, flat);
  return points.map((point) => ({ ...point, confirmed: point.uploaders >= CONFIRMED_UPLOADERS }));
}

/**
 * Return one object for each `fields.length` numbers: `["x", "y"], [1, 2, 3, 4]` → `[{x: 1, y: 2}, {x: 3, y: 4}]`.
 * @template P
 * @param {string[]} fields @param {number[]} flat
 * @returns {P[]}
 */
function unpack(fields, flat) {
  /** @type {P[]} */
  const points = [];
  for (let start = 0; start < flat.length; start += fields.length) {
    /** @type {Record<string, number|boolean>} */
    const point = {};
    fields.forEach((field, offset) => {
      point[field] = flat[start + offset];
    });
    if ("confirmed" in point) point.confirmed = Boolean(point.confirmed);
    points.push(/** @type {P} */ (point));
  }
  return points;
}
