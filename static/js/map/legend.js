/** Legend of the dots' colors, when these mean levels or reactions. */

import { element } from "../dom.js";
import { gettext, number } from "../i18n.js";
import { levelColor, reactionColor } from "./colors.js";

const MAX_STEPS = 7;

/**
 * Fill the legend, or hide it where every creature has a color of its own.
 * @param {HTMLElement} root @param {string} colors @param {[number, number]} levels
 */
export function legend(root, colors, levels) {
  const colorMeanings = colors === "level" ? levelColors(levels) : colors === "reaction" ? reactionColors() : [];
  root.hidden = colorMeanings.length === 0;
  root.replaceChildren(
    ...colorMeanings.map(([text, color]) => {
      const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.setProperty("--swatch", color);
      return element("li", {}, swatch, text);
    }),
  );
}

/** @param {[number, number]} levels @returns {[string, string][]} */
function levelColors([low, high]) {
  if (!Number.isFinite(low)) return [];
  const steps = Math.min(MAX_STEPS, high - low + 1);
  const shown = Array.from({ length: steps }, (_, step) =>
    Math.round(low + (step / Math.max(steps - 1, 1)) * (high - low)),
  );
  return [
    ...shown.map((level) => /** @type {[string, string]} */ ([number(level), levelColor(level, [low, high])])),
    ["?", levelColor(null, [low, high])],
  ];
}

/** @returns {[string, string][]} */
function reactionColors() {
  const words = [gettext("hostile"), gettext("neutral"), gettext("friendly")];
  return [
    ...words.map((word, reaction) => /** @type {[string, string]} */ ([word, reactionColor(reaction)])),
    [gettext("unknown"), reactionColor(null)],
  ];
}
