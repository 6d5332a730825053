/** The kinds of gathering places: their shapes on the map and beside their switches. */

/** Corners of each kind's shape around its place, to the right and down, in radii. @type {Record<string, [number, number][]>} */
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
const REACH = 1.3;

/** Give the signs beside switches and names the shapes that stand on the map. @param {HTMLElement} root */
export function shapeSigns(root) {
  for (const sign of root.querySelectorAll("[data-shape]")) {
    const { style, dataset } = /** @type {HTMLElement} */ (sign);
    const corners = SHAPES[String(dataset.shape)].map((corner) =>
      corner.map((at) => `${50 + (at / REACH) * 50}%`).join(" "),
    );
    style.setProperty("clip-path", `polygon(${corners.join(", ")})`);
  }
}
