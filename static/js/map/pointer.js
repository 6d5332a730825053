/** What lies under the pointer: a word while it rests there, the whole story on a click or a tap. */

/** How near the pointer must come to a dot, in pixels; a finger is less exact. */
const REACH_PX = 8;
const FINGER_REACH_PX = 18;

/** Room a popup leaves on the map above (for the tools on phones) and in all. */
const ABOVE_POPUP_PX = 60;
const AROUND_POPUP_PX = 120;
const BESIDE_POPUP_PX = 8;

/**
 * @typedef {object} Hit What one of the layers found.
 * @property {number} x @property {number} y In percent.
 * @property {number|null} [mob] The creature it belongs to.
 * @property {() => HTMLElement} tip @property {() => HTMLElement} popup
 */

export class Pointer {
  /**
   * @param {L.Map} map
   * @param {{find: (x: number, y: number, reach: number) => Hit|null, onHover?: (mob: number|null) => void,
   *   isBusy?: () => boolean, makeRoom?: () => number}} options
   *   `find` gets percent, and the reach in percent of the zone's height. `makeRoom` tells how many pixels at the map's
   *   right something lies over.
   */
  constructor(map, { find, onHover = () => {}, isBusy = () => false, makeRoom = () => 0 }) {
    this.map = map;
    this.find = find;
    this.onHover = onHover;
    this.isBusy = isBusy;
    this.makeRoom = makeRoom;
    this.finger = matchMedia("(hover: none)").matches;
    this.tooltip = L.tooltip({ direction: "top", offset: [0, -6] });
    this.popup = L.popup({ autoPanPaddingTopLeft: [BESIDE_POPUP_PX, ABOVE_POPUP_PX] });
    // Leaflet's own key for this works only while the map itself has the focus, not what stands in a popup.
    map.getContainer().addEventListener("keydown", ({ key }) => key === "Escape" && map.closePopup());
    map.on("mousemove", (event) => this.hover(this.hit(event.latlng)));
    map.on("mouseout", () => this.hover(null));
    map.on("click", (event) => this.open(this.hit(event.latlng)));
  }

  /** @param {L.LatLng} at @returns {Hit|null} */
  hit({ lng, lat }) {
    if (this.isBusy()) return null;
    const pixels = this.map.getZoomScale(this.map.getZoom(), 0);
    return this.find(lng, lat, (this.finger ? FINGER_REACH_PX : REACH_PX) / pixels);
  }

  /** @param {Hit|null} hit */
  hover(hit) {
    this.map.getContainer().classList.toggle("on-dot", hit !== null);
    this.onHover(hit?.mob ?? null);
    if (!hit) this.tooltip.close();
    else if (this.popup.isOpen() && this.popup.getLatLng()?.equals([hit.y, hit.x])) this.tooltip.close();
    else if (!this.finger) this.tooltip.setLatLng([hit.y, hit.x]).setContent(hit.tip()).openOn(this.map);
  }

  /** @param {Hit|null} hit @param {boolean} [byKeyboard] Whether the story is to be read at once, and the reader led back after it. */
  open(hit, byKeyboard = false) {
    if (!hit) return;
    this.popup.options.autoPanPaddingBottomRight = [BESIDE_POPUP_PX + this.makeRoom(), BESIDE_POPUP_PX];
    const from = /** @type {HTMLElement|null} */ (document.activeElement);
    this.tooltip.close();
    const story = hit.popup();
    // On a phone the story is longer than the map is high: it scrolls then.
    this.popup.options.maxHeight = this.map.getSize().y - AROUND_POPUP_PX;
    this.popup.setLatLng([hit.y, hit.x]).setContent(story).openOn(this.map);
    this.keepInView(story);
    if (!byKeyboard) return;
    story.tabIndex = -1;
    story.focus({ preventScroll: true });
    this.popup.once("remove", () => from?.focus());
  }

  /** What arrives later makes a story longer, and Leaflet looks at its size only once. @param {HTMLElement} story */
  keepInView(story) {
    const watch = new ResizeObserver(() => {
      const reading = story.contains(document.activeElement);
      this.popup.update();
      if (reading) story.focus({ preventScroll: true });
    });
    watch.observe(story);
    this.popup.once("remove", () => watch.disconnect());
  }
}
