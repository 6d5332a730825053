/** The colours of dots: one per creature that stays the same from visit to visit, or by level or reaction. */

/** Turning by the golden angle keeps neighbours in the list apart in hue. */
const GOLDEN_ANGLE = 137.508;

/** Lightness and saturation (percent) that hold against light paper; against dark paper all are lighter. */
const TONES = [
  [42, 70],
  [52, 62],
  [36, 55],
];

const LIGHTER_BY = 16;

/**
 * @param {number} place The creature's place in the zone's list.
 * @returns {string}
 */
export function colour(place) {
  const [lightness, saturation] = TONES[Math.floor(place / 18) % TONES.length];
  const shown = isDark() ? lightness + LIGHTER_BY : lightness;
  return `hsl(${Math.round(20 + place * GOLDEN_ANGLE) % 360} ${saturation}% ${shown}%)`;
}

/** Hues (degrees) of the lowest and the highest level: blue over green to red. */
const LOW_HUE = 250;
const HIGH_HUE = 0;

/**
 * @param {number|null} level Null for creatures whose level is not known.
 * @param {[number, number]} range The lowest and the highest level of all that could be shown.
 * @returns {string}
 */
export function levelColour(level, [low, high]) {
  if (level === null) return themed("--ink-soft");
  const share = high > low ? (level - low) / (high - low) : 0;
  const hue = LOW_HUE + Math.min(Math.max(share, 0), 1) * (HIGH_HUE - LOW_HUE);
  return `hsl(${Math.round(hue)} 75% ${isDark() ? 62 : 42}%)`;
}

/** Names of the style sheets' colours by reaction as the API numbers them. */
const REACTIONS = ["--hostile", "--neutral", "--friendly"];

/** @param {number|null} reaction 0 hostile, 1 neutral, 2 friendly. */
export const reactionColour = (reaction) => themed(reaction === null ? "--ink-soft" : REACTIONS[reaction]);

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/**
 * Return the computed value of a colour of the style sheets, light or dark as the page is now.
 * Canvases can't use custom properties themselves.
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
 * Call back whenever light turns into dark or the other way round.
 * @param {() => void} redraw
 */
export function onThemeChange(redraw) {
  document.addEventListener("themechange", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}
