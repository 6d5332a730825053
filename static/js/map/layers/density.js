/** Density layer: a picture of how much was seen where. It also replaces the dots where they are too many to be seen. */

import { onThemeChange, themed } from "../colors.js";
import { EDGE } from "../coords.js";
import { COLUMNS, density, ROWS } from "../density.js";

/** Opacity of the densest cell, of 255. */
const MAX_OPACITY = 215;

export class Density {
  /**
   * @param {import("./canvas.js").Canvas} canvas @param {import("./spawns.js").Spawns} spawns
   * @param {(isShown: boolean) => void} onReplacing Called at each painting: whether the density replaces the dots.
   */
  constructor(canvas, spawns, onReplacing) {
    this.canvas = canvas;
    this.spawns = spawns;
    this.onReplacing = onReplacing;
    spawns.hasDensity = true;
    this.visible = false;
    /** @type {object|null} The array of points that the picture shows. */
    this.source = null;
    this.picture = document.createElement("canvas");
    this.picture.width = COLUMNS;
    this.picture.height = ROWS;
    canvas.painters.push(this);
    onThemeChange(() => {
      this.source = null;
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
    if (this.source !== this.spawns.shown) this.draw();
    context.drawImage(this.picture, left, top, EDGE * across, EDGE * down);
  }

  draw() {
    this.source = this.spawns.shown;
    const context = /** @type {CanvasRenderingContext2D} */ (
      this.picture.getContext("2d", { willReadFrequently: true })
    );
    // Painting one pixel converts the theme's color, in whatever CSS syntax, to red, green and blue.
    context.fillStyle = themed("--mark-fill");
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
    const image = context.createImageData(COLUMNS, ROWS);
    for (const [cell, share] of density(this.spawns.shown).entries()) {
      image.data.set([red, green, blue, share * MAX_OPACITY], cell * 4);
    }
    context.putImageData(image, 0, 0);
  }
}
