/** The list of creatures beside a zone's map: switches, filters, and hover in step with the map. */

import { need } from "../dom.js";
import { ngettext } from "../words.js";

/** Names are compared without accents and case. @param {string} text */
const key = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * @typedef {object} Row
 * @property {number} id @property {HTMLLIElement} item @property {HTMLInputElement} box @property {string} key
 * @property {number|null} min @property {number|null} max @property {boolean} boss
 */

export class List {
  /**
   * @param {HTMLElement} root @param {HTMLFormElement} form
   * @param {{onChange: () => void, onHover: (id: number|null) => void}} options
   */
  constructor(root, form, { onChange, onHover }) {
    this.root = root;
    this.form = form;
    this.onChange = onChange;
    this.none = need(".mobs-none");
    /** @type {Map<number, Row>} */
    this.rows = new Map();
    for (const item of root.querySelectorAll("li")) this.rows.set(Number(item.dataset.mob), row(item));
    this.status = need("#shown");

    root.addEventListener("change", onChange);
    form.addEventListener("input", () => this.filter());
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const button of form.querySelectorAll("[data-all]")) {
      button.addEventListener("click", () => this.switchAll(button.getAttribute("data-all") === "on"));
    }
    root.addEventListener("pointerover", (event) => onHover(this.idAt(event.target)));
    root.addEventListener("pointerleave", () => onHover(null));
    root.addEventListener("focusin", (event) => onHover(this.idAt(event.target)));
    root.addEventListener("focusout", () => onHover(null));
  }

  /** @param {EventTarget|null} target */
  idAt(target) {
    const item = /** @type {HTMLElement|null} */ (target)?.closest("li");
    return item ? Number(item.dataset.mob) : null;
  }

  /** Ids of all creatures, in the list's order. */
  get ids() {
    return [...this.rows.keys()];
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

  /** @param {string} name */
  field(name) {
    return /** @type {HTMLInputElement|null} */ (this.form.elements.namedItem(name));
  }

  /** Switch on or off all creatures that the filters let through. @param {boolean} on */
  switchAll(on) {
    for (const { item, box } of this.rows.values()) if (!item.hidden) box.checked = on;
    this.onChange();
  }

  /** Hide what the filters exclude. */
  filter() {
    const wanted = key(this.field("name")?.value.trim() ?? "");
    const low = level(this.field("low")?.value);
    const high = level(this.field("high")?.value);
    let visible = 0;
    for (const entry of this.rows.values()) {
      const fits = entry.key.includes(wanted) && fitsLevel(entry, low, high);
      entry.item.hidden = !fits;
      if (fits) visible += 1;
    }
    this.none.hidden = visible > 0 || this.rows.size === 0;
    this.onChange();
  }

  /** @param {(id: number) => string} colourOf */
  paint(colourOf) {
    for (const { id, item } of this.rows.values()) {
      /** @type {HTMLElement|null} */ (item.querySelector(".swatch"))?.style.setProperty("--swatch", colourOf(id));
    }
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
  const name = item.querySelector("bdi")?.textContent ?? "";
  const { mob, min, max, boss } = item.dataset;
  return { id: Number(mob), item, box, key: key(name), min: level(min), max: level(max), boss: boss !== undefined };
}

/** @param {string|undefined} text */
const level = (text) => (text && /^\d+$/.test(text) ? Number(text) : null);

/**
 * Bosses ("??") without a known level pass every lower bound and no upper one.
 * @param {Row} entry @param {number|null} low @param {number|null} high
 */
function fitsLevel(entry, low, high) {
  const lowest = entry.min ?? (entry.boss ? Number.POSITIVE_INFINITY : null);
  const highest = entry.boss ? Number.POSITIVE_INFINITY : entry.max;
  if (low !== null && (highest === null || highest < low)) return false;
  return high === null || (lowest !== null && lowest <= high);
}
