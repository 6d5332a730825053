/** The list of creatures beside a zone's map: switches, their places, and hover in step with the map. */

import { element, need } from "../dom.js";
import { fill, gettext, ngettext, number, plainText } from "../words.js";
import { fits } from "./filter.js";
import { certainty, place } from "./popups.js";

/** A creature's places past this many are left to the map. */
const MOST_PLACES = 200;

/**
 * @typedef {import("./document.js").Point} Point
 * @typedef {import("./filter.js").Traits & {id: number, item: HTMLLIElement, box: HTMLInputElement}} Row
 */

export class List {
  /**
   * @param {HTMLElement} root
   * @param {{onChange: () => void, onHover: (id: number|null) => void, onPlace: (id: number, point: Point) => void}} options
   */
  constructor(root, { onChange, onHover, onPlace }) {
    this.root = root;
    this.onChange = onChange;
    this.onPlace = onPlace;
    this.none = need(".mobs-none");
    /** @type {Map<number, Row>} */
    this.rows = new Map();
    for (const item of root.querySelectorAll("li")) this.rows.set(Number(item.dataset.mob), row(item));
    this.status = need("#shown");

    root.addEventListener("change", onChange);
    root.addEventListener("pointerover", (event) => onHover(this.idAt(event.target)));
    root.addEventListener("pointerleave", () => onHover(null));
    root.addEventListener("focusin", (event) => onHover(this.idAt(event.target)));
    root.addEventListener("focusout", () => onHover(null));
  }

  /** @param {EventTarget|null} target */
  idAt(target) {
    const item = /** @type {HTMLElement|null} */ (/** @type {HTMLElement|null} */ (target)?.closest("[data-mob]"));
    return item ? Number(item.dataset.mob) : null;
  }

  /** Ids of all creatures, in the list's order. */
  get ids() {
    return [...this.rows.keys()];
  }

  /** The lowest and the highest level in the list, bosses ("??") apart. @returns {[number, number]} */
  get levels() {
    const known = [...this.rows.values()].flatMap(({ min, max }) => [min, max]).filter((level) => level !== null);
    return [Math.min(...known), Math.max(...known)];
  }

  /** Whether a creature is switched on and passes the filters. @param {number} id */
  isShown(id) {
    const found = this.rows.get(id);
    return found !== undefined && found.box.checked && !found.item.hidden;
  }

  /** Creatures that are switched on, whatever the filters say. @returns {"all"|Set<number>} */
  get shown() {
    const on = [...this.rows.values()].filter(({ box }) => box.checked).map(({ id }) => id);
    return on.length === this.rows.size ? "all" : new Set(on);
  }

  /** @param {"all"|Set<number>} wanted */
  set shown(wanted) {
    for (const { id, box } of this.rows.values()) box.checked = wanted === "all" || wanted.has(id);
  }

  /** Switch on or off all creatures that the filters let through. @param {boolean} on */
  switchAll(on) {
    for (const { item, box } of this.rows.values()) if (!item.hidden) box.checked = on;
    this.onChange();
  }

  /** Hide what the filters exclude. @param {import("./filter.js").Wanted} wanted */
  filter(wanted) {
    const prepared = { ...wanted, name: plainText(wanted.name) };
    let visible = 0;
    for (const entry of this.rows.values()) {
      entry.item.hidden = !fits(entry, prepared);
      if (!entry.item.hidden) visible += 1;
    }
    this.none.hidden = visible > 0 || this.rows.size === 0;
  }

  /** @param {(id: number) => string} colourOf */
  paint(colourOf) {
    for (const { id, item } of this.rows.values()) {
      /** @type {HTMLElement|null} */ (item.querySelector(".swatch"))?.style.setProperty("--swatch", colourOf(id));
    }
  }

  /** Give every creature with places a button that lists them. @param {import("./document.js").Mob[]} mobs */
  offerPlaces(mobs) {
    for (const mob of mobs) {
      const found = this.rows.get(mob.id);
      if (found && mob.spawns.length) found.item.querySelector("a")?.before(this.placesButton(found.item, mob));
    }
  }

  /** @param {HTMLLIElement} item @param {import("./document.js").Mob} mob */
  placesButton(item, mob) {
    const words = fill(gettext("Spawn points of %(name)s"), { name: mob.name });
    const button = element("button", { type: "button", class: "unfold", "aria-expanded": "false", "aria-label": words, title: words });
    button.textContent = number(mob.spawns.length);
    /** @type {HTMLElement|undefined} */
    let places;
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", String(open));
      if (!places) item.append((places = this.placesOf(mob, words)));
      places.hidden = !open;
    });
    return button;
  }

  /** @param {import("./document.js").Mob} mob @param {string} words */
  placesOf(mob, words) {
    const entries = mob.spawns.slice(0, MOST_PLACES).map((point) => {
      const seen = ngettext("%(count)s sighting", "%(count)s sightings", point.sightings);
      const button = element("button", { type: "button", title: certainty(point) }, place(point.x, point.y));
      button.append(element("small", { class: "soft", text: `${point.confirmed ? "●" : "○"} ${seen}` }));
      button.addEventListener("click", () => this.onPlace(mob.id, point));
      return element("li", {}, button);
    });
    const left = mob.spawns.length - entries.length;
    if (left > 0) entries.push(element("li", { class: "soft", text: ngettext("and %(count)s more on the map", "and %(count)s more on the map", left) }));
    return element("ol", { class: "spawn-places", "aria-label": words }, ...entries);
  }

  /** Mark the creature under the map's pointer, or none. @param {number|null} id @param {boolean} [scroll] */
  light(id, scroll = false) {
    for (const { item } of this.rows.values()) item.classList.remove("lit");
    const item = id === null ? undefined : this.rows.get(id)?.item;
    item?.classList.add("lit");
    if (scroll && item && this.root.scrollHeight > this.root.clientHeight) item.scrollIntoView({ block: "nearest" });
  }

  /** Bring the first creature that is switched on into the list's view. */
  reveal() {
    const first = [...this.rows.values()].find(({ box }) => box.checked);
    if (first) this.root.scrollTop = first.item.offsetTop - this.root.offsetTop;
  }

  /** Say how much is drawn. @param {number} points */
  say(points) {
    this.status.textContent = ngettext("%(count)s spawn point shown", "%(count)s spawn points shown", points);
  }
}

/** @param {HTMLLIElement} item @returns {Row} */
function row(item) {
  const box = /** @type {HTMLInputElement} */ (item.querySelector("input"));
  const { mob, min, max, boss, alliance, horde } = item.dataset;
  return {
    id: Number(mob),
    item,
    box,
    key: plainText(item.querySelector("bdi")?.textContent ?? ""),
    min: whole(min),
    max: whole(max),
    boss: boss !== undefined,
    alliance: whole(alliance),
    horde: whole(horde),
  };
}

/** @param {string|undefined} text */
const whole = (text) => (text && /^\d+$/.test(text) ? Number(text) : null);
