/** Suggestions under a search box while typing. The form works without them. */

import { element } from "./dom.js";
import { fill, gettext, ngettext, plainText } from "./i18n.js";

const MAX_SUGGESTIONS = 8;
/** Longer than the time between two keys typed fast, and too short to be noticed. */
const DEBOUNCE_MS = 40;
/** Cached answers: a letter that is typed and deleted needs no request. */
const MAX_CACHED = 50;

/**
 * @typedef {{name: string, label: string, url: string}} Suggestion
 * @param {HTMLFormElement} form Its `data-suggest` is the search's URL in the API.
 */
export function suggest(form) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector("input[name=q]"));
  const list = element("ul", { class: "suggestions", role: "listbox", id: `${input.id}-suggestions`, hidden: true });
  list.setAttribute("aria-label", gettext("Suggestions"));
  const status = element("div", { class: "hidden", role: "status" });
  form.append(list, status);
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
  /** @type {Map<string, Suggestion[]>} */
  const cache = new Map();

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, DEBOUNCE_MS);
  });
  input.addEventListener("keydown", (event) => {
    // The first Escape closes the list; the next one clears the box, as browsers do.
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
  // If the box lost the focus, the list would close before the click.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const item = /** @type {HTMLElement} */ (event.target).closest("li");
    const index = item ? [...list.children].indexOf(item) : -1;
    if (found[index]) location.assign(found[index].url);
  });

  async function search() {
    running?.abort();
    const wanted = input.value.trim();
    if (wanted.length < 2) return close();
    const before = cache.get(wanted);
    if (before) return show(before, wanted);
    running = new AbortController();
    try {
      const url = `${form.dataset.suggest}?limit=${MAX_SUGGESTIONS}&q=${encodeURIComponent(wanted)}`;
      const response = await fetch(url, { signal: running.signal });
      if (!response.ok) return close();
      const answer = suggestions(await response.json(), form.action);
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(wanted, answer);
      show(answer, wanted);
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") close();
    }
  }

  /** @param {Suggestion[]} results @param {string} wanted */
  function show(results, wanted) {
    if (document.activeElement !== input) return;
    // If a suggestion was chosen before this answer arrived, it stays chosen.
    const before = found[chosen]?.url;
    found = results;
    const none = fill(gettext("Nothing is called “%(wanted)s”"), { wanted });
    const nothing = element("li", { class: "none", role: "option", "aria-disabled": "true", text: none });
    const items = found.map(({ name, label }, index) => {
      const item = element("li", { role: "option", id: `${list.id}-${index}`, "aria-selected": "false" });
      item.append(element("bdi", {}, ...marked(name, wanted)), element("small", { text: label }));
      return item;
    });
    list.replaceChildren(...(items.length ? items : [nothing]));
    status.textContent = found.length ? ngettext("%(count)s suggestion", "%(count)s suggestions", found.length) : none;
    list.hidden = false;
    input.setAttribute("aria-expanded", String(found.length > 0));
    choose(found.findIndex(({ url }) => url === before));
  }

  /** @param {number} index */
  function choose(index) {
    chosen = index;
    for (const [at, item] of list.querySelectorAll("li:not(.none)").entries()) {
      item.setAttribute("aria-selected", String(at === index));
    }
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
 * Return a name with the searched text marked, ignoring accents and case; the whole name if it does not contain it.
 * @param {string} name @param {string} wanted @returns {(Node|string)[]}
 */
function marked(name, wanted) {
  // By letter, as removing accents may change a text's length.
  const letters = [...name];
  const plain = letters.map(plainText);
  const text = plainText(wanted);
  for (let start = 0; start < letters.length; start += 1) {
    let end = start;
    let found = "";
    while (found.length < text.length && end < letters.length) found += plain[end++];
    if (found !== text) continue;
    const [before, inside, after] = [letters.slice(0, start), letters.slice(start, end), letters.slice(end)];
    return [before.join(""), element("mark", { text: inside.join("") }), after.join("")];
  }
  return [name];
}

/**
 * @param {{results: {kind: string, id: number, name: string}[]}} body
 * @param {string} action The form's URL, `/<locale>/search`.
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
