/** The page of a zone: ties the map, the list, the gathering places and the address together. */

import { need } from "../dom.js";
import { gettext } from "../words.js";
import * as address from "./address.js";
import { colour, onThemeChange } from "./colours.js";
import { fetchJson, mobs as unpackMobs, sources as unpackSources } from "./document.js";
import { Kinds } from "./kinds.js";
import { Gathering } from "./layers/gathering.js";
import { fit, sheet } from "./layers/sheet.js";
import { Spawns } from "./layers/spawns.js";
import { List } from "./list.js";

const box = need("#map");
const state = need(".map-state");
const handle = need(".drawer-handle");
const form = /** @type {HTMLFormElement} */ (need("#filters"));
const floorChoice = /** @type {HTMLSelectElement|null} */ (form.elements.namedItem("floor"));
const confirmedOnly = /** @type {HTMLInputElement} */ (form.elements.namedItem("confirmed"));

/** @type {Spawns|undefined} */
let spawns;
/** @type {Promise<Gathering>|undefined} */
let loading;
let restoring = false;

const list = new List(need("#mobs"), form, { onChange: redraw, onHover: (id) => light(id, false) });
const kinds = new Kinds(form);
const ids = list.ids;
const places = new Map(ids.map((id, place) => [id, place]));
const colourOf = (/** @type {number} */ id) => colour(places.get(id) ?? 0);

handle.addEventListener("click", () => {
  handle.setAttribute("aria-expanded", String(handle.getAttribute("aria-expanded") !== "true"));
});
list.paint(colourOf);
onThemeChange(() => list.paint(colourOf));

const wanted = address.read(location.hash, ids);
const map = sheet(box, wanted.at);
box.dataset.state = "loading";
restore(true);
try {
  const body = await fetchJson(String(box.dataset.document));
  const url = (/** @type {import("./document.js").Mob} */ mob) => `${box.dataset.mobs}${mob.id}`;
  const onHover = (/** @type {number|null} */ id) => light(id, true);
  spawns = new Spawns(map, unpackMobs(body), { colour: (mob) => colourOf(mob.id), url, onHover });
  redraw();
  if (!wanted.at && wanted.shown !== "all") {
    fit(map, spawns.visible);
    list.reveal();
  }
  box.dataset.state = "drawn";
} catch (error) {
  fail(error);
  box.dataset.state = "failed";
}
map.on("moveend", remember);
addEventListener("hashchange", () => restore(false));

/** @param {unknown} error */
function fail(error) {
  state.textContent = `${gettext("The map could not be loaded. Reload the page to try again.")} (${/** @type {Error} */ (error).message})`;
  state.hidden = false;
}

/** @param {number|null} id @param {boolean} fromMap */
function light(id, fromMap) {
  spawns?.light(id);
  list.light(id, fromMap);
}

/** Without a choice there is one floor at most; it need not be the ground. */
function floor() {
  return Number(floorChoice?.value ?? box.dataset.floor ?? 0);
}

function redraw() {
  if (restoring) return;
  if (spawns) {
    const count = spawns.filter({ shown: (id) => list.isShown(id), floor: floor(), confirmed: confirmedOnly.checked });
    list.say(count);
    box.dataset.points = String(count);
  }
  gather();
  remember();
}

/** Draw the kinds of gathering places that are switched on. Their document is fetched when the first one is. */
async function gather() {
  if (!loading && kinds.shown.size === 0) return;
  const url = (/** @type {import("./document.js").Source} */ source) => `${box.dataset.sourcePages}${source.id}`;
  loading ??= fetchJson(String(box.dataset.sources)).then((body) => new Gathering(map, unpackSources(body), url));
  try {
    const gathering = await loading;
    box.dataset.gathering = String(gathering.filter(kinds.shown, floor()));
    state.hidden = box.dataset.state !== "failed";
  } catch (error) {
    loading = undefined;
    fail(error);
  }
}

function remember() {
  if (restoring || box.dataset.state !== "drawn") return;
  const { lat, lng } = map.getCenter();
  const view = {
    at: { x: lng, y: lat, zoom: map.getZoom() },
    floor: floorChoice ? floor() : null,
    shown: list.shown,
    confirmed: confirmedOnly.checked,
    gathering: kinds.shown,
    name: list.field("name")?.value ?? "",
    low: wholeOf("low"),
    high: wholeOf("high"),
  };
  history.replaceState(null, "", address.write(view, ids) || location.pathname + location.search);
}

/** @param {string} name */
function wholeOf(name) {
  const value = list.field(name)?.value;
  return value ? Number.parseInt(value, 10) : null;
}

/** @param {boolean} placed Whether the map already stands where the address says. */
function restore(placed) {
  const view = address.read(location.hash, ids);
  restoring = true;
  list.shown = view.shown;
  kinds.shown = view.gathering;
  confirmedOnly.checked = view.confirmed;
  const values = { name: view.name, low: view.low ?? "", high: view.high ?? "", floor: view.floor ?? "" };
  for (const [name, value] of Object.entries(values)) {
    const field = list.field(name);
    if (field && (name !== "floor" || value !== "")) field.value = String(value);
  }
  list.filter();
  if (view.at && !placed) map.setView([view.at.y, view.at.x], view.at.zoom, { animate: false });
  restoring = false;
  redraw();
}
