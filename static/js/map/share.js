/** Handing on what is seen: a link, a frame for other pages, a file. */

import { need } from "../dom.js";
import { gettext } from "../words.js";
import { csv, geojson } from "./download.js";

/** How long a file's address stays good: browsers fetch it at once, but not within the click. */
const KEPT_MS = 10_000;

/** @type {Record<string, {make: (dots: import("./download.js").Dot[]) => string, type: string}>} */
const FILES = {
  geojson: { make: geojson, type: "application/geo+json" },
  csv: { make: csv, type: "text/csv;charset=utf-8" },
};

/**
 * @param {HTMLElement} root @param {{dots: () => import("./download.js").Dot[]}} options
 */
export function share(root, { dots }) {
  const said = need("#share-said", root);
  root.addEventListener("toggle", () => tellView(root));
  root.addEventListener("click", async (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (!button) return;
    const { copy, download: kind } = button.dataset;
    if (copy) said.textContent = await copied(/** @type {HTMLInputElement} */ (need(`#${copy}`, root)));
    if (kind) save(`${root.dataset.name}.${kind}`, FILES[kind], dots());
  });
}

/** Say where what is seen now can be seen. The page calls it whenever that is another. @param {HTMLElement} root */
export function tellView(root) {
  const { address, embed, name = "" } = root.dataset;
  /** @type {HTMLInputElement} */ (need("#share-link", root)).value = `${address}${location.hash}`;
  const frame = document.createElement("iframe");
  frame.src = `${embed}${location.hash}`;
  frame.title = name;
  frame.width = "800";
  frame.height = "600";
  frame.loading = "lazy";
  // The browser itself writes the markup, so that no name can break out of it.
  /** @type {HTMLTextAreaElement} */ (need("#share-embed", root)).value = frame.outerHTML;
}

/** @param {HTMLInputElement} field @returns {Promise<string>} What to say about it. */
async function copied(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return gettext("Copied");
  } catch {
    // Without HTTPS, or forbidden: it is selected, and the keys for copying work.
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
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
