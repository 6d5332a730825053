/** The sheet a zone is drawn on: Leaflet's map in percent, its controls, its grid, its rulers and the pointer's place. */

import { element } from "../../dom.js";
import { gettext } from "../../words.js";
import { onThemeChange, themed } from "../colours.js";
import { ASPECT, EDGE, WHOLE_ZONE, xy } from "../coords.js";
import { place } from "../popups.js";
import { toolButton } from "./tools.js";

/** Percent between the lines of the coarse grid. */
export const MAJOR = 10;
const MINOR = 2;

/** What the rulers take from the map's right and lower edge (map.css). */
const RULER_RIGHT_PX = 28;
const RULER_BOTTOM_PX = 18;

/** Room around what is fitted into view, for Leaflet. @type {L.FitBoundsOptions} */
const MARGINS = {
  paddingTopLeft: [8, 8],
  paddingBottomRight: [RULER_RIGHT_PX + 8, RULER_BOTTOM_PX + 8],
  animate: false,
};

/** Zoom levels past the whole zone to which dots are fitted at most: a lone dot keeps a quarter of the zone around it. */
const CLOSEST_FIT = 2;

/** Pixels per percent from which the fine grid helps more than it clutters. */
const FINE_FROM = 9;

/**
 * Make the map with its empty sheet.
 * @param {HTMLElement} box
 * @param {{x: number, y: number, zoom: number}|null} [at]
 */
export function sheet(box, at = null) {
  const map = L.map(box, {
    crs: L.extend({}, L.CRS.Simple, { transformation: new L.Transformation(ASPECT, 0, 1, 0) }),
    preferCanvas: true,
    attributionControl: false,
    zoomControl: false,
    zoomSnap: 0.1,
    zoomDelta: 0.5,
    wheelPxPerZoomLevel: 110,
    minZoom: 0,
    maxZoom: 7,
    maxBounds: [xy(-EDGE / 2, -EDGE / 2), xy(EDGE * 1.5, EDGE * 1.5)],
    maxBoundsViscosity: 0.8,
  });
  L.control
    .zoom({ position: "topleft", zoomInTitle: gettext("Zoom in"), zoomOutTitle: gettext("Zoom out") })
    .addTo(map);
  toolButton(map, "whole-zone", gettext("Whole zone"), () => stand(map, null));
  stand(map, at);
  map.on("popupopen", ({ popup }) => {
    popup.getElement()?.querySelector(".leaflet-popup-close-button")?.setAttribute("aria-label", gettext("Close"));
  });
  grid(map);
  rulers(map, box);
  pointer(map);
  new ResizeObserver(() => map.invalidateSize({ pan: false })).observe(box);
  return map;
}

/**
 * Go to a place, or show the whole zone.
 * @param {L.Map} map @param {{x: number, y: number, zoom: number}|null} at
 */
export function stand(map, at) {
  if (at) map.setView(xy(at.x, at.y), at.zoom, { animate: false });
  else map.fitBounds(WHOLE_ZONE, MARGINS);
}

/**
 * Show all of these places, as near as still leaves something of the zone around them; without any, the whole zone.
 * @param {L.Map} map @param {{x: number, y: number}[]} places
 */
export function fit(map, places) {
  const bounds = L.latLngBounds(places.length ? places.map(({ x, y }) => xy(x, y)) : WHOLE_ZONE);
  /** @type {L.FitBoundsOptions} */
  const around = { paddingTopLeft: [24, 24], paddingBottomRight: [RULER_RIGHT_PX + 24, RULER_BOTTOM_PX + 24] };
  map.fitBounds(bounds, { ...around, animate: false, maxZoom: map.getBoundsZoom(WHOLE_ZONE) + CLOSEST_FIT });
}

