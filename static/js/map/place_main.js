/** The small map on the page of a creature or source: raw positions and spawn points, one zone and floor at a time. */

import { need } from "../dom.js";
import { gettext, ngettext } from "../words.js";
import { onThemeChange, themed } from "./colours.js";
import { fetchJson, places, placesOf } from "./document.js";
import { Canvas } from "./layers/canvas.js";
import { Chosen } from "./layers/chosen.js";
import { Paper } from "./layers/paper.js";
import { Positions } from "./layers/positions.js";
import { printed } from "./layers/print.js";
import { fit, sheet } from "./layers/sheet.js";
import { Spawns } from "./layers/spawns.js";
import { Pointer } from "./pointer.js";
import { positionPopup, spawnPopup, tip } from "./popups.js";

const box = need("#map");
const state = need("#map-state");
const form = /** @type {HTMLFormElement} */ (need("#place"));
const name = need("h1").textContent ?? "";
const choice = /** @type {HTMLSelectElement} */ (form.elements.namedItem("place"));
const wantsPositions = /** @type {HTMLInputElement} */ (form.elements.namedItem("positions"));
const wantsSpawns = /** @type {HTMLInputElement|null} */ (form.elements.namedItem("spawns"));

const map = sheet(box);
const paper = new Paper(map);
const canvas = new Canvas(map);
const over = new Canvas(map);
const positions = new Positions(canvas);
let fill = themed("--mark-fill");
/** @type {Spawns|null} */
let spawns = null;
/** @type {Promise<any>|null} */
let creature = null;
new Chosen(over, map);
new Pointer(map, { find });
printed(map, box, { canvases: [canvas, over], caption: () => choice.selectedOptions[0].textContent ?? "" });
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
    const { positions: raw, spawns: estimated } = await found(Number(zone), Number(floor));
    if (choice.value !== wanted) return;
    positions.show(raw);
    spawns?.remove();
    spawns = new Spawns(canvas, over, [/** @type {any} */ ({ id: 1, name, spawns: estimated })], () => fill);
    filterSpawns();
    fit(map, [...raw, ...estimated]);
    state.textContent = said(raw.length, estimated.length);
    box.dataset.points = String(raw.length);
    layPaper();
    box.dataset.state = "drawn";
  } catch (error) {
    state.textContent = `${gettext("The map could not be loaded. Reload the page to try again.")} (${/** @type {Error} */ (error).message})`;
    box.dataset.state = "failed";
  }
}

/**
 * A creature's places are one document, fetched once; a source's positions are asked for zone by zone.
 * @param {number} zone @param {number} floor
 * @returns {Promise<{positions: any[], spawns: any[]}>}
 */
async function found(zone, floor) {
  const { of, url } = box.dataset;
  if (of !== "mobs") {
    const positions = places(await fetchJson(`${url}/positions?zone=${zone}&floor=${floor}`));
    return { positions, spawns: [] };
  }
  creature ??= fetchJson(`${url}/places`);
  creature.catch(() => (creature = null));
  return placesOf(await creature, zone, floor);
}

/** Lay what the chosen zone looks like, below its dots. */
function layPaper() {
  const { ground, image, imageZoom } = choice.selectedOptions[0].dataset;
  paper.show({ ground, image, imageZoom: Number(imageZoom) });
}

/** What lies there: spawn points above positions. @param {number} x @param {number} y @param {number} reach */
function find(x, y, reach) {
  const point = spawns?.at(x, y, reach);
  if (point) return { ...point, mob: null, tip: () => tip(name, point), popup: () => spawnPopup(name, "", point) };
  const position = positions.at(x, y, reach);
  return position && { ...position, tip: () => tip(name, position), popup: () => positionPopup(position) };
}

function filterSpawns() {
  const floor = Number(choice.value.split("/")[1]);
  spawns?.filter({ shown: () => Boolean(wantsSpawns?.checked), floor, confirmed: false });
}

/** @param {number} raw @param {number} estimated */
function said(raw, estimated) {
  const noted = ngettext("%(count)s noted position", "%(count)s noted positions", raw);
  if (!wantsSpawns) return noted;
  return `${noted}, ${ngettext("%(count)s estimated spawn point", "%(count)s estimated spawn points", estimated)}`;
}
