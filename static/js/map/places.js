/** Lists of places that keyboards and screen readers reach: unfolded by a button, and long ones by and by. */

import { element } from "../dom.js";
import { fill, gettext, ngettext, number } from "../words.js";
import { certainty, place } from "./popups.js";

/** Past this many entries a list shows more when asked to: thousands at once would make the page slow. */
export const AT_ONCE = 200;

/**
 * Make the button that unfolds places within their entry.
 * @template T
 * @param {HTMLLIElement} item @param {string} words What the list holds.
 * @param {T[]} places @param {(place: T) => HTMLLIElement} entry
 */
export function unfolding(item, words, places, entry) {
  const button = element("button", {
    type: "button",
    class: "unfold",
    "aria-expanded": "false",
    "aria-label": words,
    title: words,
  });
  button.textContent = number(places.length);
  /** @type {HTMLOListElement|undefined} */
  let list;
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    if (!list) {
      list = element("ol", { class: "spawn-places", "aria-label": words });
      fillList(list, places, entry);
      item.append(list);
    }
    list.hidden = !open;
  });
  return button;
}

/**
 * The entry of a place, which leads to it.
 * @param {{x: number, y: number, sightings: number, uploaders: number, confirmed: boolean}} point @param {() => void} onChoose
 */
export function placeEntry(point, onChoose) {
  const seen = ngettext("%(count)s sighting", "%(count)s sightings", point.sightings);
  const button = element("button", { type: "button", title: certainty(point) }, place(point.x, point.y));
  button.append(element("small", { class: "soft", text: `${point.confirmed ? "●" : "○"} ${seen}` }));
  button.addEventListener("click", onChoose);
  return element("li", {}, button);
}

/**
 * Fill a list with its first entries, and a button for the following ones while there are any.
 * @template T
 * @param {HTMLElement} list @param {T[]} all @param {(one: T) => HTMLLIElement} entry
 */
export function fillList(list, all, entry) {
  let shown = 0;
  const button = element("button", { type: "button" });
  const last = element("li", { class: "more" }, button);
  const more = () => {
    const entries = all.slice(shown, shown + AT_ONCE).map(entry);
    shown += entries.length;
    last.remove();
    list.append(...entries);
    const left = all.length - shown;
    button.textContent = fill(gettext("Show more (%(count)s left)"), { count: number(left) });
    if (left > 0) list.append(last);
    return entries[0];
  };
  button.addEventListener("click", () => more().querySelector("button")?.focus());
  more();
}
