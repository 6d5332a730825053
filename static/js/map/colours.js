/** A colour per creature that stays the same from visit to visit. */

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
