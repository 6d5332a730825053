/** The list of creatures as a panel that opens and closes: below the map on phones, over its right side in frames. */

import { need } from "../dom.js";

/** Width that a popup with a dot's details needs. */
const POPUP_PX = 340;

export class SidePanel {
  /** @param {HTMLElement} map What the panel may cover. */
  constructor(map) {
    this.map = map;
    this.panel = need(".creatures");
    this.toggle = need(".panel-toggle");
    this.toggle.addEventListener("click", () => this.toggle.setAttribute("aria-expanded", String(!this.isOpen)));
  }

  get isOpen() {
    return this.toggle.getAttribute("aria-expanded") === "true";
  }

  /** Make room for a popup on the map, if necessary by closing; return how many pixels of its right side stay covered. */
  makeRoom() {
    const panel = this.panel.getBoundingClientRect();
    const map = this.map.getBoundingClientRect();
    const covered = Math.max(map.right - panel.left, 0);
    if (!this.isOpen || covered === 0 || panel.top >= map.bottom) return 0;
    if (map.width - covered >= POPUP_PX) return covered;
    // Focus inside a hidden panel would be lost: keyboard users go back to the button that opens it.
    if (this.panel.contains(document.activeElement)) this.toggle.focus();
    this.toggle.setAttribute("aria-expanded", "false");
    return 0;
  }
}
