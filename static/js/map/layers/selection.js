/** A ring around the dot whose popup is open: in a crowd, a popup's tip alone does not show which dot it belongs to. */

import { onThemeChange, themed } from "../colors.js";

const RADIUS_PX = 7;

/** The ring, and below it a wider one as its edge, so that it is seen on any background. */
const RINGS = [
  { color: "--raised", width: 5 },
  { color: "--text", width: 2 },
];

export class Selection {
  /** @param {import("./canvas.js").Canvas} overlay @param {L.Map} map */
  constructor(overlay, map) {
    this.overlay = overlay;
    /** @type {L.Popup|null} */
    this.popup = null;
    overlay.painters.push(this);
    map.on("popupopen", ({ popup }) => {
      // An open popup moves to another dot without being opened again.
      popup.on("contentupdate", this.repaint, this);
      this.select(popup);
    });
    map.on("popupclose", () => this.select(null));
    onThemeChange(() => this.repaint());
  }

  /** @param {L.Popup|null} popup */
  select(popup) {
    this.popup = popup;
    this.repaint();
  }

  repaint() {
    this.overlay.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, { left, top, across, down, ratio }) {
    const at = this.popup?.getLatLng();
    if (!at) return;
    context.beginPath();
    context.arc(left + at.lng * across, top + at.lat * down, RADIUS_PX * ratio, 0, 2 * Math.PI);
    for (const { color, width } of RINGS) {
      context.strokeStyle = themed(color);
      context.lineWidth = width * ratio;
      context.stroke();
    }
  }
}
