/** What the dots' colours mean, when they stand for levels or reactions. */

import { element } from "../dom.js";
import { gettext, number } from "../words.js";
import { levelColour, reactionColour } from "./colours.js";

const MOST_STEPS = 7;

/**
 * Fill the legend, or hide it where every creature has a colour of its own.
 * @param {HTMLElement} root @param {string} colours @param {[number, number]} levels
 */
export function legend(root, colours, levels) {
  const entries = colours === "level" ? levelEntries(levels) : colours === "reaction" ? reactionEntries() : [];
  root.hidden = entries.length === 0;
  root.replaceChildren(
    ...entries.map(([words, shown]) => {
      const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.setProperty("--swatch", shown);
      return element("li", {}, swatch, words);
    }),
  );
}

/** @param {[number, number]} levels @returns {[string, string][]} */
function levelEntries([low, high]) {
  if (!Number.isFinite(low)) return [];
  const steps = Math.min(MOST_STEPS, high - low + 1);
  const shown = Array.from({ length: steps }, (_, step) =>
    Math.round(low + (step / Math.max(steps - 1, 1)) * (high - low)),
  );
  return [
    ...shown.map((level) => /** @type {[string, string]} */ ([number(level), levelColour(level, [low, high])])),
    ["?", levelColour(null, [low, high])],
  ];
}

/** @returns {[string, string][]} */
function reactionEntries() {
  const words = [gettext("hostile"), gettext("neutral"), gettext("friendly")];
  return [
    ...words.map((word, reaction) => /** @type {[string, string]} */ ([word, reactionColour(reaction)])),
    [gettext("unknown"), reactionColour(null)],
  ];
}
