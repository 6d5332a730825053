/** The point under the pointer: a tooltip while the pointer rests on it, a popup on a click or a tap. */

/** How near the pointer must be to a dot, in pixels; a finger is less exact. */
const REACH_PX = 8;
const FINGER_REACH_PX = 18;

/** Room that a popup leaves on the map: at its top (for the tools on phones), in all, and at its sides. */
const ABOVE_POPUP_PX = 60;
const AROUND_POPUP_PX = 120;
const BESIDE_POPUP_PX = 8;

/**
 * @typedef {object} Hit What one of the layers found.
 * @property {number} x @property {number} y In percent.
 * @property {number|null} [mob] The creature it belongs to.
 * @property {() => HTMLElement} tooltip @property {() => HTMLElement} popup Make the contents.
 */

export class Pointer {
  /**
   * @param {L.Map} map
   * @param {{find: (x: number, y: number, reach: number) => Hit|null, onHover?: (mob: number|null) => void,
   *   isBusy?: () => boolean, makeRoom?: () => number}} options
   *   `find` gets percent, and the reach in percent of the zone's height. `makeRoom` returns how many pixels of the
   *   map's right side are covered.
   */
  constructor(map, { find, onHover = () => {}, isBusy = () => false, makeRoom = () => 0 }) {
    this.map = map;
    this.find = find;
    this.onHover = onHover;
    this.isBusy = isBusy;
    this.makeRoom = makeRoom;
    this.isFinger = matchMedia("(hover: none)").matches;
    this.tooltip = L.tooltip({ direction: "top", offset: [0, -6] });
    this.popup = L.popup({ autoPanPaddingTopLeft: [BESIDE_POPUP_PX, ABOVE_POPUP_PX] });
    // Leaflet handles Escape only while the map itself has the focus, not while something in a popup has it.
    map.getContainer().addEventListener("keydown", ({ key }) => key === "Escape" && map.closePopup());
    map.on("mousemove", (event) => this.hover(this.hit(event.latlng)));
    map.on("mouseout", () => this.hover(null));
    map.on("click", (event) => this.open(this.hit(event.latlng)));
  }

  /** @param {L.LatLng} at @returns {Hit|null} */
  hit({ lng, lat }) {
    if (this.isBusy()) return null;
    const pixels = this.map.getZoomScale(this.map.getZoom(), 0);
    return this.find(lng, lat, (this.isFinger ? FINGER_REACH_PX : REACH_PX) / pixels);
  }

  /** @param {Hit|null} hit */
  hover(hit) {
    this.map.getContainer().classList.toggle("on-dot", hit !== null);
    this.onHover(hit?.mob ?? null);
    if (!hit) this.tooltip.close();
    else if (this.popup.isOpen() && this.popup.getLatLng()?.equals([hit.y, hit.x])) this.tooltip.close();
    else if (!this.isFinger) this.tooltip.setLatLng([hit.y, hit.x]).setContent(hit.tooltip()).openOn(this.map);
  }

  /**
   * Open a popup. With `byKeyboard` it gets the focus, which returns to where it was when the popup closes.
   * @param {Hit|null} hit @param {boolean} [byKeyboard]
   */
  open(hit, byKeyboard = false) {
    if (!hit) return;
    this.popup.options.autoPanPaddingBottomRight = [BESIDE_POPUP_PX + this.makeRoom(), BESIDE_POPUP_PX];
    const before = /** @type {HTMLElement|null} */ (document.activeElement);
    this.tooltip.close();
    const content = hit.popup();
    // On a phone the content may be higher than the map: it scrolls then.
    this.popup.options.maxHeight = this.map.getSize().y - AROUND_POPUP_PX;
    this.popup.setLatLng([hit.y, hit.x]).setContent(content).openOn(this.map);
    this.keepInView(content);
    if (!byKeyboard) return;
    content.tabIndex = -1;
    content.focus({ preventScroll: true });
    this.popup.once("remove", () => before?.focus());
  }

  /** Update the popup when its content grows, as Leaflet measures it only once. @param {HTMLElement} content */
  keepInView(content) {
    const observer = new ResizeObserver(() => {
      const hasFocus = content.contains(document.activeElement);
      this.popup.update();
      if (hasFocus) content.focus({ preventScroll: true });
    });
    observer.observe(content);
    this.popup.once("remove", () => observer.disconnect());
  }
}
