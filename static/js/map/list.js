/**
 * The list of creatures beside a zone's map: switches, their places, and hover in step with the map. What the map holds
 * beyond the page's list has no entry until it is asked for, but is switched and filtered all the same.
 */

import { element, need } from "../dom.js";
import { fill, gettext, ngettext, plainText } from "../words.js";
import { fits } from "./filter.js";
import { AT_ONCE, placeEntry, unfolding } from "./places.js";

/**
 * @typedef {import("./document.js").Mob} Mob
 * @typedef {import("./document.js").Point} Point
 * @typedef {import("./filter.js").Traits & {id: number, box: HTMLInputElement, fits: boolean, item: HTMLLIElement|null, mob: Mob|null}} Row
 *   `mob` once the map has arrived.
 */

export class List {
  /**
   * @param {HTMLElement} root
   * @param {{page: (id: number) => string, onChange: () => void, onHover: (id: number|null) => void, onPlace: (id: number, point: Point) => void}} options
   */
  constructor(root, { page, onChange, onHover, onPlace }) {
    this.root = root;
    this.page = page;
    this.onChange = onChange;
    this.onPlace = onPlace;
    this.none = need(".mobs-none");
    this.rest = need("#unlisted");
    this.colourOf = (/** @type {number} */ _) => "";
    /** @type {Map<number, Row>} */
    this.rows = new Map();
    for (const item of root.querySelectorAll("li")) this.rows.set(Number(item.dataset.mob), row(item));
    this.status = need("#shown");

    need("button", this.rest).addEventListener("click", () => this.listMore());
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

  /** Ids of all creatures. */
  get ids() {
    return [...this.rows.keys()];
  }

  /** The lowest and the highest level of all, bosses ("??") apart. @returns {[number, number]} */
  get levels() {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { min, max } of this.rows.values()) {
      if (min !== null) least = Math.min(least, min);
      if (max !== null) most = Math.max(most, max);
    }
    return [least, most];
  }

  /**
   * Take what the map draws: give every creature with places a button that lists them. Return whether there are
   * creatures that the page does not list, being too many or newer than it.
   * @param {Mob[]} mobs
   */
  take(mobs) {
    const others = byEvidence(mobs.filter(({ id }) => !this.rows.has(id)));
    for (const mob of others) this.rows.set(mob.id, unlisted(mob));
    for (const mob of mobs) {
      const found = /** @type {Row} */ (this.rows.get(mob.id));
      found.mob = mob;
      this.offerPlaces(found);
    }
    // From here on the other pages of the list follow in this one.
    document.querySelector("#pages")?.remove();
    this.sayRest();
    return others.length > 0;
  }

  /** Whether a creature is switched on and passes the filters. @param {number} id */
  isShown(id) {
    const found = this.rows.get(id);
    return Boolean(found?.box.checked && found.fits);
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
    for (const row of this.rows.values()) if (row.fits) row.box.checked = on;
    this.onChange();
  }

  /** Hide what the filters exclude. @param {import("./filter.js").Wanted} wanted */
  filter(wanted) {
    const prepared = { ...wanted, name: plainText(wanted.name) };
    let fitting = 0;
    for (const entry of this.rows.values()) {
      entry.fits = fits(entry, prepared);
      if (entry.item) entry.item.hidden = !entry.fits;
      if (entry.fits) fitting += 1;
    }
    this.none.hidden = fitting > 0 || this.rows.size === 0;
    this.sayRest();
  }

  /** Those that fit the filters and have no entry, the best known first. */
  get unlisted() {
    return [...this.rows.values()].filter(({ item, fits }) => !item && fits);
  }

  sayRest() {
    const count = this.unlisted.length;
    this.rest.hidden = count === 0;
    need("p", this.rest).textContent = ngettext(
      "%(count)s more creature is on the map, but not in this list.",
      "%(count)s more creatures are on the map, but not in this list.",
      count,
    );
  }

