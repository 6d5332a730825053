/**
 * The list of creatures beside a zone's map, with a switch and a list of spawn points for each. Creatures of the map that
 * the page does not list get a list item on request only, but are switched and filtered like the others.
 */

import { element, need } from "../dom.js";
import { fill, gettext, ngettext, plainText } from "../i18n.js";
import { fits } from "./filter.js";
import { PAGE_SIZE, pointItem, unfoldButton } from "./point_list.js";

/**
 * @typedef {import("./published.js").Mob} Mob
 * @typedef {import("./published.js").Point} Point
 * @typedef {import("./filter.js").Traits & {id: number, box: HTMLInputElement, fits: boolean, item: HTMLLIElement|null, mob: Mob|null}} Row
 *   `item` is null without a list item, `mob` until the map has arrived.
 */

export class CreatureList {
  /**
   * @param {HTMLElement} root
   * @param {{page: (id: number) => string, onChange: () => void, onHover: (id: number|null) => void, onPoint: (id: number, point: Point) => void}} options
   */
  constructor(root, { page, onChange, onHover, onPoint }) {
    this.root = root;
    this.page = page;
    this.onChange = onChange;
    this.onPoint = onPoint;
    this.noneFits = need(".mobs-none");
    this.more = need("#unlisted");
    this.colorOf = (/** @type {number} */ _) => "";
    /** @type {Map<number, Row>} */
    this.rows = new Map();
    for (const item of root.querySelectorAll("li")) this.rows.set(Number(item.dataset.mob), row(item));
    this.status = need("#shown");

    need("button", this.more).addEventListener("click", () => this.listMore());
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

  /** The lowest and the highest level, without bosses ("??"). @returns {[number, number]} */
  get levels() {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { min, max } of this.rows.values()) {
      if (min !== null) least = Math.min(least, min);
      if (max !== null) most = Math.max(most, max);
    }
    return [least, most];
  }

  /**
   * Add the creatures of the map. Return whether the page does not list some of them, because they are too many or
   * newer than the page.
   * @param {Mob[]} mobs
   */
  addMobs(mobs) {
    const others = bestKnownFirst(mobs.filter(({ id }) => !this.rows.has(id)));
    for (const mob of others) this.rows.set(mob.id, unlisted(mob));
    for (const mob of mobs) {
      const found = /** @type {Row} */ (this.rows.get(mob.id));
      found.mob = mob;
      this.offerPoints(found);
    }
    // The list now grows on request, so links to its other pages are not needed.
    document.querySelector("#pages")?.remove();
    this.showUnlisted();
    return others.length > 0;
  }

  /** Whether a creature is switched on and passes the filters. @param {number} id */
  isShown(id) {
    const found = this.rows.get(id);
    return Boolean(found?.box.checked && found.fits);
  }

  /** Creatures that are switched on, with or without passing the filters. @returns {"all"|Set<number>} */
  get shown() {
    const on = [...this.rows.values()].filter(({ box }) => box.checked).map(({ id }) => id);
    return on.length === this.rows.size ? "all" : new Set(on);
  }

  /** @param {"all"|Set<number>} wanted */
  set shown(wanted) {
    for (const { id, box } of this.rows.values()) box.checked = wanted === "all" || wanted.has(id);
  }

  /** Switch all creatures that pass the filters. @param {boolean} on */
  switchAll(on) {
    for (const row of this.rows.values()) if (row.fits) row.box.checked = on;
    this.onChange();
  }

  /** Hide creatures that do not pass the filters. @param {import("./filter.js").Wanted} wanted */
  filter(wanted) {
    const prepared = { ...wanted, name: plainText(wanted.name) };
    let fitting = 0;
    for (const row of this.rows.values()) {
      row.fits = fits(row, prepared);
      if (row.item) row.item.hidden = !row.fits;
      if (row.fits) fitting += 1;
    }
    this.noneFits.hidden = fitting > 0 || this.rows.size === 0;
    this.showUnlisted();
  }

  /** Creatures that pass the filters and have no list item, the best known first. */
  get unlisted() {
    return [...this.rows.values()].filter(({ item, fits }) => !item && fits);
  }

  showUnlisted() {
    const count = this.unlisted.length;
    this.more.hidden = count === 0;
    need("p", this.more).textContent = ngettext(
      "%(count)s more creature is on the map, but not in this list.",
      "%(count)s more creatures are on the map, but not in this list.",
      count,
    );
  }

  /** Add list items of some more creatures. */
  listMore() {
    const rows = this.unlisted.slice(0, PAGE_SIZE);
    this.root.append(...rows.map((row) => this.makeItem(row)));
    this.root.hidden = false;
    for (const row of rows) this.offerPoints(row);
    this.paint(this.colorOf);
    this.showUnlisted();
    rows[0]?.box.focus();
  }

  /** Return a list item like those of the page's template. @param {Row} row */
  makeItem(row) {
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

  /** @param {(id: number) => string} colorOf */
  paint(colorOf) {
    this.colorOf = colorOf;
    for (const { id, item } of this.rows.values()) {
      /** @type {HTMLElement|null|undefined} */ (item?.querySelector(".swatch"))?.style.setProperty(
        "--swatch",
        colorOf(id),
      );
    }
  }

  /** @param {Row} row */
  offerPoints({ item, mob }) {
    if (!item || !mob?.spawns.length) return;
    const label = fill(gettext("Spawn points of %(name)s"), { name: mob.name });
    item
      .querySelector("a")
      ?.before(unfoldButton(item, label, mob.spawns, (point) => pointItem(point, () => this.onPoint(mob.id, point))));
  }

  /** Highlight the creature under the map's pointer, or none. @param {number|null} id @param {boolean} [scroll] */
  highlight(id, scroll = false) {
    for (const { item } of this.rows.values()) item?.classList.remove("highlighted");
    const item = id === null ? undefined : this.rows.get(id)?.item;
    item?.classList.add("highlighted");
    if (scroll && item && this.root.scrollHeight > this.root.clientHeight) item.scrollIntoView({ block: "nearest" });
  }

  /** Scroll to the first creature that is switched on. */
  scrollToFirst() {
    const first = [...this.rows.values()].find(({ item, box }) => item && box.checked);
    if (first?.item) this.root.scrollTop = first.item.offsetTop - this.root.offsetTop;
  }

  /** Show the number of spawn points drawn. @param {number} points */
  showCount(points) {
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

/** Return creatures sorted like the server's list, the best known first. @param {Mob[]} mobs */
function bestKnownFirst(mobs) {
  const ranked = mobs.map((mob) => ({
    mob,
    confirmed: Number(mob.spawns.some(({ confirmed }) => confirmed)),
    uploaders: mob.spawns.reduce((most, { uploaders }) => Math.max(most, uploaders), 0),
  }));
  ranked.sort((a, b) => b.confirmed - a.confirmed || b.uploaders - a.uploaders || b.mob.sightings - a.mob.sightings);
  return ranked.map(({ mob }) => mob);
}

/** Return levels as the server's templates show them. @param {Row} row */
function levels({ min, max, boss }) {
  const known = min !== null && max !== null ? [min === max ? `${min}` : `${min}–${max}`] : [];
  return [...known, ...(boss ? ["??"] : [])].join(", ") || "–";
}

/** @param {string|undefined} text */
const whole = (text) => (text && /^\d+$/.test(text) ? Number(text) : null);
