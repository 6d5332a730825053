/** Map units: percent of the zone's map, x to the right and y down, 0 to 100. */

/**
 * The game's zone maps are three wide to two high, so a percent across is 1.5 times a percent down.
 */
export const ASPECT = 1.5;

/** The largest coordinate. */
export const EDGE = 100;

/**
 * Return Leaflet's `[lat, lng]` for a coordinate in percent: the only place where the two are swapped.
 * @param {number} x @param {number} y @returns {[number, number]}
 */
export const xy = (x, y) => [y, x];

/** The corners of a whole zone, for Leaflet. @type {[[number, number], [number, number]]} */
export const WHOLE_ZONE = [xy(0, 0), xy(EDGE, EDGE)];
