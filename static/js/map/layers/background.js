/** Background of a zone's map: the contours of where players have walked, and the picture an admin has uploaded. */

import { WHOLE_ZONE } from "../coords.js";

/** Leaflet panes and their z-index, below the grid (250). */
const PANES = { image: "230", ground: "240" };

const TILE_PX = 256;
const FIRST_ZOOM = 1;

export class Background {
  /** @param {L.Map} map */
  constructor(map) {
    this.map = map;
    for (const [name, zIndex] of Object.entries(PANES)) {
      const pane = map.createPane(name);
      pane.style.zIndex = zIndex;
      pane.style.pointerEvents = "none";
    }
    /** Shown layers by their URL. @type {Map<string, L.Layer>} */
    this.shown = new Map();
  }

  /**
   * Show these layers and no others.
   * @param {{contours?: string, image?: string, imageZoom?: number}} urls URLs of the contours and of the picture's
   *   tiles, and the largest zoom for which there are tiles.
   */
  show({ contours, image, imageZoom = FIRST_ZOOM }) {
    /** @type {Map<string, () => L.Layer>} */
    const wanted = new Map();
    if (contours) wanted.set(contours, () => overlay(contours));
    if (image) wanted.set(image, () => tiles(image, imageZoom));
    for (const [url, layer] of this.shown) {
      if (wanted.has(url)) continue;
      layer.remove();
      this.shown.delete(url);
    }
    for (const [url, make] of wanted) if (!this.shown.has(url)) this.shown.set(url, make().addTo(this.map));
  }
}

/** @param {string} url */
const overlay = (url) => L.imageOverlay(url, WHOLE_ZONE, { pane: "ground", className: "contours", alt: "" });

/** @param {string} url @param {number} zoom The largest for which there are tiles. */
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
