/** The map on the page of a creature or source: raw positions and spawn points of one habitat (zone and floor) at a time. */

import { need } from "../dom.js";
import { gettext, ngettext } from "../i18n.js";
import { onThemeChange, themed } from "./colors.js";
import { Background } from "./layers/background.js";
import { createMap, fit } from "./layers/base_map.js";
import { Canvas } from "./layers/canvas.js";
import { Positions } from "./layers/positions.js";
import { printMap } from "./layers/print.js";
import { Selection } from "./layers/selection.js";
import { Spawns } from "./layers/spawns.js";
import { Pointer } from "./pointer.js";
import { positionPopup, spawnPopup, tooltip } from "./popups.js";
import { fetchJson, habitat, positions as unpackPositions } from "./published.js";

const box = need("#map");
const state = need("#map-state");
const form = /** @type {HTMLFormElement} */ (need("#habitat"));
const name = need("h1").textContent ?? "";
const choice = /** @type {HTMLSelectElement} */ (form.elements.namedItem("habitat"));
const wantsPositions = /** @type {HTMLInputElement} */ (form.elements.namedItem("positions"));
const wantsSpawns = /** @type {HTMLInputElement|null} */ (form.elements.namedItem("spawns"));

const map = createMap(box);
const background = new Background(map);
const canvas = new Canvas(map);
const overlay = new Canvas(map);
const positions = new Positions(canvas);
let fill = themed("--mark-fill");
/** @type {Spawns|null} */
let spawns = null;
/** @type {Promise<import("./published.js").MobHabitats>|null} */
let habitats = null;
new Selection(overlay, map);
new Pointer(map, { find });
printMap(map, box, { canvases: [canvas, overlay], caption: () => choice.selectedOptions[0].textContent ?? "" });
onThemeChange(() => {
  fill = themed("--mark-fill");
  spawns?.repaint();
});

choice.addEventListener("change", draw);
wantsPositions.addEventListener("change", () => positions.toggle(wantsPositions.checked));
wantsSpawns?.addEventListener("change", filterSpawns);
form.addEventListener("submit", (event) => event.preventDefault());
await draw();

async function draw() {
  const wanted = choice.value;
  const [zone, floor] = wanted.split("/");
  box.dataset.state = "loading";
  try {
    const { positions: raw, spawns: estimated } = await fetchHabitat(Number(zone), Number(floor));
    if (choice.value !== wanted) return;
    positions.show(raw);
    spawns?.remove();
    spawns = new Spawns(canvas, overlay, [{ id: 1, name, spawns: estimated }], () => fill);
    filterSpawns();
    fit(map, [...raw, ...estimated]);
    state.textContent = summary(raw.length, estimated.length);
    box.dataset.points = String(raw.length);
    showBackground();
    box.dataset.state = "drawn";
  } catch (error) {
    state.textContent = `${gettext("The map could not be loaded. Reload the page to try again.")} (${/** @type {Error} */ (error).message})`;
    box.dataset.state = "failed";
  }
}

/**
 * Fetch one habitat. All habitats of a creature are one file, fetched once; those of a source are separate answers.
 * @param {number} zone @param {number} floor
 * @returns {Promise<ReturnType<typeof habitat>>}
 */
async function fetchHabitat(zone, floor) {
  const { of, url } = box.dataset;
  if (of !== "mobs") {
    const positions = unpackPositions(await fetchJson(`${url}/positions?zone=${zone}&floor=${floor}`));
    return { positions, spawns: [] };
  }
  habitats ??= fetchJson(`${url}/places`);
  habitats.catch(() => (habitats = null));
  return habitat(await habitats, zone, floor);
}

/** Show the background of the chosen zone and floor. */
function showBackground() {
  const { ground: contours, image, imageZoom } = choice.selectedOptions[0].dataset;
  background.show({ contours, image, imageZoom: Number(imageZoom) });
}

/** Return the point there: spawn points before positions. @param {number} x @param {number} y @param {number} reach */
function find(x, y, reach) {
  const point = spawns?.at(x, y, reach);
  if (point) {
    return { ...point, mob: null, tooltip: () => tooltip(name, point), popup: () => spawnPopup(name, "", point) };
  }
  const position = positions.at(x, y, reach);
  return position && { ...position, tooltip: () => tooltip(name, position), popup: () => positionPopup(position) };
}

function filterSpawns() {
  const floor = Number(choice.value.split("/")[1]);
  spawns?.filter({ shown: () => Boolean(wantsSpawns?.checked), floor, confirmed: false });
}

/** @param {number} raw @param {number} estimated */
function summary(raw, estimated) {
  const noted = ngettext("%(count)s noted position", "%(count)s noted positions", raw);
  if (!wantsSpawns) return noted;
  return `${noted}, ${ngettext("%(count)s estimated spawn point", "%(count)s estimated spawn points", estimated)}`;
}
