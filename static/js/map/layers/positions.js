/** Raw positions as players noted them: one small dot per merged coordinate. */

import { onThemeChange, themed } from "../colours.js";
import { xy } from "../coords.js";
import { positionPopup } from "../popups.js";

export class Positions {
  /** @param {L.Map} map */
  constructor(map) {
    this.map = map;
    this.layer = L.layerGroup().addTo(map);
    onThemeChange(() => this.paint());
  }

  /**
   * Replace what is drawn by the points of a GeoJSON document.
   * @param {{features: {geometry: {coordinates: [number, number]}, properties: any}[]}} geojson
   */
  show(geojson) {
    this.layer.clearLayers();
    for (const { geometry, properties } of geojson.features) {
      const [x, y] = geometry.coordinates;
      L.circleMarker(xy(x, y), { radius: 2.6, weight: 0.5, fillOpacity: 0.6 })
        .bindPopup(() => positionPopup({ x, y, ...properties }))
        .addTo(this.layer);
    }
    this.paint();
  }

  /** @param {boolean} on */
  toggle(on) {
    if (on) this.layer.addTo(this.map);
    else this.layer.remove();
  }

  /** Colours that depend on light and dark. */
  paint() {
    const ink = themed("--water");
    this.layer.eachLayer((dot) => /** @type {L.CircleMarker} */ (dot).setStyle({ color: ink, fillColor: ink }));
  }
}
