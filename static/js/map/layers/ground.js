/** What lies under the dots: the areas and the density of what is shown. */

import { areas } from "../areas.js";
import { onThemeChange, themed } from "../colours.js";
import { EDGE } from "../coords.js";
import { ACROSS, DOWN, density } from "../density.js";

/** Opacity where most was seen, of 255. */
const DENSEST = 215;

/**
 * @typedef {import("../document.js").Point} Point
 * @typedef {{of: Point[], rings: import("../areas.js").Ring[]}} Area
 */

export class Areas {
  /** @param {import("./canvas.js").Canvas} canvas @param {import("./spawns.js").Spawns} spawns */
  constructor(canvas, spawns) {
    this.canvas = canvas;
    this.spawns = spawns;
    this.visible = false;
    /** By the very list of points they were made of, as a list is made anew when the filters change. @type {WeakMap<object, Area[]>} */
    this.known = new WeakMap();
    canvas.painters.push(this);
  }

  /** @param {boolean} visible */
  toggle(visible) {
    this.visible = visible;
    this.canvas.repaint();
  }

  /** The areas that are drawn, with their creatures. */
  get shown() {
    if (!this.visible) return [];
    return this.spawns.drawn.flatMap(({ mob, points }) => this.areasOf(points).map((area) => ({ ...area, mob })));
  }

  /** @param {Point[]} points */
  areasOf(points) {
    const known = this.known.get(points) ?? areas(points);
    this.known.set(points, known);
    return known;
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, { left, top, across, down, ratio }) {
    if (!this.visible) return;
    for (const { mob, points } of this.spawns.drawn) {
      context.beginPath();
      for (const ring of this.areasOf(points).flatMap(({ rings }) => rings)) {
        for (const [x, y] of ring) context.lineTo(left + x * across, top + y * down);
        context.closePath();
      }
      context.fillStyle = context.strokeStyle = this.spawns.colour(mob);
      context.lineWidth = 1.2 * ratio;
      context.globalAlpha = 0.16;
      context.fill();
      context.globalAlpha = 0.75;
      context.stroke();
    }
    context.globalAlpha = 1;
  }
}

export class Density {
  /**
   * @param {import("./canvas.js").Canvas} canvas @param {import("./spawns.js").Spawns} spawns
   * @param {(isShown: boolean) => void} onReplacing Called with whether it is shown in place of the dots.
   */
  constructor(canvas, spawns, onReplacing) {
    this.canvas = canvas;
    this.spawns = spawns;
    this.onReplacing = onReplacing;
    spawns.standIn = this;
    this.visible = false;
    /** @type {object|null} The list of points that the picture shows. */
    this.of = null;
    this.picture = document.createElement("canvas");
    this.picture.width = ACROSS;
    this.picture.height = DOWN;
    canvas.painters.push(this);
    onThemeChange(() => {
      this.of = null;
      canvas.repaint();
    });
  }

  /** @param {boolean} visible */
  toggle(visible) {
    this.visible = visible;
    this.canvas.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, view) {
    const replacing = this.spawns.isReplaced(view);
    this.onReplacing(replacing);
    if (!this.visible && !replacing) return;
    const { left, top, across, down } = view;
    if (this.of !== this.spawns.shown) this.draw();
    context.drawImage(this.picture, left, top, EDGE * across, EDGE * down);
  }

  draw() {
    this.of = this.spawns.shown;
    const context = /** @type {CanvasRenderingContext2D} */ (
      this.picture.getContext("2d", { willReadFrequently: true })
    );
    // One pixel in the theme's colour tells its red, green and blue, however the style sheet writes them.
    context.fillStyle = themed("--mark-fill");
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
    const image = context.createImageData(ACROSS, DOWN);
    for (const [cell, share] of density(this.spawns.shown).entries()) {
      image.data.set([red, green, blue, share * DENSEST], cell * 4);
    }
    context.putImageData(image, 0, 0);
  }
}