  /** Give some more of them an entry. */
  listMore() {
    const rows = this.unlisted.slice(0, AT_ONCE);
    this.root.append(...rows.map((row) => this.entry(row)));
    this.root.hidden = false;
    for (const row of rows) this.offerPlaces(row);
    this.paint(this.colourOf);
    this.sayRest();
    rows[0]?.box.focus();
  }

  /** The entry that the page's template makes for those it lists. @param {Row} row */
  entry(row) {
    const { id, name, sightings } = /** @type {Mob} */ (row.mob);
    const seen = ngettext("%(count)s sighting", "%(count)s sightings", sightings);
    const facts = element("small", { text: `${gettext("Level")} ${levels(row)} · ${seen}` });
    const title = element("span", { class: "name" }, element("bdi", { text: name }), facts);
    const label = element("label", {}, row.box, element("span", { class: "swatch", "aria-hidden": "true" }), title);
    const details = element(
      "a",
      { href: this.page(id) },
      gettext("Details"),
      element("span", { class: "hidden", text: `: ${name}` }),
    );
    row.item = element("li", { "data-mob": String(id) }, label, details);
    return row.item;
  }

  /** @param {(id: number) => string} colourOf */
  paint(colourOf) {
    this.colourOf = colourOf;
    for (const { id, item } of this.rows.values()) {
      /** @type {HTMLElement|null|undefined} */ (item?.querySelector(".swatch"))?.style.setProperty(
        "--swatch",
        colourOf(id),
      );
    }
  }

  /** @param {Row} row */
  offerPlaces({ item, mob }) {
    if (!item || !mob?.spawns.length) return;
    const words = fill(gettext("Spawn points of %(name)s"), { name: mob.name });
    item
      .querySelector("a")
      ?.before(unfolding(item, words, mob.spawns, (point) => placeEntry(point, () => this.onPlace(mob.id, point))));
  }

  /** Mark the creature under the map's pointer, or none. @param {number|null} id @param {boolean} [scroll] */
  light(id, scroll = false) {
    for (const { item } of this.rows.values()) item?.classList.remove("lit");
    const item = id === null ? undefined : this.rows.get(id)?.item;
    item?.classList.add("lit");
    if (scroll && item && this.root.scrollHeight > this.root.clientHeight) item.scrollIntoView({ block: "nearest" });
  }

  /** Bring the first creature that is switched on into the list's view. */
  reveal() {
    const first = [...this.rows.values()].find(({ item, box }) => item && box.checked);
    if (first?.item) this.root.scrollTop = first.item.offsetTop - this.root.offsetTop;
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
    fits: true,
    mob: null,
    key: plainText(item.querySelector("bdi")?.textContent ?? ""),
    min: whole(min),
    max: whole(max),
    boss: boss !== undefined,
    alliance: whole(alliance),
    horde: whole(horde),
  };
}

/** @param {Mob} mob @returns {Row} */
function unlisted(mob) {
  const { id, name, min, max, boss, react } = mob;
  const box = element("input", { type: "checkbox", checked: true });
  return { id, item: null, box, fits: true, mob, key: plainText(name), min, max, boss, ...react };
}

/** Sort the best known to the front, as the server does (`best_known` in excerpts.py). @param {Mob[]} mobs */
function byEvidence(mobs) {
  const ranked = mobs.map((mob) => ({
    mob,
    confirmed: Number(mob.spawns.some(({ confirmed }) => confirmed)),
    uploaders: mob.spawns.reduce((most, { uploaders }) => Math.max(most, uploaders), 0),
  }));
  ranked.sort((a, b) => b.confirmed - a.confirmed || b.uploaders - a.uploaders || b.mob.sightings - a.mob.sightings);
  return ranked.map(({ mob }) => mob);
}

/** As the server writes them (`levels` in atlas.py). @param {Row} row */
function levels({ min, max, boss }) {
  const known = min !== null && max !== null ? [min === max ? `${min}` : `${min}–${max}`] : [];
  return [...known, ...(boss ? ["??"] : [])].join(", ") || "–";
}

/** @param {string|undefined} text */
const whole = (text) => (text && /^\d+$/.test(text) ? Number(text) : null);
