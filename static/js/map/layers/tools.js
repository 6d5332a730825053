/** Buttons in the map's corner, below those for zooming. */

import { element } from "../../dom.js";
import { gettext } from "../../i18n.js";

/** Each map's bar of buttons. @type {WeakMap<L.Map, HTMLElement>} */
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
 * @param {L.Map} map @param {string} name Its CSS class, which draws its icon. @param {string} label @param {() => void} onClick
 */
export function toolButton(map, name, label, onClick) {
  const button = element("button", { type: "button", class: name, title: label, "aria-label": label });
  button.addEventListener("click", onClick);
  barOf(map).append(button);
  return button;
}

/**
 * Add a button for full screen, where the browser allows it.
 * @param {L.Map} map @param {HTMLElement} shown The element to show.
 */
export function fullScreen(map, shown) {
  if (!document.fullscreenEnabled) return;
  const button = toolButton(map, "full-screen", gettext("Full screen"), () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else shown.requestFullscreen().catch(() => button.remove());
  });
  button.setAttribute("aria-pressed", "false");
  document.addEventListener("fullscreenchange", () => {
    button.setAttribute("aria-pressed", String(document.fullscreenElement !== null));
  });
}
