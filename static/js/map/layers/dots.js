/**
 * Draws dots pixel by pixel. Without a graphics card, a canvas takes some five microseconds to copy an image: a quarter
 * of a second for 50,000 dots. Writing their pixels takes a tenth of that.
 */

import { SHAPE_REACH, SHAPES } from "../kinds.js";

/** Room around a sprite for its edge, in pixels of the canvas. */
const PADDING = 3;

/** Dots of at least this radius, in pixels of the page, have edges of the full width; smaller ones have thinner edges. */
const FULL_EDGE_RADIUS = 2.6;

/** Opacity of dots that were not seen for long, of 1. */
const FADED_OPACITY = 0.22;

/** Cached sprites. Few styles and sizes are in use at a time; earlier zooms and themes leave unused ones behind. */
const MAX_SPRITES = 6000;

/**
 * @typedef {object} Style
 * @property {string} fill @property {string} edge Colors.
 * @property {number} edgeWidth @property {number} fillOpacity
 * @property {string} [shape] A kind of gathering source; a circle without one.
 * @typedef {{points: {x: number, y: number}[], style: Style, faded?: boolean}} Group Dots that look the same.
 * @typedef {object} Sprite The pixels of one dot.
 * @property {number} side Width and height in pixels. @property {Uint32Array} pixels RGBA, red in the lowest byte.
 */

const scratch = document.createElement("canvas");
const drawing = /** @type {CanvasRenderingContext2D} */ (scratch.getContext("2d", { willReadFrequently: true }));

/** @type {Map<string, Sprite>} */
const sprites = new Map();

/**
 * @param {Group} group @param {number} radius In pixels of the canvas, without the edge. @param {number} ratio
 * @returns {Sprite}
 */
function sprite({ style: { shape, fill, edge, edgeWidth, fillOpacity }, faded = false }, radius, ratio) {
  const key = `${shape}|${fill}|${edge}|${edgeWidth}|${fillOpacity}|${faded}|${radius}|${ratio}`;
  const known = sprites.get(key);
  if (known) return known;
  const side = 2 * (Math.ceil(radius * SHAPE_REACH) + PADDING);
  if (scratch.width < side) scratch.width = scratch.height = side;
  drawing.setTransform(1, 0, 0, 1, side / 2, side / 2);
  drawing.clearRect(-side / 2, -side / 2, side, side);
  drawing.beginPath();
  if (shape) for (const [right, down] of SHAPES[shape]) drawing.lineTo(right * radius, down * radius);
  else drawing.arc(0, 0, radius, 0, 2 * Math.PI);
  drawing.closePath();
  drawing.globalAlpha = fillOpacity * (faded ? FADED_OPACITY : 1);
  drawing.fillStyle = fill;
  drawing.fill();
  drawing.globalAlpha = faded ? FADED_OPACITY : 1;
  drawing.lineWidth = edgeWidth * Math.min(ratio, radius / FULL_EDGE_RADIUS);
  drawing.strokeStyle = edge;
  drawing.stroke();
  const drawn = { side, pixels: new Uint32Array(drawing.getImageData(0, 0, side, side).data.buffer) };
  if (sprites.size > MAX_SPRITES) sprites.clear();
  sprites.set(key, drawn);
  return drawn;
}

/** Off-screen buffer that all dots are drawn into before they are copied to the canvas, which has the same size. */
const buffer = { canvas: document.createElement("canvas"), width: 0, height: 0, pixels: new Uint32Array(0) };

/** @param {number} width @param {number} height */
function resizeBuffer(width, height) {
  if (buffer.width === width && buffer.height === height) return;
  buffer.canvas.width = buffer.width = width;
  buffer.canvas.height = buffer.height = height;
  buffer.pixels = new Uint32Array(width * height);
}

/**
 * Draw groups of dots, later ones over earlier ones.
 * @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view
 * @param {Group[]} groups @param {number} radius In pixels of the page.
 */
export function drawDots(context, { left, top, across, down, width, height, ratio }, groups, radius) {
  resizeBuffer(width, height);
  const size = Math.round(radius * ratio * 2) / 2;
  let [west, north, east, south] = [width, height, 0, 0];
  for (const group of groups) {
    if (group.points.length === 0) continue;
    const image = sprite(group, size, ratio);
    const half = image.side / 2;
    for (const { x, y } of group.points) {
      const column = Math.round(left + x * across) - half;
      const row = Math.round(top + y * down) - half;
      if (column < 0 || row < 0 || column + image.side > width || row + image.side > height) continue;
      composite(image, column, row);
      if (column < west) west = column;
      if (row < north) north = row;
      if (column + image.side > east) east = column + image.side;
      if (row + image.side > south) south = row + image.side;
    }
  }
  if (east > west) flush(context, west, north, east - west, south - north);
}

/**
 * Draw a sprite over what is in the buffer.
 * @param {Sprite} sprite @param {number} column @param {number} row
 */
function composite({ side, pixels }, column, row) {
  const below = buffer.pixels;
  let from = 0;
  for (let line = 0; line < side; line += 1) {
    let to = (row + line) * buffer.width + column;
    for (const end = from + side; from < end; from += 1, to += 1) {
      const above = pixels[from];
      if (above === 0) continue;
      // Most pixels need no blending: they are opaque, or there is nothing below.
      below[to] = above >= 0xff000000 || below[to] === 0 ? above : blend(above, below[to]);
    }
  }
}

/**
 * Return the color of one pixel over another (Porter and Duff's "over", not premultiplied).
 * @param {number} above @param {number} below
 */
function blend(above, below) {
  const opacity = above >>> 24;
  const rest = ((below >>> 24) * (255 - opacity)) / 255;
  const sum = opacity + rest;
  const red = ((above & 255) * opacity + (below & 255) * rest) / sum;
  const green = (((above >>> 8) & 255) * opacity + ((below >>> 8) & 255) * rest) / sum;
  const blue = (((above >>> 16) & 255) * opacity + ((below >>> 16) & 255) * rest) / sum;
  return ((sum << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/**
 * Copy a rectangle of the buffer to the canvas, and clear it.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x @param {number} y @param {number} width @param {number} height
 */
function flush(context, x, y, width, height) {
  const image = new ImageData(new Uint8ClampedArray(buffer.pixels.buffer), buffer.width, buffer.height);
  const own = /** @type {CanvasRenderingContext2D} */ (buffer.canvas.getContext("2d"));
  own.putImageData(image, 0, 0, x, y, width, height);
  context.drawImage(buffer.canvas, x, y, width, height, x, y, width, height);
  own.clearRect(x, y, width, height);
  for (let row = y; row < y + height; row += 1) {
    buffer.pixels.fill(0, row * buffer.width + x, row * buffer.width + x + width);
  }
}
