/**
 * The printed map: a picture of the visible part, as wide as the page, in light colors and in a printer's resolution.
 * The map itself has the screen's size and resolution and would be cut off or blurred.
 */

import { element } from "../../dom.js";
import { onPrint } from "../../printing.js";
import { themed } from "../colors.js";
import { ASPECT, EDGE } from "../coords.js";
import { COARSE_GRID, numbers } from "./base_map.js";

/** Width of A4 and Letter paper between their margins, in pixels of the page. */
const PAGE_PX = 700;

/** Pixels of the picture per pixel of the page: about 290 dpi. */
const RATIO = 3;

/** Room for dots on the zone's edge, and for the rulers' numbers. In pixels of the page. */
const MARGIN_PX = 8;
const RULER_PX = 18;

/** Width by height: a higher picture would fill the whole page. */
const MIN_ASPECT = 1;

/**
 * @typedef {import("./canvas.js").View} View
 * @typedef {{west: number, north: number, across: number, down: number}} Extent A part of a zone, in percent.
 */

/**
 * Add a picture of the map below its box whenever the page is printed.
 * @param {L.Map} map @param {HTMLElement} box
 * @param {{canvases: import("./canvas.js").Canvas[], caption: () => string}} options
 */
export function printMap(map, box, { canvases, caption }) {
  const { dataset } = document.documentElement;
  /** @type {(() => void)|null} */
  let undo = null;
  const begin = () => {
    if (undo || box.dataset.state !== "drawn") return;
    const { theme } = dataset;
    setTheme("light");
    const figure = element(
      "figure",
      { class: "printed" },
      picture(map, canvases),
      element("figcaption", { text: caption() }),
    );
    box.after(figure);
    undo = () => {
      figure.remove();
      setTheme(theme);
    };
  };
  const end = () => {
    undo?.();
    undo = null;
  };
  const setTheme = (/** @type {string|undefined} */ theme) => {
    if (theme) dataset.theme = theme;
    else delete dataset.theme;
    document.dispatchEvent(new Event("themechange"));
  };
  onPrint(begin, end);
}

/** @param {L.Map} map @param {import("./canvas.js").Canvas[]} canvases */
function picture(map, canvases) {
  const extent = visibleExtent(map);
  const scale = (PAGE_PX - 2 * MARGIN_PX - RULER_PX) / (extent.across * ASPECT);
  const canvas = element("canvas", { "aria-hidden": "true" });
  const width = PAGE_PX * RATIO;
  const height = Math.round((extent.down * scale + 2 * MARGIN_PX + RULER_PX) * RATIO);
  canvas.width = width;
  canvas.height = height;
  const across = scale * ASPECT * RATIO;
  const down = scale * RATIO;
  const margin = MARGIN_PX * RATIO;
  const view = {
    left: margin - extent.west * across,
    top: margin - extent.north * down,
    across,
    down,
    width,
    height,
    ratio: RATIO,
  };
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  rulers(context, view);
  context.beginPath();
  context.rect(0, 0, width - RULER_PX * RATIO, height - RULER_PX * RATIO);
  context.clip();
  for (const image of map.getContainer().querySelectorAll("img")) drawImage(map, image, context, view);
  grid(context, view);
  for (const { painters } of canvases) for (const painter of painters) painter.paint(context, view);
  return canvas;
}

/** Return the visible part of the zone; the whole zone if no part is visible. @param {L.Map} map @returns {Extent} */
function visibleExtent(map) {
  const bounds = map.getBounds();
  const inside = (/** @type {number} */ at) => Math.min(Math.max(at, 0), EDGE);
  const [west, north, east, south] = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()].map(
    inside,
  );
  if (!(east > west && south > north)) return { west: 0, north: 0, across: EDGE, down: EDGE };
  const down = south - north;
  const across = Math.max(east - west, Math.min((down * MIN_ASPECT) / ASPECT, EDGE));
  return { west: Math.min(Math.max((west + east - across) / 2, 0), EDGE - across), north, across, down };
}

/**
 * Draw an image of the map (contours, or a tile of an admin's picture) at its position.
 * @param {L.Map} map @param {HTMLImageElement} image
 * @param {CanvasRenderingContext2D} context @param {View} view
 */
function drawImage(map, image, context, { left, top, across, down }) {
  if (!image.complete || image.naturalWidth === 0) return;
  const from = map.getContainer().getBoundingClientRect();
  const box = image.getBoundingClientRect();
  const start = map.containerPointToLatLng([box.left - from.left, box.top - from.top]);
  const end = map.containerPointToLatLng([box.right - from.left, box.bottom - from.top]);
  const [x, y] = [left + start.lng * across, top + start.lat * down];
  context.drawImage(image, x, y, (end.lng - start.lng) * across, (end.lat - start.lat) * down);
}

/** @param {CanvasRenderingContext2D} context @param {View} view */
function grid(context, { left, top, across, down, ratio }) {
  context.beginPath();
  for (let at = COARSE_GRID; at < EDGE; at += COARSE_GRID) {
    context.moveTo(left + at * across, top);
    context.lineTo(left + at * across, top + EDGE * down);
    context.moveTo(left, top + at * down);
    context.lineTo(left + EDGE * across, top + at * down);
  }
  context.lineWidth = 0.7 * ratio;
  context.strokeStyle = themed("--line");
  context.stroke();
  context.lineWidth = 2 * ratio;
  context.strokeStyle = themed("--line-strong");
  context.strokeRect(left, top, EDGE * across, EDGE * down);
}

/** @param {CanvasRenderingContext2D} context @param {View} view */
function rulers(context, { left, top, across, down, width, height, ratio }) {
  context.font = `${11 * ratio}px ui-monospace, Menlo, Consolas, monospace`;
  context.fillStyle = themed("--text");
  context.textAlign = "center";
  context.textBaseline = "middle";
  const ruler = (RULER_PX / 2) * ratio;
  const write = (/** @type {number} */ at, /** @type {number} */ x, /** @type {number} */ y) => {
    const room = RULER_PX * ratio;
    if (x >= room / 2 && y >= room / 3 && x <= width - room / 2 && y <= height - room / 2)
      context.fillText(String(at), x, y);
  };
  for (const at of numbers(across / ratio)) write(at, left + at * across, height - ruler);
  for (const at of numbers(down / ratio)) write(at, width - ruler, top + at * down);
}
