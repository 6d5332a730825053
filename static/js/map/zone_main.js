/** The page of a zone: ties the map, the list and the address together. */

import { need } from "../dom.js";
import { gettext } from "../words.js";
import * as address from "./address.js";
import { colour } from "./colours.js";
import { fetchJson, mobs as unpackMobs } from "./document.js";
import { sheet } from "./layers/sheet.js";
import { Spawns } from "./layers/spawns.js";
import { List } from "./list.js";

const box = need("#map");
const state = need(".map-state");
const root = document.querySelector("#mobs");
const handle = need(".drawer-handle");

handle.addEventListener("click", () => {
  handle.setAttribute("aria-expanded", String(handle.getAttribute("aria-expanded") !== "true"));
});

if (root instanceof HTMLElement) await start(root);
else sheet(box);

/** @param {HTMLElement} listRoot */
async function start(listRoot) {
  const form = /** @type {HTMLFormElement} */ (need("#filters"));
  const floorChoice = /** @type {HTMLSelectElement|null} */ (form.elements.namedItem("floor"));
  const confirmedOnly = /** @type {HTMLInputElement} */ (form.elements.namedItem("confirmed"));

  /** @type {Spawns|undefined} */
  let spawns;
  let restoring = false;
  const list = new List(listRoot, form, { onChange: redraw, onHover: (id) => light(id, false) });
  const ids = list.ids;
  const places = new Map(ids.map((id, place) => [id, place]));
  const colourOf = (/** @type {number} */ id) => colour(places.get(id) ?? 0);
  list.paint(colourOf);

  const map = sheet(box, address.read(location.hash, ids).at);
  box.dataset.state = "loading";
  restore(true);

  try {
    const body = await fetchJson(String(box.dataset.document));
    const url = (/** @type {import("./document.js").Mob} */ mob) => `${box.dataset.mobs}${mob.id}`;
    spawns = new Spawns(map, unpackMobs(body), {
      colour: (mob) => colourOf(mob.id),
      url,
      onHover: (id) => light(id, true),
    });
    redraw();
    box.dataset.state = "drawn";
  } catch (error) {
    state.textContent = `${gettext("The map could not be loaded. Reload the page to try again.")} (${/** @type {Error} */ (error).message})`;
    state.hidden = false;
    box.dataset.state = "failed";
  }
  map.on("moveend", remember);
  addEventListener("hashchange", () => restore(false));

  /** @param {number|null} id @param {boolean} fromMap */
  function light(id, fromMap) {
    spawns?.light(id);
    list.light(id, fromMap);
  }

  function floor() {
    return floorChoice ? Number(floorChoice.value) : firstFloor();
  }

  /** Without a choice there is one floor at most; it need not be the ground. */
  function firstFloor() {
    return Number(box.dataset.floor ?? 0);
  }

  function redraw() {
    if (restoring) return;
    const count = spawns?.filter({
      shown: (id) => list.isShown(id),
      floor: floor(),
      confirmed: confirmedOnly.checked,
    });
    if (count !== undefined) {
      list.say(count);
      box.dataset.points = String(count);
    }
    remember();
  }

  function remember() {
    if (restoring || box.dataset.state !== "drawn") return;
    const { lat, lng } = map.getCenter();
    const view = {
      at: { x: lng, y: lat, zoom: map.getZoom() },
      floor: floorChoice ? floor() : null,
      shown: list.shown,
      confirmed: confirmedOnly.checked,
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
}
