/** On every page: menus, the theme switch, the search box, times in the visitor's time zone, the URL in print. */

import { need } from "./dom.js";
import { moment } from "./i18n.js";
import { onPrint } from "./printing.js";
import { suggest } from "./suggest.js";

for (const form of document.querySelectorAll("form[data-suggest]")) suggest(/** @type {HTMLFormElement} */ (form));

for (const time of document.querySelectorAll("time[data-local]")) {
  time.textContent = moment(/** @type {HTMLTimeElement} */ (time).dateTime);
}

// The server does not know the URL's fragment, which holds the view of a map.
onPrint(() => (need("#printed-address").textContent = location.href));

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.key === "Escape") closeMenus();
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.closest("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  /** @type {HTMLInputElement|null} */ (document.querySelector("form[data-suggest] input"))?.focus();
});

document.addEventListener("click", (event) => {
  const inside = /** @type {HTMLElement} */ (event.target).closest("details.menu");
  closeMenus(inside);
});

/** @param {Element|null} [except] */
function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu === except) continue;
    const inside = menu.contains(document.activeElement);
    menu.removeAttribute("open");
    if (inside) menu.querySelector("summary")?.focus();
  }
}

const root = document.documentElement;

function showChoice() {
  for (const button of document.querySelectorAll("[data-theme-choice]")) {
    const chosen = button.getAttribute("data-theme-choice") === (root.dataset.theme ?? "auto");
    button.setAttribute("aria-pressed", String(chosen));
  }
}

for (const button of document.querySelectorAll("[data-theme-choice]")) {
  button.addEventListener("click", () => {
    const choice = button.getAttribute("data-theme-choice") ?? "auto";
    if (choice === "auto") delete root.dataset.theme;
    else root.dataset.theme = choice;
    try {
      if (choice === "auto") localStorage.removeItem("theme");
      else localStorage.setItem("theme", choice);
    } catch {
      // Storage may be forbidden; the choice then lasts until the next page.
    }
    showChoice();
    document.dispatchEvent(new Event("themechange"));
  });
}
showChoice();