/** @param {L.Map} map */
function grid(map) {
  const pane = map.createPane("grid");
  pane.classList.add("grid-pane");
  pane.style.zIndex = "250";
  pane.style.pointerEvents = "none";
  const renderer = L.canvas({ pane: "grid", padding: 0.2 });
  const ruled = { renderer, interactive: false, fill: false };
  const fine = L.layerGroup(lines(MINOR).map((line) => L.polyline(line, { ...ruled, weight: 0.6 })));
  const coarse = L.layerGroup(lines(MAJOR).map((line) => L.polyline(line, { ...ruled, weight: 1 })));
  const frame = L.rectangle(WHOLE_ZONE, { ...ruled, weight: 2.5 });
  coarse.addTo(map);
  frame.addTo(map);

  const rule = () => {
    const perPercent = map.latLngToLayerPoint(xy(1, 1)).y - map.latLngToLayerPoint(xy(1, 0)).y;
    if (perPercent >= FINE_FROM) fine.addTo(map);
    else fine.remove();
  };
  const paint = () => {
    fine.eachLayer((line) => /** @type {L.Polyline} */ (line).setStyle({ color: themed("--line") }));
    coarse.eachLayer((line) => /** @type {L.Polyline} */ (line).setStyle({ color: themed("--line") }));
    frame.setStyle({ color: themed("--line-strong") });
  };
  map.on("zoomend", rule);
  onThemeChange(paint);
  rule();
  paint();
}

/** @param {number} step */
function lines(step) {
  const found = [];
  for (let at = step; at < EDGE; at += step) {
    found.push([xy(at, 0), xy(at, EDGE)], [xy(0, at), xy(EDGE, at)]);
  }
  return found;
}

/**
 * Numbers along the lower and the right edge that keep in step with the map.
 * @param {L.Map} map @param {HTMLElement} box
 */
function rulers(map, box) {
  const across = element("div", { class: "ruler x", "aria-hidden": "true" });
  const down = element("div", { class: "ruler y", "aria-hidden": "true" });
  box.append(across, down);
  const draw = () => {
    const origin = map.latLngToContainerPoint(xy(0, 0));
    const end = map.latLngToContainerPoint(xy(EDGE, EDGE));
    const size = map.getSize();
    across.replaceChildren(...ticks(origin.x, end.x, size.x - RULER_RIGHT_PX, "left"));
    down.replaceChildren(...ticks(origin.y, end.y, size.y - RULER_BOTTOM_PX, "top"));
  };
  map.on("move zoom resize", draw);
  draw();
}

/**
 * @param {number} from Pixel of 0 percent. @param {number} to Pixel of 100 percent.
 * @param {number} length Pixels to be seen. @param {"left"|"top"} side
 */
function ticks(from, to, length, side) {
  const pixels = (to - from) / EDGE;
  const made = [];
  for (const at of numbers(pixels)) {
    const where = from + at * pixels;
    if (where < 8 || where > length - 8) continue;
    const tick = element("span", { text: String(at) });
    tick.style[side] = `${where}px`;
    made.push(tick);
  }
  return made;
}

/** The percents that a ruler numbers. @param {number} pixels Of the page, per percent. */
export function numbers(pixels) {
  const step = [1, 2, 5, 10, 20].find((candidate) => candidate * pixels >= 34) ?? 50;
  return Array.from({ length: Math.floor(EDGE / step) + 1 }, (_, index) => index * step);
}

/** @param {L.Map} map */
function pointer(map) {
  const output = element("output", { class: "coordinates", "aria-hidden": "true", text: "– / –" });
  const Coordinates = L.Control.extend({ onAdd: () => output });
  new Coordinates({ position: "topright" }).addTo(map);
  map.on("mousemove", (event) => {
    const { lat, lng } = event.latlng;
    const inside = lat >= 0 && lat <= EDGE && lng >= 0 && lng <= EDGE;
    output.textContent = inside ? place(lng, lat) : "– / –";
  });
  map.on("mouseout", () => {
    output.textContent = "– / –";
  });
}
