/** What a visitor looks at, kept in the address' fragment so that it can be shared. */

import { EDGE } from "./coords.js";

/**
 * @typedef {object} View
 * @property {{x: number, y: number, zoom: number}|null} at Centre in percent, and zoom.
 * @property {number|null} floor
 * @property {"all"|Set<number>} shown Creatures that are switched on.
 * @property {boolean} confirmed Only confirmed spawn points.
 * @property {Set<string>} gathering Kinds of gathering places that are switched on.
 * @property {string} name Filter of the list.
 * @property {number|null} low Lowest level. @property {number|null} high Highest level.
 */

/** Past this many, the shorter of "shown" and "hidden" is still too long to be shared. */
const MOST_IDS = 400;

/**
 * Read a fragment such as `#at=52.1,40.3,4&floor=1&show=1017,1018`. Whatever makes no sense is left out.
 * @param {string} fragment @param {number[]} all Ids of all creatures on the map.
 * @returns {View}
 */
export function read(fragment, all) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const [x, y, zoom] = (parts.get("at") ?? "").split(",").map(Number.parseFloat);
  const inside = [x, y].every((value) => value >= -EDGE && value <= 2 * EDGE) && zoom >= -5 && zoom <= 12;
  return {
    at: inside ? { x, y, zoom } : null,
    floor: whole(parts.get("floor")),
    shown: shownIds(parts, all),
    confirmed: parts.get("confirmed") === "1",
    gathering: new Set((parts.get("gathering") ?? "").split(",").filter(Boolean)),
    name: (parts.get("name") ?? "").slice(0, 100),
    low: whole(parts.get("low")),
    high: whole(parts.get("high")),
  };
}

/**
 * Write a view as a fragment, the shorter way: those shown, or those hidden.
 * @param {View} view @param {number[]} all
 * @returns {string}
 */
export function write(view, all) {
  const parts = [];
  if (view.at) parts.push(`at=${short(view.at.x)},${short(view.at.y)},${short(view.at.zoom)}`);
  if (view.floor) parts.push(`floor=${view.floor}`);
  if (view.shown !== "all") {
    const shown = all.filter((id) => /** @type {Set<number>} */ (view.shown).has(id));
    const hidden = all.filter((id) => !(/** @type {Set<number>} */ (view.shown).has(id)));
    if (shown.length === 0) parts.push("show=none");
    else if (hidden.length > 0 && shown.length <= hidden.length) parts.push(`show=${shown.slice(0, MOST_IDS)}`);
    else if (hidden.length > 0) parts.push(`hide=${hidden.slice(0, MOST_IDS)}`);
  }
  if (view.confirmed) parts.push("confirmed=1");
  if (view.gathering.size) parts.push(`gathering=${[...view.gathering]}`);
  if (view.low !== null) parts.push(`low=${view.low}`);
  if (view.high !== null) parts.push(`high=${view.high}`);
  if (view.name) parts.push(`name=${encodeURIComponent(view.name)}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/**
 * @param {URLSearchParams} parts @param {number[]} all
 * @returns {"all"|Set<number>}
 */
function shownIds(parts, all) {
  const show = parts.get("show");
  const hide = parts.get("hide");
  if (show === "none") return new Set();
  if (show !== null) {
    const named = ids(show);
    const known = new Set(all.filter((id) => named.has(id)));
    return known.size ? known : "all";
  }
  if (hide !== null) {
    const named = ids(hide);
    return new Set(all.filter((id) => !named.has(id)));
  }
  return "all";
}

/** @param {string} list */
const ids = (list) => new Set(list.split(",").map(Number));

/** @param {string|null} text */
const whole = (text) => (text !== null && /^\d{1,5}$/.test(text) ? Number(text) : null);

/** @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);
