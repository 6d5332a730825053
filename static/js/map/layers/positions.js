/** Layer of raw positions as players noted them: one small dot per coordinate. */

import { onThemeChange, themed } from "../colors.js";
import { crowding, fittingRadius } from "../dot_sizes.js";
import { SpatialIndex } from "../spatial_index.js";
import { drawDots } from "./dots.js";

const RADIUS = 2.6;

/** @typedef {import("../published.js").Position} Position */

export class Positions {
  /** @param {import("./canvas.js").Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.visible = true;
    this.index = new SpatialIndex(/** @type {Position[]} */ ([]));
    this.crowd = 0;
    this.color = "";
    canvas.painters.push(this);
    this.updateColor();
    onThemeChange(() => this.updateColor());
  }

  /** Replace what is drawn. @param {Position[]} positions */
  show(positions) {
    this.index = new SpatialIndex(positions);
    this.crowd = crowding(positions);
    this.canvas.repaint();
  }

  /** @param {boolean} visible */
  toggle(visible) {
    this.visible = visible;
    this.canvas.repaint();
  }

  /** @param {number} x @param {number} y @param {number} reach */
  at(x, y, reach) {
    return this.visible ? this.index.at(x, y, reach) : null;
  }

  updateColor() {
    this.color = themed("--water");
    this.canvas.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, view) {
    if (!this.visible) return;
    const style = { fill: this.color, edge: this.color, edgeWidth: 0.5, fillOpacity: 0.6 };
    drawDots(context, view, [{ points: this.index.points, style }], fittingRadius(view, RADIUS, this.crowd));
  }
}
