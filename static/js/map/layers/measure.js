/** Measures the length of a line whose corners are clicked, or set by Enter at the map's center. */

import { element } from "../../dom.js";
import { decimal, fill, gettext } from "../../i18n.js";
import { onThemeChange, themed } from "../colors.js";
import { ASPECT } from "../coords.js";
import { distance } from "../provenance.js";
import { toolButton } from "./tools.js";

const CORNER_PX = 4;

export class Measure {
  /** @param {L.Map} map @param {import("./canvas.js").Canvas} overlay */
  constructor(map, overlay) {
    this.map = map;
    this.overlay = overlay;
    this.active = false;
    /** @type {{x: number, y: number}[]} */
    this.corners = [];
    this.output = element("output", { class: "measured", role: "status", hidden: true });
    map.getContainer().append(this.output);
    this.button = toolButton(map, "measure", gettext("Measure a distance"), () => this.toggle(!this.active));
    this.button.setAttribute("aria-pressed", "false");
    overlay.painters.push(this);
    map.on("click", ({ latlng }) => this.add(latlng));
    map.getContainer().addEventListener("keydown", (event) => this.onKey(event));
    onThemeChange(() => overlay.repaint());
  }

  /** @param {boolean} active */
  toggle(active) {
    this.active = active;
    this.corners = [];
    this.button.setAttribute("aria-pressed", String(active));
    this.map.getContainer().classList.toggle("measuring", active);
    this.map.closePopup();
    if (active) this.map.getContainer().focus();
    this.showLength();
  }

  /** @param {L.LatLng} at */
  add({ lng, lat }) {
    if (!this.active) return;
    this.corners.push({ x: lng, y: lat });
    this.showLength();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (!this.active) return;
    if (event.key === "Escape") this.toggle(false);
    else if (event.key === "Backspace") this.corners.pop();
    else if (event.key === "Enter" && event.target === this.map.getContainer()) this.add(this.map.getCenter());
    else return;
    event.preventDefault();
    this.showLength();
  }

  showLength() {
    const steps = this.corners.slice(1).map((corner, at) => distance(corner, this.corners[at]) / ASPECT);
    const total = steps.reduce((sum, step) => sum + step, 0);
    this.output.hidden = !this.active;
    this.output.textContent = steps.length
      ? fill(gettext("Distance: %(distance)s (the zone is 100 wide)"), { distance: decimal(total) })
      : gettext("Click two places or more, or press Enter over them. Escape ends.");
    this.overlay.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, { left, top, across, down, ratio }) {
    if (!this.active) return;
    const pixels = this.corners.map(
      ({ x, y }) => /** @type {[number, number]} */ ([left + x * across, top + y * down]),
    );
    context.lineWidth = 2 * ratio;
    context.strokeStyle = context.fillStyle = themed("--mark");
    context.setLineDash([8 * ratio, 5 * ratio]);
    context.beginPath();
    for (const [right, below] of pixels) context.lineTo(right, below);
    context.stroke();
    context.setLineDash([]);
    for (const [right, below] of pixels) {
      context.beginPath();
      context.arc(right, below, CORNER_PX * ratio, 0, 2 * Math.PI);
      context.fill();
    }
  }
}
