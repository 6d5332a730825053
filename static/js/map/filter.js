/** Which creatures the filters let through. Pure. */

/** Reactions as the API numbers them. */
export const REACTIONS = ["hostile", "neutral", "friendly"];

/**
 * @typedef {object} Traits
 * @property {string} key @property {number|null} min @property {number|null} max @property {boolean} boss
 * @property {number|null} alliance @property {number|null} horde How either side is met, as in `REACTIONS`.
 * @typedef {object} Wanted
 * @property {string} name Already as it is compared (`plainText`). @property {number|null} low @property {number|null} high
 * @property {"alliance"|"horde"|""} side Whose view counts; both without one.
 * @property {Set<string>} reactions
 */

/** @param {Traits} traits @param {Wanted} wanted */
export function fits(traits, { name, low, high, side, reactions }) {
  return traits.key.includes(name.trim()) && fitsLevel(traits, low, high) && fitsReaction(traits, side, reactions);
}

/**
 * Bosses ("??") without a known level pass every lower bound and no upper one.
 * @param {Traits} traits @param {number|null} low @param {number|null} high
 */
function fitsLevel(traits, low, high) {
  const lowest = traits.min ?? (traits.boss ? Number.POSITIVE_INFINITY : null);
  const highest = traits.boss ? Number.POSITIVE_INFINITY : traits.max;
  if (low !== null && (highest === null || highest < low)) return false;
  return high === null || (lowest !== null && lowest <= high);
}

/**
 * How a creature meets a side nobody has told of yet may be anything, so it passes only while all is wanted.
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
  const told = side === "alliance" ? [alliance] : side === "horde" ? [horde] : [alliance, horde];
  return told.filter((reaction) => reaction !== null);
}
