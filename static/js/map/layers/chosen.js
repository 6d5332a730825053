/** A ring around the dot whose story is open: among thousands a popup's tip alone does not tell which one it is. */

import { onThemeChange, themed } from "../colours.js";

const RADIUS_PX = 7;

/** The ring and, beneath it, its edge: seen on whatever lies around. */
const RINGS = [
  { colour: "--raised", width: 5 },
  { colour: "--ink", width: 2 },
];

export class Chosen {
  /** @param {import("./canvas.js").Canvas} over @param {L.Map} map */
  constructor(over, map) {
    this.over = over;
    /** @type {L.Popup|null} */
    this.popup = null;
    over.painters.push(this);
    map.on("popupopen", ({ popup }) => {
      // A popup that is open already goes on to another dot without being opened anew.
      popup.on("contentupdate", this.repaint, this);
      this.choose(popup);
    });
    map.on("popupclose", () => this.choose(null));
    onThemeChange(() => this.repaint());
  }

  /** @param {L.Popup|null} popup */
  choose(popup) {
    this.popup = popup;
    this.repaint();
  }

  repaint() {
    this.over.repaint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./canvas.js").View} view */
  paint(context, { left, top, across, down, ratio }) {
    const at = this.popup?.getLatLng();
    if (!at) return;
    context.beginPath();
    context.arc(left + at.lng * across, top + at.lat * down, RADIUS_PX * ratio, 0, 2 * Math.PI);
    for (const { colour, width } of RINGS) {
      context.strokeStyle = themed(colour);
      context.lineWidth = width * ratio;
      context.stroke();
    }
  }
}
