/** Spawn points of creatures: filled when confirmed, hollow until then. */

import { onThemeChange, themed } from "../colours.js";
import { xy } from "../coords.js";
import { spawnPopup, tip } from "../popups.js";

/** Radius in pixels: dots grow with the map, so that a whole zone on a phone is not one blot. */
const SMALLEST = 2.6;
const LARGEST = 7;
const LIT_BY = 1.6;

/**
 * @typedef {import("../document.js").Mob} Mob
 * @typedef {{dot: L.CircleMarker, point: import("../document.js").Point}} Drawn
 */

export class Spawns {
  /**
   * @param {L.Map} map @param {Mob[]} mobs
   * @param {{colour: (mob: Mob) => string, url: (mob: Mob) => string, onHover?: (id: number|null) => void}} options
   */
  constructor(map, mobs, { colour, url, onHover = () => {} }) {
    this.map = map;
    this.colour = colour;
    this.layer = L.layerGroup().addTo(map);
    /** @type {Map<number, {mob: Mob, drawn: Drawn[]}>} */
    this.all = new Map();
    for (const mob of mobs) {
      const drawn = mob.spawns.map((point) => ({ point, dot: this.dot(mob, point, url, onHover) }));
      this.all.set(mob.id, { mob, drawn });
    }
    /** @type {number|null} */
    this.lit = null;
    this.paint();
    this.resize();
    onThemeChange(() => this.paint());
    map.on("zoomend", () => this.resize());
  }

  /** @param {Mob} mob @param {import("../document.js").Point} point @param {(mob: Mob) => string} url @param {(id: number|null) => void} onHover */
  dot(mob, point, url, onHover) {
    const made = L.circleMarker(xy(point.x, point.y));
    return made
      .bindPopup(() => spawnPopup(mob.name, url(mob), point))
      .bindTooltip(() => tip(mob.name, point), { direction: "top", offset: [0, -6] })
      .on("mouseover", () => onHover(mob.id))
      .on("mouseout", () => onHover(null))
      .on("popupopen", () => made.closeTooltip());
  }

  /**
   * Draw exactly what the filters let through. Return how many points that is.
   * @param {{shown: (id: number) => boolean, floor: number, confirmed: boolean}} filter
   */
  filter({ shown, floor, confirmed }) {
    let count = 0;
    for (const [id, { drawn }] of this.all) {
      const on = shown(id);
      for (const { dot, point } of drawn) {
        const wanted = on && point.floor === floor && (point.confirmed || !confirmed);
        if (wanted) count += 1;
        if (wanted !== this.layer.hasLayer(dot)) this.layer[wanted ? "addLayer" : "removeLayer"](dot);
      }
    }
    return count;
  }

  /** The points that the filters let through. @returns {import("../document.js").Point[]} */
  get visible() {
    const all = [...this.all.values()].flatMap(({ drawn }) => drawn);
    return all.filter(({ dot }) => this.layer.hasLayer(dot)).map(({ point }) => point);
  }

  /** Bring one creature out, or none. @param {number|null} id */
  light(id) {
    if (id === this.lit) return;
    const before = this.lit;
    this.lit = id;
    for (const which of [before, id]) {
      const found = which === null ? undefined : this.all.get(which);
      if (!found) continue;
      for (const { dot } of found.drawn) {
        dot.setRadius(this.radius(found.mob));
        if (which === id && this.layer.hasLayer(dot)) dot.bringToFront();
      }
    }
  }

  /** @param {Mob} mob */
  radius(mob) {
    const radius = Math.min(Math.max(1 + 0.62 * this.map.getZoomScale(this.map.getZoom(), 0), SMALLEST), LARGEST);
    return mob.id === this.lit ? radius * LIT_BY : radius;
  }

  resize() {
    for (const { mob, drawn } of this.all.values()) for (const { dot } of drawn) dot.setRadius(this.radius(mob));
  }

  /** Colours that depend on light and dark. */
  paint() {
    const edge = themed("--raised");
    for (const { mob, drawn } of this.all.values()) {
      const fill = this.colour(mob);
      for (const { dot, point } of drawn) {
        dot.setStyle({
          color: point.confirmed ? edge : fill,
          weight: point.confirmed ? 0.8 : 1.4,
          fillColor: fill,
          fillOpacity: point.confirmed ? 0.95 : 0.15,
        });
      }
    }
  }
}
