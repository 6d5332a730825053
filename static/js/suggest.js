/** Suggestions under a search box while typing. The form works without them. */

import { element } from "./dom.js";
import { fill, gettext, ngettext, plainText } from "./words.js";

const MOST = 8;
/** Long enough for two keys pressed in one go, too short to be felt. */
const PAUSE_MS = 40;
/** Answers kept: a letter typed and deleted again asks nobody. */
const MOST_KEPT = 50;

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
  /** @type {Map<string, Suggestion[]>} */
  const kept = new Map();

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
    const before = kept.get(wanted);
    if (before) return show(before, wanted);
    running = new AbortController();
    try {
      const url = `${form.dataset.suggest}?limit=${MOST}&q=${encodeURIComponent(wanted)}`;
      const response = await fetch(url, { signal: running.signal });
      if (!response.ok) return close();
      const answer = suggestions(await response.json(), form.action);
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(wanted, answer);
      show(answer, wanted);
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") close();
    }
  }

  /** @param {Suggestion[]} results @param {string} wanted */
  function show(results, wanted) {
    if (document.activeElement !== input) return;
    // An answer may come once one of those before it has been chosen: Enter must still lead there.
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
    said.textContent = found.length ? ngettext("%(count)s suggestion", "%(count)s suggestions", found.length) : none;
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
 * A name with what was typed marked in it, accents and case ignored; whole where it stands nowhere in it.
 * @param {string} name @param {string} wanted @returns {(Node|string)[]}
 */
function marked(name, wanted) {
  // Letter by letter, as taking accents off may change how long a text is.
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
