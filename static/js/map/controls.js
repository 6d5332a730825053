/** The form beside the map as one value: what is to be shown, and how. */

import { REACTIONS } from "./filter.js";

/**
 * @typedef {object} Choices
 * @property {string} name @property {number|null} low @property {number|null} high
 * @property {boolean} confirmed
 * @property {number|null} floor Null where there is no choice.
 * @property {"alliance"|"horde"|""} side @property {Set<string>} reactions
 * @property {string} since A day such as `2026-01-31`, or nothing.
 * @property {string} colours `creature`, `level` or `reaction`.
 * @property {Set<string>} layers @property {Set<string>} gathering
 */

export class Controls {
  /** @param {HTMLFormElement} form @param {() => void} onChange */
  constructor(form, onChange) {
    this.form = form;
    /** What the map shows until something else is chosen. */
    this.usualLayers = this.boxes("layer")
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
      colours: this.value("colours") || "creature",
      layers: this.checked("layer"),
      gathering: this.checked("gathering"),
    };
  }

  /** @param {Partial<Choices>} choices What is left out, and what the form does not offer, becomes the usual. */
  set choices({ name = "", low = null, high = null, confirmed = false, floor = null, side = "", since = "", ...more }) {
    this.fill("name", name);
    this.fill("low", low === null ? "" : String(low));
    this.fill("high", high === null ? "" : String(high));
    this.fill("floor", String(floor ?? ""));
    this.fill("side", side);
    this.fill("since", since);
    this.fill("colours", more.colours ?? "creature");
    this.check("confirmed", new Set(confirmed ? ["1"] : []));
    this.check("reaction", more.reactions ?? new Set(REACTIONS));
    this.check("layer", more.layers ?? new Set(this.usualLayers));
    this.check("gathering", more.gathering ?? new Set());
  }

  /** Whether something is chosen that hides creatures and may stand in a closed part of the form. */
  get isNarrowed() {
    const { low, high, confirmed, side, reactions, since } = this.choices;
    return (
      low !== null || high !== null || confirmed || side !== "" || since !== "" || reactions.size < REACTIONS.length
    );
  }

  /** @param {string} name */
  value(name) {
    return /** @type {HTMLInputElement|null} */ (this.form.elements.namedItem(name))?.value ?? "";
  }

  /** @param {string} name @param {string} value Of a choice that lacks it, its first is taken. */
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
