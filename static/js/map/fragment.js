/** The view of a zone's map in the URL's fragment, so that it can be shared. */

import { EDGE } from "./coords.js";
import { REACTIONS } from "./filter.js";

/**
 * @typedef {object} MapState
 * @property {{x: number, y: number, zoom: number}|null} at Center in percent, and zoom. Null for the whole zone.
 * @property {"all"|Set<number>} shown Creatures that are switched on.
 * @typedef {MapState & Omit<import("./controls.js").Choices, "layers"> & {layers: Set<string>|undefined}} View
 *   Without `layers`: the default ones.
 */

/** Longer lists of ids are shortened to differences of sorted ids in base 36: `.s9.1.2u` for 1017, 1018 and 1120. */
const MAX_PLAIN = 20;
const DELTA_BASE = 36;

const COLORS = ["creature", "level", "reaction"];

/**
 * Read a fragment such as `#at=52.1,40.3,4&floor=1&show=1017,1018`. Invalid values are ignored.
 * @param {string} fragment @param {number[]} all Ids of all creatures on the map.
 * @returns {View}
 */
export function read(fragment, all) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const [x, y, zoom] = (parts.get("at") ?? "").split(",").map(Number.parseFloat);
  const inside = [x, y].every((value) => value >= -EDGE && value <= 2 * EDGE) && zoom >= -5 && zoom <= 12;
  const side = parts.get("side") ?? "";
  const since = parts.get("since") ?? "";
  const colors = parts.get("colours") ?? "";
  return {
    at: inside ? { x, y, zoom } : null,
    floor: whole(parts.get("floor")),
    shown: shownIds(parts, all),
    confirmed: parts.get("confirmed") === "1",
    layers: words(parts.get("layers")),
    gathering: words(parts.get("gathering")) ?? new Set(),
    name: (parts.get("name") ?? "").slice(0, 100),
    low: whole(parts.get("low")),
    high: whole(parts.get("high")),
    side: side === "alliance" || side === "horde" ? side : "",
    reactions: words(parts.get("react")) ?? new Set(REACTIONS),
    since: /^\d{4}-\d{2}-\d{2}$/.test(since) ? since : "",
    colors: COLORS.includes(colors) ? colors : "creature",
  };
}

/**
 * Write a view as a fragment, without default values. It lists the shown or the hidden creatures, whichever are fewer.
 * @param {View} view @param {number[]} all @param {string[]} defaultLayers
 * @returns {string}
 */
export function write(view, all, defaultLayers) {
  const parts = [];
  if (view.at) parts.push(`at=${short(view.at.x)},${short(view.at.y)},${short(view.at.zoom)}`);
  if (view.floor) parts.push(`floor=${view.floor}`);
  if (view.shown !== "all") parts.push(...written(view.shown, all));
  if (view.layers && !same(view.layers, defaultLayers)) parts.push(`layers=${[...view.layers]}`);
  if (view.gathering.size) parts.push(`gathering=${[...view.gathering]}`);
  if (view.colors !== "creature") parts.push(`colours=${view.colors}`);
  if (view.confirmed) parts.push("confirmed=1");
  if (view.low !== null) parts.push(`low=${view.low}`);
  if (view.high !== null) parts.push(`high=${view.high}`);
  if (view.side) parts.push(`side=${view.side}`);
  if (!same(view.reactions, REACTIONS)) parts.push(`react=${[...view.reactions]}`);
  if (view.since) parts.push(`since=${view.since}`);
  if (view.name) parts.push(`name=${encodeURIComponent(view.name)}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/** @param {Set<number>} wanted @param {number[]} all */
function written(wanted, all) {
  const shown = all.filter((id) => wanted.has(id));
  const hidden = all.filter((id) => !wanted.has(id));
  if (shown.length === 0) return ["show=none"];
  if (hidden.length === 0) return [];
  return shown.length <= hidden.length ? [`show=${list(shown)}`] : [`hide=${list(hidden)}`];
}

/** @param {number[]} chosen */
function list(chosen) {
  if (chosen.length <= MAX_PLAIN) return chosen.join();
  const sorted = chosen.toSorted((a, b) => a - b);
  return sorted.map((id, rank) => `.${(id - (sorted[rank - 1] ?? 0)).toString(DELTA_BASE)}`).join("");
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

/** @param {string} list @returns {Set<number>} */
function ids(list) {
  if (!list.startsWith(".")) return new Set(list.split(",").map(Number));
  let id = 0;
  return new Set(
    list
      .slice(1)
      .split(".")
      .map((step) => (id += Number.parseInt(step, DELTA_BASE))),
  );
}

/** Return a list, which may be empty, or undefined if there is none. @param {string|null} list */
const words = (list) => (list === null ? undefined : new Set(list.split(",").filter(Boolean)));

/** @param {Set<string>} some @param {string[]} others */
const same = (some, others) => some.size === others.length && others.every((one) => some.has(one));

/** @param {string|null} text */
const whole = (text) => (text !== null && /^\d{1,5}$/.test(text) ? Number(text) : null);

/** @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);
