/** The list of creatures as a drawer: below the map on phones, over its right side in frames. */

import { need } from "../dom.js";

/** What a popup with a dot's story takes of a map's width. */
const STORY_PX = 340;

export class Drawer {
  /** @param {HTMLElement} map What the drawer may lie over. */
  constructor(map) {
    this.map = map;
    this.drawer = need(".creatures");
    this.handle = need(".drawer-handle");
    this.handle.addEventListener("click", () => this.handle.setAttribute("aria-expanded", String(!this.isOpen)));
  }

  get isOpen() {
    return this.handle.getAttribute("aria-expanded") === "true";
  }

  /** Make room for a story on the map: return how many pixels at its right the list lies over, if need be none any more. */
  makeRoom() {
    const list = this.drawer.getBoundingClientRect();
    const map = this.map.getBoundingClientRect();
    const covered = Math.max(map.right - list.left, 0);
    if (!this.isOpen || covered === 0 || list.top >= map.bottom) return 0;
    if (map.width - covered >= STORY_PX) return covered;
    // Not into nowhere: whoever came from the list by keyboard goes back to what opens it.
    if (this.drawer.contains(document.activeElement)) this.handle.focus();
    this.handle.setAttribute("aria-expanded", "false");
    return 0;
  }
}
