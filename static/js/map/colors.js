/** Colors of dots: one per creature, the same at each visit, or by level or reaction. */

/** Hues that differ by the golden angle (degrees) are distinct for neighbors in the list. */
const GOLDEN_ANGLE = 137.508;

/** Lightness and saturation (percent) with enough contrast on a light background; on a dark one all are lighter. */
const TONES = [
  [42, 70],
  [52, 62],
  [36, 55],
];

const LIGHTER_BY = 16;

/**
 * Return a creature's own color.
 * @param {number} rank The creature's index in the zone's list.
 * @returns {string}
 */
export function color(rank) {
  const [lightness, saturation] = TONES[Math.floor(rank / 18) % TONES.length];
  const shown = isDark() ? lightness + LIGHTER_BY : lightness;
  return `hsl(${Math.round(20 + rank * GOLDEN_ANGLE) % 360} ${saturation}% ${shown}%)`;
}

/** Hues (degrees) of the lowest and the highest level: from blue through green to red. */
const LOW_HUE = 250;
const HIGH_HUE = 0;

/**
 * Return the color of a level.
 * @param {number|null} level Null for unknown levels.
 * @param {[number, number]} range The lowest and the highest level in the zone.
 * @returns {string}
 */
export function levelColor(level, [low, high]) {
  if (level === null) return themed("--text-soft");
  const share = high > low ? (level - low) / (high - low) : 0;
  const hue = LOW_HUE + Math.min(Math.max(share, 0), 1) * (HIGH_HUE - LOW_HUE);
  return `hsl(${Math.round(hue)} 75% ${isDark() ? 62 : 42}%)`;
}

/** CSS custom properties of reactions, in the API's numbering. */
const REACTIONS = ["--hostile", "--neutral", "--friendly"];

/** Return the color of a reaction. @param {number|null} reaction 0 hostile, 1 neutral, 2 friendly. */
export const reactionColor = (reaction) => themed(reaction === null ? "--text-soft" : REACTIONS[reaction]);

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/**
 * Return the computed value of a CSS color property in the page's present theme, as canvases cannot use properties.
 * @param {string} property For example `--line`.
 */
export function themed(property) {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  probe.hidden = true;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

/**
 * Call back whenever the page switches between light and dark.
 * @param {() => void} redraw
 */
export function onThemeChange(redraw) {
  document.addEventListener("themechange", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}
