/** The form beside the map as one value: what is shown, and how. */

import { REACTIONS } from "./filter.js";

/**
 * @typedef {object} Choices
 * @property {string} name @property {number|null} low @property {number|null} high
 * @property {boolean} confirmed
 * @property {number|null} floor Null in zones without several floors.
 * @property {"alliance"|"horde"|""} side @property {Set<string>} reactions
 * @property {string} since A day such as `2026-01-31`, or an empty string.
 * @property {string} colors `creature`, `level` or `reaction`.
 * @property {Set<string>} layers @property {Set<string>} gathering
 */

export class Controls {
  /** @param {HTMLFormElement} form @param {() => void} onChange */
  constructor(form, onChange) {
    this.form = form;
    /** Layers that are shown until others are chosen. */
    this.defaultLayers = this.boxes("layer")
      .filter((box) => box.defaultChecked)
      .map((box) => box.value);
    form.addEventListener("input", onChange);
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  /** @returns {Choices} */
  get choices() {
    return {
      name: this.value("name"),
      low: whole(this.value("low")),
      high: whole(this.value("high")),
      confirmed: this.checked("confirmed").size > 0,
      floor: whole(this.value("floor")),
      side: /** @type {Choices["side"]} */ (this.value("side")),
      reactions: this.checked("reaction"),
      since: this.value("since"),
      colors: this.value("colors") || "creature",
      layers: this.checked("layer"),
      gathering: this.checked("gathering"),
    };
  }

  /** @param {Partial<Choices>} choices Choices that are missing, or not in the form, become the default. */
  set choices({ name = "", low = null, high = null, confirmed = false, floor = null, side = "", since = "", ...more }) {
    this.fill("name", name);
    this.fill("low", low === null ? "" : String(low));
    this.fill("high", high === null ? "" : String(high));
    this.fill("floor", String(floor ?? ""));
    this.fill("side", side);
    this.fill("since", since);
    this.fill("colors", more.colors ?? "creature");
    this.check("confirmed", new Set(confirmed ? ["1"] : []));
    this.check("reaction", more.reactions ?? new Set(REACTIONS));
    this.check("layer", more.layers ?? new Set(this.defaultLayers));
    this.check("gathering", more.gathering ?? new Set());
  }

  /** Whether a filter in the form's folded part hides creatures. */
  get hasFoldedFilters() {
    const { low, high, confirmed, side, reactions, since } = this.choices;
    return (
      low !== null || high !== null || confirmed || side !== "" || since !== "" || reactions.size < REACTIONS.length
    );
  }

  /** @param {string} name */
  value(name) {
    return /** @type {HTMLInputElement|null} */ (this.form.elements.namedItem(name))?.value ?? "";
  }

  /** @param {string} name @param {string} value A `select` without this option gets its first one. */
  fill(name, value) {
    const field = /** @type {HTMLInputElement|HTMLSelectElement|null} */ (this.form.elements.namedItem(name));
    if (!field) return;
    field.value = value;
    if (field instanceof HTMLSelectElement && field.selectedIndex < 0) field.selectedIndex = 0;
  }

  /** @param {string} name @returns {HTMLInputElement[]} */
  boxes(name) {
    const found = this.form.querySelectorAll(`input[name="${name}"]`);
    return [...found].filter((box) => box instanceof HTMLInputElement);
  }

  /** @param {string} name */
  checked(name) {
    return new Set(
      this.boxes(name)
        .filter((box) => box.checked)
        .map((box) => box.value),
    );
  }

  /** @param {string} name @param {Set<string>} values */
  check(name, values) {
    for (const box of this.boxes(name)) box.checked = values.has(box.value);
  }
}

/** @param {string} text */
const whole = (text) => (/^\d{1,5}$/.test(text) ? Number(text) : null);
