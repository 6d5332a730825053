/**
 * Dots, stamped pixel by pixel. A canvas takes some five microseconds to copy a picture without a graphics
 * card's help: a quarter of a second for 50,000 dots. Writing their pixels takes a tenth of that.
 */

import { SHAPES } from "../kinds.js";

/** Room around a stamp for its edge, in pixels of the canvas. */
const ROOM = 3;

/** Corners reach so many radii. */
const REACH = 1.3;

/** Edges are as wide as wanted around dots of this radius or more, in pixels of the page, and thinner around smaller ones. */
const WHOLE_EDGE_FROM = 2.6;

/** Opacity of dots that nobody has seen for long, of 1. */
const FADED = 0.22;

/** Stamps kept; looks times sizes are few at any time, and what an earlier zoom or theme left behind goes. */
const MOST_STAMPS = 6000;

/**
 * @typedef {object} Look
 * @property {string} fill @property {string} edge
 * @property {number} edgeWidth @property {number} fillOpacity
 * @property {string} [shape] A kind of gathering place; without one it is a circle.
 * @typedef {{places: {x: number, y: number}[], look: Look, faded?: boolean}} Group Dots of one look.
 * @typedef {object} Stamp
 * @property {number} side Pixels across and down. @property {Uint32Array} pixels Red, green, blue, opacity; lowest byte first.
 */

const scratch = document.createElement("canvas");
const drawing = /** @type {CanvasRenderingContext2D} */ (scratch.getContext("2d", { willReadFrequently: true }));

/** @type {Map<string, Stamp>} */
const known = new Map();

/**
 * Return a dot's pixels.
 * @param {Group} group @param {number} radius In pixels of the canvas, the edge apart. @param {number} ratio
 * @returns {Stamp}
 */
function stamp({ look: { shape, fill, edge, edgeWidth, fillOpacity }, faded = false }, radius, ratio) {
  const key = `${shape}|${fill}|${edge}|${edgeWidth}|${fillOpacity}|${faded}|${radius}|${ratio}`;
  const found = known.get(key);
  if (found) return found;
  const side = 2 * (Math.ceil(radius * REACH) + ROOM);
  if (scratch.width < side) scratch.width = scratch.height = side;
  drawing.setTransform(1, 0, 0, 1, side / 2, side / 2);
  drawing.clearRect(-side / 2, -side / 2, side, side);
  drawing.beginPath();
  if (shape) for (const [right, down] of SHAPES[shape]) drawing.lineTo(right * radius, down * radius);
  else drawing.arc(0, 0, radius, 0, 2 * Math.PI);
  drawing.closePath();
  drawing.globalAlpha = fillOpacity * (faded ? FADED : 1);
  drawing.fillStyle = fill;
  drawing.fill();
  drawing.globalAlpha = faded ? FADED : 1;
  drawing.lineWidth = edgeWidth * Math.min(ratio, radius / WHOLE_EDGE_FROM);
  drawing.strokeStyle = edge;
  drawing.stroke();
  const made = { side, pixels: new Uint32Array(drawing.getImageData(0, 0, side, side).data.buffer) };
  if (known.size > MOST_STAMPS) known.clear();
  known.set(key, made);
  return made;
}

/** What is being stamped, before it goes to the canvas: as large as the largest canvas so far. */
const board = { canvas: document.createElement("canvas"), width: 0, height: 0, pixels: new Uint32Array(0) };

/** @param {number} width @param {number} height */
function prepare(width, height) {
  if (board.width === width && board.height === height) return;
  board.canvas.width = board.width = width;
  board.canvas.height = board.height = height;
  board.pixels = new Uint32Array(width * height);
}

/**
 * Stamp groups of dots, in their order.
 * @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view
 * @param {Group[]} groups @param {number} radius In pixels of the page.
 */
export function stampAll(context, { left, top, across, down, width, height, ratio }, groups, radius) {
  prepare(width, height);
  const size = Math.round(radius * ratio * 2) / 2;
  let [west, north, east, south] = [width, height, 0, 0];
  for (const group of groups) {
    if (group.places.length === 0) continue;
    const picture = stamp(group, size, ratio);
    const half = picture.side / 2;
    for (const { x, y } of group.places) {
      const column = Math.round(left + x * across) - half;
      const row = Math.round(top + y * down) - half;
      if (column < 0 || row < 0 || column + picture.side > width || row + picture.side > height) continue;
      press(picture, column, row);
      if (column < west) west = column;
      if (row < north) north = row;
      if (column + picture.side > east) east = column + picture.side;
      if (row + picture.side > south) south = row + picture.side;
    }
  }
  if (east > west) transfer(context, west, north, east - west, south - north);
}

/**
 * Lay a stamp over what is on the board.
 * @param {Stamp} stamp @param {number} column @param {number} row
 */
function press({ side, pixels }, column, row) {
  const under = board.pixels;
  let from = 0;
  for (let line = 0; line < side; line += 1) {
    let to = (row + line) * board.width + column;
    for (const end = from + side; from < end; from += 1, to += 1) {
      const above = pixels[from];
      if (above === 0) continue;
      // Most pixels of a dot cover what is under them, or nothing is.
      under[to] = above >= 0xff000000 || under[to] === 0 ? above : blend(above, under[to]);
    }
  }
}

/**
 * The colour of one pixel over another (Porter and Duff's "over", not premultiplied).
 * @param {number} above @param {number} below
 */
function blend(above, below) {
  const opacity = above >>> 24;
  const rest = ((below >>> 24) * (255 - opacity)) / 255;
  const whole = opacity + rest;
  const red = ((above & 255) * opacity + (below & 255) * rest) / whole;
  const green = (((above >>> 8) & 255) * opacity + ((below >>> 8) & 255) * rest) / whole;
  const blue = (((above >>> 16) & 255) * opacity + ((below >>> 16) & 255) * rest) / whole;
  return ((whole << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Bring a part of the board to the canvas, and wipe it. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} width @param {number} height */
function transfer(context, x, y, width, height) {
  const image = new ImageData(new Uint8ClampedArray(board.pixels.buffer), board.width, board.height);
  const own = /** @type {CanvasRenderingContext2D} */ (board.canvas.getContext("2d"));
  own.putImageData(image, 0, 0, x, y, width, height);
  context.drawImage(board.canvas, x, y, width, height, x, y, width, height);
  own.clearRect(x, y, width, height);
  for (let row = y; row < y + height; row += 1)
    board.pixels.fill(0, row * board.width + x, row * board.width + x + width);
}
