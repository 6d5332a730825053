/** Lists of points for keyboards and screen readers: a button unfolds a list, and long lists grow on request. */

import { element } from "../dom.js";
import { fill, gettext, ngettext, number } from "../i18n.js";
import { certainty, coordinates } from "./popups.js";

/** Entries shown at once; thousands would make the page slow. */
export const PAGE_SIZE = 200;

/**
 * Return a button that unfolds a list of points at the end of `item`.
 * @template T
 * @param {HTMLLIElement} item @param {string} label What the list holds.
 * @param {T[]} points @param {(point: T) => HTMLLIElement} makeItem
 */
export function unfoldButton(item, label, points, makeItem) {
  const button = element("button", {
    type: "button",
    class: "unfold",
    "aria-expanded": "false",
    "aria-label": label,
    title: label,
  });
  button.textContent = number(points.length);
  /** @type {HTMLOListElement|undefined} */
  let list;
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    if (!list) {
      list = element("ol", { class: "point-list", "aria-label": label });
      fillList(list, points, makeItem);
      item.append(list);
    }
    list.hidden = !open;
  });
  return button;
}

/**
 * Return the list item of a point: a button that goes to it on the map.
 * @param {{x: number, y: number, sightings: number, uploaders: number, confirmed: boolean}} point
 * @param {() => void} onChoose
 */
export function pointItem(point, onChoose) {
  const seen = ngettext("%(count)s sighting", "%(count)s sightings", point.sightings);
  const button = element("button", { type: "button", title: certainty(point) }, coordinates(point.x, point.y));
  button.append(element("small", { class: "soft", text: `${point.confirmed ? "●" : "○"} ${seen}` }));
  button.addEventListener("click", onChoose);
  return element("li", {}, button);
}

/**
 * Fill a list with its first items, and a button that adds the next ones while there are any.
 * @template T
 * @param {HTMLElement} list @param {T[]} all @param {(one: T) => HTMLLIElement} makeItem
 */
export function fillList(list, all, makeItem) {
  let shown = 0;
  const button = element("button", { type: "button" });
  const last = element("li", { class: "more" }, button);
  const more = () => {
    const items = all.slice(shown, shown + PAGE_SIZE).map(makeItem);
    shown += items.length;
    last.remove();
    list.append(...items);
    const left = all.length - shown;
    button.textContent = fill(gettext("Show more (%(count)s left)"), { count: number(left) });
    if (left > 0) list.append(last);
    return items[0];
  };
  button.addEventListener("click", () => more().querySelector("button")?.focus());
  more();
}
