/** The kinds of gathering places beside a zone's map: their shapes, and the switches that show them. */

/** Corners of each kind's shape around its place, to the right and down, in radii. @type {Record<string, [number, number][]>} */
export const SHAPES = {
  herb: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  ore: [[0, -1.2], [1.2, 0.9], [-1.2, 0.9]],
  chest: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  fishing: [[-1.2, -0.9], [1.2, -0.9], [0, 1.2]],
};

/** The largest distance of a corner along one axis. */
const REACH = 1.3;

export class Kinds {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    /** @type {HTMLInputElement[]} */
    this.boxes = [...form.querySelectorAll("input[name=gathering]")];
    for (const { value, parentElement } of this.boxes) {
      const corners = SHAPES[value].map((corner) => corner.map((at) => `${50 + (at / REACH) * 50}%`).join(" "));
      const shape = /** @type {HTMLElement|null} */ (parentElement?.querySelector(".shape"));
      shape?.style.setProperty("clip-path", `polygon(${corners.join(", ")})`);
    }
  }

  /** @returns {Set<string>} */
  get shown() {
    return new Set(this.boxes.filter((box) => box.checked).map((box) => box.value));
  }

  /** @param {Set<string>} wanted */
  set shown(wanted) {
    for (const box of this.boxes) box.checked = wanted.has(box.value);
  }
}
