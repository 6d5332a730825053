/** Texts and numbers in the language of the interface. The catalog comes from Django (messages/<language>.js). */

const language = document.documentElement.lang || "en";

/**
 * @typedef {object} Catalog
 * @property {(text: string) => string} gettext
 * @property {(one: string, many: string, count: number) => string} ngettext
 */

const { django } = /** @type {{django?: Partial<Catalog>}} */ (globalThis);

/** The catalog's functions, or ones that return the English text when it could not be loaded. @type {Catalog} */
const catalog = {
  gettext: django?.gettext ?? ((text) => text),
  ngettext: django?.ngettext ?? ((one, many, count) => (count === 1 ? one : many)),
};

/** @param {string} text */
export const gettext = (text) => catalog.gettext(text);

/**
 * Return the form for `count` with `%(count)s` filled in.
 * @param {string} one @param {string} many @param {number} count
 */
export const ngettext = (one, many, count) => fill(catalog.ngettext(one, many, count), { count: number(count) });

/**
 * Replace each `%(name)s` by its value. The result is text, not markup: use it with `textContent` only.
 * @param {string} text @param {Record<string, string|number>} values
 */
export const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name] ?? ""));

const plain = new Intl.NumberFormat(language);
const oneDecimal = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** @param {number} value */
export const number = (value) => plain.format(value);

/** @param {number} value */
export const decimal = (value) => oneDecimal.format(value);

/** @param {string} iso A day such as `2026-01-31`. */
export function day(iso) {
  const date = new Date(`${iso}T00:00:00Z`);
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(date);
}

/** @param {string} iso A moment such as `2026-01-31T12:00:00+00:00`, shown in the visitor's time zone. */
export function moment(iso) {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "medium" }).format(new Date(iso));
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${number(bytes)} B`;
  if (bytes < 1_000_000) return `${decimal(bytes / 1000)} kB`;
  return `${decimal(bytes / 1_000_000)} MB`;
}

/** Return a text for comparison, without accents and case. @param {string} text */
export const plainText = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
