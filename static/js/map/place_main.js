/** The small map on the page of a creature or source: raw positions and spawn points, one zone and floor at a time. */

import { need } from "../dom.js";
import { gettext, ngettext } from "../words.js";
import { fetchJson } from "./document.js";
import { themed } from "./colours.js";
import { Positions } from "./layers/positions.js";
import { fit, sheet } from "./layers/sheet.js";
import { Spawns } from "./layers/spawns.js";

const box = need("#map");
const state = need("#map-state");
const form = /** @type {HTMLFormElement} */ (need("#place"));
const name = need("h1").textContent ?? "";
const choice = /** @type {HTMLSelectElement} */ (form.elements.namedItem("place"));
const wantsPositions = /** @type {HTMLInputElement} */ (form.elements.namedItem("positions"));
const wantsSpawns = /** @type {HTMLInputElement|null} */ (form.elements.namedItem("spawns"));

const map = sheet(box);
const positions = new Positions(map);
/** @type {Spawns|null} */
let spawns = null;

choice.addEventListener("change", draw);
wantsPositions.addEventListener("change", () => positions.toggle(wantsPositions.checked));
wantsSpawns?.addEventListener("change", filterSpawns);
form.addEventListener("submit", (event) => event.preventDefault());
await draw();

async function draw() {
  const wanted = choice.value;
  const [zone, floor] = wanted.split("/");
  const query = `?zone=${zone}&floor=${floor}`;
  box.dataset.state = "loading";
  try {
    const [raw, estimated] = await Promise.all([
      fetchJson(`${box.dataset.url}/positions${query}`),
      wantsSpawns ? fetchJson(`${box.dataset.url}/spawns${query}`) : { features: [] },
    ]);
    if (choice.value !== wanted) return;
    positions.show(raw);
    showSpawns(estimated);
    fit(map, [...raw.features, ...estimated.features].map(place));
    state.textContent = said(raw.features.length, estimated.features.length);
    box.dataset.points = String(raw.features.length);
    box.dataset.state = "drawn";
  } catch (error) {
    state.textContent = `${gettext("The map could not be loaded. Reload the page to try again.")} (${/** @type {Error} */ (error).message})`;
    box.dataset.state = "failed";
  }
}

/** @param {{features: any[]}} geojson */
function showSpawns(geojson) {
  spawns?.layer.remove();
  const points = geojson.features.map((feature) => ({ ...place(feature), ...feature.properties }));
  spawns = new Spawns(map, [/** @type {any} */ ({ id: 1, name, spawns: points })], {
    colour: () => themed("--mark-fill"),
    url: () => "",
  });
  filterSpawns();
}

/** @param {{geometry: {coordinates: [number, number]}}} feature */
function place({ geometry: { coordinates: [x, y] } }) {
  return { x, y };
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
