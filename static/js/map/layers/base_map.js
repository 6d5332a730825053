/** The base map of a zone: Leaflet's map in percent with controls, grid, rulers and the pointer's coordinates. */

import { element } from "../../dom.js";
import { gettext } from "../../i18n.js";
import { onThemeChange, themed } from "../colors.js";
import { ASPECT, EDGE, WHOLE_ZONE, xy } from "../coords.js";
import { coordinates } from "../popups.js";
import { toolButton } from "./tools.js";

/** Percent between lines of the coarse and of the fine grid. */
export const COARSE_GRID = 10;
const FINE_GRID = 2;

/** Size of the rulers at the map's right and lower edge (map.css). */
const RULER_RIGHT_PX = 28;
const RULER_BOTTOM_PX = 18;

/** Room around what is fitted into view, for Leaflet. @type {L.FitBoundsOptions} */
const MARGINS = {
  paddingTopLeft: [8, 8],
  paddingBottomRight: [RULER_RIGHT_PX + 8, RULER_BOTTOM_PX + 8],
  animate: false,
};

/** The closest zoom for fitting dots, in levels above the whole zone: a single dot is shown with a quarter of the zone. */
const MAX_FIT_ZOOM = 2;

/** Pixels per percent from which the fine grid is shown; in smaller scales its lines would be too close. */
const FINE_GRID_FROM = 9;

/**
 * Create a zone's map without any dots.
 * @param {HTMLElement} box
 * @param {{x: number, y: number, zoom: number}|null} [at]
 */
export function createMap(box, at = null) {
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
  toolButton(map, "whole-zone", gettext("Whole zone"), () => goTo(map, null));
  goTo(map, at);
  map.on("popupopen", ({ popup }) => {
    popup.getElement()?.querySelector(".leaflet-popup-close-button")?.setAttribute("aria-label", gettext("Close"));
  });
  grid(map);
  rulers(map, box);
  pointerCoordinates(map);
  new ResizeObserver(() => map.invalidateSize({ pan: false })).observe(box);
  return map;
}

/**
 * Show a view, or the whole zone.
 * @param {L.Map} map @param {{x: number, y: number, zoom: number}|null} at
 */
export function goTo(map, at) {
  if (at) map.setView(xy(at.x, at.y), at.zoom, { animate: false });
  else map.fitBounds(WHOLE_ZONE, MARGINS);
}

/**
 * Zoom in on points, but not beyond `MAX_FIT_ZOOM`; without any, show the whole zone.
 * @param {L.Map} map @param {{x: number, y: number}[]} points
 */
export function fit(map, points) {
  const bounds = L.latLngBounds(points.length ? points.map(({ x, y }) => xy(x, y)) : WHOLE_ZONE);
  /** @type {L.FitBoundsOptions} */
  const around = { paddingTopLeft: [24, 24], paddingBottomRight: [RULER_RIGHT_PX + 24, RULER_BOTTOM_PX + 24] };
  map.fitBounds(bounds, { ...around, animate: false, maxZoom: map.getBoundsZoom(WHOLE_ZONE) + MAX_FIT_ZOOM });
}

/** @param {L.Map} map */
function grid(map) {
  const pane = map.createPane("grid");
  pane.classList.add("grid-pane");
  pane.style.zIndex = "250";
  pane.style.pointerEvents = "none";
  const renderer = L.canvas({ pane: "grid", padding: 0.2 });
  const line = { renderer, interactive: false, fill: false };
  const fine = L.layerGroup(lines(FINE_GRID).map((ends) => L.polyline(ends, { ...line, weight: 0.6 })));
  const coarse = L.layerGroup(lines(COARSE_GRID).map((ends) => L.polyline(ends, { ...line, weight: 1 })));
  const frame = L.rectangle(WHOLE_ZONE, { ...line, weight: 2.5 });
  coarse.addTo(map);
  frame.addTo(map);

  const toggleFine = () => {
    const perPercent = map.latLngToLayerPoint(xy(1, 1)).y - map.latLngToLayerPoint(xy(1, 0)).y;
    if (perPercent >= FINE_GRID_FROM) fine.addTo(map);
    else fine.remove();
  };
  const paint = () => {
    fine.eachLayer((line) => /** @type {L.Polyline} */ (line).setStyle({ color: themed("--line") }));
    coarse.eachLayer((line) => /** @type {L.Polyline} */ (line).setStyle({ color: themed("--line") }));
    frame.setStyle({ color: themed("--line-strong") });
  };
  map.on("zoomend", toggleFine);
  onThemeChange(paint);
  toggleFine();
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
 * Show numbers along the lower and the right edge that move with the map.
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
 * @param {number} length Visible pixels. @param {"left"|"top"} side
 */
function ticks(from, to, length, side) {
  const pixels = (to - from) / EDGE;
  const shown = [];
  for (const percent of numbers(pixels)) {
    const offset = from + percent * pixels;
    if (offset < 8 || offset > length - 8) continue;
    const tick = element("span", { text: String(percent) });
    tick.style[side] = `${offset}px`;
    shown.push(tick);
  }
  return shown;
}

/** Return the percents that a ruler shows. @param {number} pixels Of the page, per percent. */
export function numbers(pixels) {
  const step = [1, 2, 5, 10, 20].find((candidate) => candidate * pixels >= 34) ?? 50;
  return Array.from({ length: Math.floor(EDGE / step) + 1 }, (_, index) => index * step);
}

/** Show the pointer's coordinates. @param {L.Map} map */
function pointerCoordinates(map) {
  const output = element("output", { class: "coordinates", "aria-hidden": "true", text: "– / –" });
  const Coordinates = L.Control.extend({ onAdd: () => output });
  new Coordinates({ position: "topright" }).addTo(map);
  map.on("mousemove", (event) => {
    const { lat, lng } = event.latlng;
    const inside = lat >= 0 && lat <= EDGE && lng >= 0 && lng <= EDGE;
    output.textContent = inside ? coordinates(lng, lat) : "– / –";
  });
  map.on("mouseout", () => {
    output.textContent = "– / –";
  });
}
