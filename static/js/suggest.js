/** Suggestions under a search box while typing. The form works without them. */

import { element } from "./dom.js";
import { fill, gettext } from "./words.js";

const MOST = 8;
const PAUSE_MS = 150;

/**
 * @typedef {{name: string, label: string, url: string}} Suggestion
 * @param {HTMLFormElement} form Its `data-suggest` is the search's address in the API.
 */
export function suggest(form) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector("input[name=q]"));
  const list = element("ul", { class: "suggestions", role: "listbox", id: `${input.id}-suggestions`, hidden: true });
  list.setAttribute("aria-label", gettext("Suggestions"));
  const said = element("div", { class: "hidden", role: "status" });
  form.append(list, said);
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    "aria-controls": list.id,
  })) {
    input.setAttribute(name, value);
  }

  /** @type {Suggestion[]} */
  let found = [];
  let chosen = -1;
  let timer = 0;
  /** @type {AbortController|undefined} */
  let running;

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    // Escape first closes the list; only then does it empty the box, as browsers have it.
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    }
    if (list.hidden || found.length === 0) return;
    if (event.key === "ArrowDown") choose((chosen + 1) % found.length);
    else if (event.key === "ArrowUp") choose((chosen <= 0 ? found.length : chosen) - 1);
    else if (event.key === "Enter" && chosen >= 0) location.assign(found[chosen].url);
    else return;
    event.preventDefault();
  });
  form.addEventListener("focusout", (event) => {
    if (!form.contains(/** @type {Node|null} */ (event.relatedTarget))) close();
  });
  // Choosing must not take the focus off the box first, or the list would close under the pointer.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const item = /** @type {HTMLElement} */ (event.target).closest("li");
    const index = item ? [...list.children].indexOf(item) : -1;
    if (found[index]) location.assign(found[index].url);
  });

  async function look() {
    running?.abort();
    const wanted = input.value.trim();
    if (wanted.length < 2) return close();
    running = new AbortController();
    try {
      const url = `${form.dataset.suggest}?limit=${MOST}&q=${encodeURIComponent(wanted)}`;
      const response = await fetch(url, { signal: running.signal });
      if (!response.ok) return close();
      show(suggestions(await response.json(), form.action), wanted);
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") close();
    }
  }

  /** @param {Suggestion[]} results @param {string} wanted */
  function show(results, wanted) {
    if (document.activeElement !== input) return;
    found = results;
    choose(-1);
    list.replaceChildren(
      ...found.map(({ name, label }, index) => {
        const item = element("li", { role: "option", id: `${list.id}-${index}`, "aria-selected": "false" });
        item.append(element("bdi", { text: name }), element("small", { text: label }));
        return item;
      }),
    );
    const none = fill(gettext("Nothing is called “%(wanted)s”"), { wanted });
    said.textContent = found.length ? "" : none;
    list.hidden = found.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
  }

  /** @param {number} index */
  function choose(index) {
    chosen = index;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === index)));
    if (index < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${list.id}-${index}`);
    list.children[index]?.scrollIntoView({ block: "nearest" });
  }

  function close() {
    running?.abort();
    clearTimeout(timer);
    found = [];
    choose(-1);
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
  }
}

/**
 * @param {{results: {kind: string, id: number, name: string}[]}} body
 * @param {string} action The form's address, `/<locale>/search`.
 * @returns {Suggestion[]}
 */
function suggestions(body, action) {
  const base = new URL(action).pathname.replace(/search$/, "");
  /** @type {Record<string, [string, string]>} */
  const kinds = {
    mob: ["mobs", gettext("Creature")],
    item: ["items", gettext("Item")],
    zone: ["zones", gettext("Zone")],
  };
  return body.results
    .filter(({ kind }) => kind in kinds)
    .map(({ kind, id, name }) => ({ name, label: kinds[kind][1], url: `${base}${kinds[kind][0]}/${id}` }));
}
