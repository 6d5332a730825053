/** The buttons at the map's corner beside zooming. */

import { element } from "../../dom.js";
import { gettext } from "../../words.js";

/** The bar of each map. @type {WeakMap<L.Map, HTMLElement>} */
const bars = new WeakMap();

/** @param {L.Map} map */
function barOf(map) {
  const known = bars.get(map);
  if (known) return known;
  const bar = element("div", { class: "leaflet-bar", role: "group", "aria-label": gettext("Tools") });
  L.DomEvent.disableClickPropagation(bar);
  const Tools = L.Control.extend({ onAdd: () => bar });
  new Tools({ position: "topleft" }).addTo(map);
  bars.set(map, bar);
  return bar;
}

/**
 * Add a button to the map's tools and return it.
 * @param {L.Map} map @param {string} name Its class, which draws its sign. @param {string} words @param {() => void} onClick
 */
export function toolButton(map, name, words, onClick) {
  const button = element("button", { type: "button", class: name, title: words, "aria-label": words });
  button.addEventListener("click", onClick);
  barOf(map).append(button);
  return button;
}

/**
 * A button that gives the map and what belongs to it the whole screen, where the browser lets pages do so.
 * @param {L.Map} map @param {HTMLElement} what
 */
export function fullScreen(map, what) {
  if (!document.fullscreenEnabled) return;
  const button = toolButton(map, "full-screen", gettext("Full screen"), () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else what.requestFullscreen().catch(() => button.remove());
  });
  button.setAttribute("aria-pressed", "false");
  document.addEventListener("fullscreenchange", () => {
    button.setAttribute("aria-pressed", String(document.fullscreenElement !== null));
  });
}
