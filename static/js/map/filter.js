/** Filters of creatures. Pure. */

/** Reactions, in the API's numbering. */
export const REACTIONS = ["hostile", "neutral", "friendly"];

/**
 * @typedef {object} Traits
 * @property {string} key The name, as `plainText` returns it. @property {number|null} min @property {number|null} max @property {boolean} boss
 * @property {number|null} alliance @property {number|null} horde Reactions to either side, indexes of `REACTIONS`.
 * @typedef {object} Wanted
 * @property {string} name As `plainText` returns it. @property {number|null} low @property {number|null} high
 * @property {"alliance"|"horde"|""} side The reaction to this side counts; both without one.
 * @property {Set<string>} reactions
 */

/** Return whether a creature passes the filters. @param {Traits} traits @param {Wanted} wanted */
export function fits(traits, { name, low, high, side, reactions }) {
  return traits.key.includes(name.trim()) && fitsLevel(traits, low, high) && fitsReaction(traits, side, reactions);
}

/**
 * Bosses ("??") without a known level pass each lower bound and no upper bound.
 * @param {Traits} traits @param {number|null} low @param {number|null} high
 */
function fitsLevel(traits, low, high) {
  const lowest = traits.min ?? (traits.boss ? Number.POSITIVE_INFINITY : null);
  const highest = traits.boss ? Number.POSITIVE_INFINITY : traits.max;
  if (low !== null && (highest === null || highest < low)) return false;
  return high === null || (lowest !== null && lowest <= high);
}

/**
 * An unknown reaction passes only while all reactions are wanted.
 * @param {Traits} traits @param {Wanted["side"]} side @param {Set<string>} reactions
 */
function fitsReaction(traits, side, reactions) {
  if (reactions.size === REACTIONS.length) return true;
  return reactionsOf(traits, side).some((reaction) => reactions.has(REACTIONS[reaction]));
}

/**
 * Return the known reactions to one side, or to both.
 * @param {{alliance: number|null, horde: number|null}} traits @param {Wanted["side"]} side
 * @returns {number[]}
 */
export function reactionsOf({ alliance, horde }, side) {
  const reactions = side === "alliance" ? [alliance] : side === "horde" ? [horde] : [alliance, horde];
  return reactions.filter((reaction) => reaction !== null);
}
