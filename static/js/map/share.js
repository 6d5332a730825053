/** Shares the map's view: as a link, a frame for other pages, or a file. */

import { need } from "../dom.js";
import { gettext } from "../i18n.js";
import { csv, geojson } from "./download.js";

/** How long a file's URL stays valid: browsers fetch it soon after the click, not during it. */
const URL_LIFETIME_MS = 10_000;

/** @type {Record<string, {make: (dots: import("./download.js").Dot[]) => string, type: string}>} */
const FILES = {
  geojson: { make: geojson, type: "application/geo+json" },
  csv: { make: csv, type: "text/csv;charset=utf-8" },
};

/**
 * Connect the menu for sharing. `dots` returns what is drawn.
 * @param {HTMLElement} root @param {{dots: () => import("./download.js").Dot[]}} options
 */
export function share(root, { dots }) {
  const status = need("#share-status", root);
  root.addEventListener("toggle", () => updateLinks(root));
  root.addEventListener("click", async (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (!button) return;
    const { copy, download: kind } = button.dataset;
    if (copy) status.textContent = await copied(/** @type {HTMLInputElement} */ (need(`#${copy}`, root)));
    if (kind) save(`${root.dataset.name}.${kind}`, FILES[kind], dots());
  });
}

/** Update link and frame; the page calls this whenever the view has changed. @param {HTMLElement} root */
export function updateLinks(root) {
  const { address, embed, name = "" } = root.dataset;
  /** @type {HTMLInputElement} */ (need("#share-link", root)).value = `${address}${location.hash}`;
  const frame = document.createElement("iframe");
  frame.src = `${embed}${location.hash}`;
  frame.title = name;
  frame.width = "800";
  frame.height = "600";
  frame.loading = "lazy";
  // The browser writes the markup and escapes the name in it.
  /** @type {HTMLTextAreaElement} */ (need("#share-embed", root)).value = frame.outerHTML;
}

/** @param {HTMLInputElement} field @returns {Promise<string>} A message about the result. */
async function copied(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return gettext("Copied");
  } catch {
    // Without HTTPS, or forbidden: the field is selected, so the keys for copying work.
    return gettext("Press Ctrl+C to copy what is selected");
  }
}

/** @param {string} name @param {typeof FILES[string]} file @param {import("./download.js").Dot[]} dots */
function save(name, { make, type }, dots) {
  const url = URL.createObjectURL(new Blob([make(dots)], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
}
