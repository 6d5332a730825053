/** What the zone is drawn on: the ground that players have walked, and the picture an admin gave. */

import { WHOLE_ZONE } from "../coords.js";

/** Below the grid (250), the picture lowest. */
const PANES = { image: "230", ground: "240" };

const TILE_PX = 256;
const FIRST_ZOOM = 1;

export class Paper {
  /** @param {L.Map} map */
  constructor(map) {
    this.map = map;
    for (const [name, zIndex] of Object.entries(PANES)) {
      const pane = map.createPane(name);
      pane.style.zIndex = zIndex;
      pane.style.pointerEvents = "none";
    }
    /** What is there, by its address. @type {Map<string, L.Layer>} */
    this.laid = new Map();
  }

  /**
   * Lay exactly this.
   * @param {{ground?: string, image?: string, imageZoom?: number}} sheets Addresses of the ground and of the
   * picture's tiles, and the largest zoom that there are tiles for. What is left out is not laid.
   */
  show(sheets) {
    const wanted = new Map();
    if (sheets.ground) wanted.set(sheets.ground, ground);
    if (sheets.image)
      wanted.set(sheets.image, (/** @type {string} */ url) => tiles(url, sheets.imageZoom ?? FIRST_ZOOM));
    for (const [url, layer] of this.laid) {
      if (wanted.has(url)) continue;
      layer.remove();
      this.laid.delete(url);
    }
    for (const [url, make] of wanted) if (!this.laid.has(url)) this.laid.set(url, make(url).addTo(this.map));
  }
}

/** @param {string} url */
const ground = (url) => L.imageOverlay(url, WHOLE_ZONE, { pane: "ground", className: "ground", alt: "" });

/** @param {string} url @param {number} zoom The largest there are tiles for. */
const tiles = (url, zoom) =>
  L.tileLayer(url, {
    pane: "image",
    bounds: WHOLE_ZONE,
    noWrap: true,
    tileSize: TILE_PX,
    minNativeZoom: FIRST_ZOOM,
    maxNativeZoom: zoom,
    minZoom: 0,
    maxZoom: 7,
  });
