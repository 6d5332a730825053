/** Kinds of gathering sources, and their shapes on the map and in the form. */

/**
 * Corners of each kind's shape, to the right of its point and down, in radii.
 * @type {Record<string, [number, number][]>}
 */
export const SHAPES = {
  herb: [
    [0, -1.3],
    [1.3, 0],
    [0, 1.3],
    [-1.3, 0],
  ],
  ore: [
    [0, -1.2],
    [1.2, 0.9],
    [-1.2, 0.9],
  ],
  chest: [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ],
  fishing: [
    [-1.2, -0.9],
    [1.2, -0.9],
    [0, 1.2],
  ],
};

/** The largest distance of a corner along one axis. */
export const SHAPE_REACH = 1.3;

/** Clip elements with `data-shape` to the shape that their kind has on the map. @param {HTMLElement} root */
export function drawShapes(root) {
  for (const { style, dataset } of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-shape]"))) {
    const corners = SHAPES[String(dataset.shape)].map((corner) =>
      corner.map((at) => `${50 + (at / SHAPE_REACH) * 50}%`).join(" "),
    );
    style.setProperty("clip-path", `polygon(${corners.join(", ")})`);
  }
}
