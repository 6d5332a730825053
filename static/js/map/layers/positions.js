/** Raw positions as players noted them: one small dot per merged coordinate. */

import { onThemeChange, themed } from "../colours.js";
import { Nearest } from "../nearest.js";
import { crowding, fitting } from "../sizes.js";
import { stampAll } from "./dots.js";

const RADIUS = 2.6;

/** @typedef {{x: number, y: number, sightings: number, uploaders: number, first_seen: string, last_seen: string}} Position */

export class Positions {
  /** @param {import("./canvas.js").Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.visible = true;
    this.index = new Nearest(/** @type {Position[]} */ ([]));
    this.crowd = 0;
    this.ink = "";
    canvas.painters.push(this);
    this.paintInk();
    onThemeChange(() => this.paintInk());
  }

  /** Replace what is drawn. @param {Position[]} positions */
  show(positions) {
    this.index = new Nearest(positions);
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

  paintInk() {
    this.ink = themed("--water");
    this.canvas.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, view) {
    if (!this.visible) return;
    const look = { fill: this.ink, edge: this.ink, edgeWidth: 0.5, fillOpacity: 0.6 };
    stampAll(context, view, [{ places: this.index.places, look }], fitting(view, RADIUS, this.crowd));
  }
}
