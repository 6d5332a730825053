/** Map units: percent of the zone's map, x to the right and y down, 0 to 100. */

/** Width by height of the game's zone maps: one percent across is as long as 1.5 percent down. */
export const ASPECT = 1.5;

/** The largest coordinate. */
export const EDGE = 100;

/**
 * Return Leaflet's `[lat, lng]` for a coordinate in percent: the only function that swaps the two.
 * @param {number} x @param {number} y @returns {[number, number]}
 */
export const xy = (x, y) => [y, x];

/** The corners of a whole zone, for Leaflet. @type {[[number, number], [number, number]]} */
export const WHOLE_ZONE = [xy(0, 0), xy(EDGE, EDGE)];
