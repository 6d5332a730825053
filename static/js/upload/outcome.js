/** Messages about an upload's status. */

import { fill, gettext, ngettext, number } from "../i18n.js";

/**
 * @param {import("./send.js").Receipt} receipt
 * @returns {string}
 */
export function outcome(receipt) {
  switch (receipt.status) {
    case "merged":
      return merged(receipt);
    case "rejected":
      return gettext("This upload was taken, but could not be read after all. Nothing of it is on the map.");
    case "withdrawn":
      return gettext("This upload was withdrawn. It no longer counts.");
    case "staged":
      return gettext("Read, and about to be drawn…");
    default:
      return gettext("Safely stored, waiting to be merged…");
  }
}

/** Return the message while receipts cannot be fetched. */
export const unavailable = () =>
  gettext("The site does not answer at the moment. Your upload is safely stored; this page goes on asking…");

/** @param {import("./send.js").Receipt} receipt */
function merged({ new_positions: fresh = 0, confirmed_positions: known = 0 }) {
  if (fresh > 0) {
    return ngettext("Your %(count)s new dot is on the map.", "Your %(count)s new dots are on the map.", fresh);
  }
  if (known > 0) return gettext("Your upload is on the map. Its positions were known already.");
  return gettext("Your upload is merged. It has no position to draw.");
}

/** Return what an upload contains. @param {import("./send.js").Receipt} receipt */
export function contents({ mobs, positions, lootings }) {
  return fill(gettext("Creatures: %(mobs)s, positions: %(positions)s, lootings: %(lootings)s"), {
    mobs: number(mobs),
    positions: number(positions),
    lootings: number(lootings),
  });
}

/**
 * Return the message about an answer without a problem's text.
 * @param {number} status
 */
export function refusal(status) {
  if (status === 0) return gettext("The server could not be reached. Check your connection and send again.");
  if (status === 413) return gettext("This is larger than the server takes.");
  return fill(gettext("The server answered with an error (%(status)s). Try again in a few minutes."), { status });
}
