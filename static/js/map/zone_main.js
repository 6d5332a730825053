/** The page of a zone: ties the map, the list, the controls and the address together. */

import { need } from "../dom.js";
import { gettext } from "../words.js";
import * as address from "./address.js";
import { colour, levelColour, onThemeChange, reactionColour } from "./colours.js";
import { Controls } from "./controls.js";
import { WHOLE_ZONE } from "./coords.js";
import { addresses, fetchJson, mobs as unpackMobs, sources as unpackSources } from "./document.js";
import { area, dot } from "./download.js";
import { Drawer } from "./drawer.js";
import { reactionsOf } from "./filter.js";
import { Gathered } from "./gathered.js";
import { shapeSigns } from "./kinds.js";
import { Canvas } from "./layers/canvas.js";
import { Chosen } from "./layers/chosen.js";
import { Gathering } from "./layers/gathering.js";
import { Areas, Density } from "./layers/ground.js";
import { Measure } from "./layers/measure.js";
import { Origin } from "./layers/origin.js";
import { Paper } from "./layers/paper.js";
import { printed } from "./layers/print.js";
import { fit, sheet, stand } from "./layers/sheet.js";
import { Spawns } from "./layers/spawns.js";
import { fullScreen } from "./layers/tools.js";
import { legend } from "./legend.js";
import { List } from "./list.js";
import { Pointer } from "./pointer.js";
import { gatheringPopup, spawnPopup, tip } from "./popups.js";
import { share, tellView } from "./share.js";

const DAY_MS = 86_400_000;

/** Zoom levels past the whole zone at which the positions around a dot can be told apart. */
const STORY_ZOOM = 2.5;

const box = need("#map");
const state = need(".map-state");
const crowded = need("#crowded");
const { zone = "", map: mapUrl = "", api = "", mobPages, sourcePages } = box.dataset;
const urls = addresses(api);
// Asked for before anything is built, so that server and browser work at the same time.
const fetched = fetchJson(mapUrl);
fetched.catch(() => {});

/** @type {Spawns|undefined} */
let spawns;
/** @type {Areas|undefined} */
let areas;
/** @type {Density|undefined} */
let density;
/** @type {Gathering|undefined} */
let gathering;
/** @type {Gathered|undefined} */
let gathered;
/** @type {Promise<void>|undefined} */
let loading;
let restoring = false;

const form = /** @type {HTMLFormElement} */ (need("#filters"));
const controls = new Controls(form, refilter);
const list = new List(need("#mobs"), {
  page: (id) => `${mobPages}${id}`,
  onChange: redraw,
  onHover: (id) => light(id, false),
  onPlace: show,
});
let ranks = ranked(list.ids);
let levels = list.levels;
/** Every creature's colour as it is now. @type {Map<number, string>} */
const shades = new Map();

shapeSigns(form);
for (const button of form.querySelectorAll("[data-all]")) {
  button.addEventListener("click", () => list.switchAll(button.getAttribute("data-all") === "on"));
}

let wanted = address.read(location.hash, list.ids);
const map = sheet(box, wanted.at);
const canvas = new Canvas(map);
const over = new Canvas(map);
const measure = new Measure(map, over);
fullScreen(map, need(".zone-body"));
const origin = new Origin(over, map);
new Chosen(over, map);
const drawer = new Drawer(box);
const pointer = new Pointer(map, {
  find,
  onHover: (id) => light(id, true),
  isBusy: () => measure.active,
  makeRoom: () => drawer.makeRoom(),
});
const paper = new Paper(map);
const sharing = /** @type {HTMLElement|null} */ (document.querySelector("#share"));
if (sharing) share(sharing, { dots });
onThemeChange(recolour);
printed(map, box, { canvases: [canvas, over], caption });
box.dataset.state = "loading";
restore(wanted);
try {
  const mobs = unpackMobs(await fetched);
  if (list.take(mobs)) {
    // The same colours and addresses whatever the list holds.
    ranks = ranked(mobs.map(({ id }) => id));
    levels = list.levels;
    wanted = address.read(location.hash, list.ids);
    restore(wanted);
  }
  spawns = new Spawns(canvas, over, mobs, (mob) => String(shades.get(mob.id)));
  areas = new Areas(canvas, spawns);
  density = new Density(canvas, spawns, (isShown) => (crowded.hidden = !isShown));
  // Painted in this order: what covers the most ground lies lowest.
  canvas.painters = [density, areas, spawns, ...(gathering ? [gathering] : [])];
  redraw();
  if (!wanted.at && wanted.shown !== "all") lookAtShown();
  box.dataset.state = "drawn";
  requestAnimationFrame(() => performance.mark("first dots"));
  // Only now: what the dots stand on must not keep them waiting.
  layPaper(controls.choices.layers);
} catch (error) {
  fail(error);
  box.dataset.state = "failed";
}
map.on("moveend", remember);
addEventListener("hashchange", follow);

/** @param {unknown} error */
function fail(error) {
  state.textContent = `${gettext("The map could not be loaded. Reload the page to try again.")} (${/** @type {Error} */ (error).message})`;
  state.hidden = false;
}

/** @param {number[]} ids */
function ranked(ids) {
  return new Map(ids.map((id, rank) => [id, rank]));
}

/** @param {number|null} id @param {boolean} fromMap */
function light(id, fromMap) {
  spawns?.light(id);
  list.light(id, fromMap);
}

/** Without a choice there is one floor at most; it need not be the ground. */
function floor() {
  return controls.choices.floor ?? Number(box.dataset.floor ?? 0);
}

/** @param {number} id @param {import("./controls.js").Choices} choices */
function colourOf(id, { colours, side }) {
  const row = list.rows.get(id);
  if (colours === "level") return levelColour(row?.boss ? levels[1] : (row?.max ?? null), levels);
  if (colours === "reaction") {
    const told = row ? reactionsOf(row, side) : [];
    return reactionColour(told.length ? Math.min(...told) : null);
  }
  return colour(ranks.get(id) ?? 0);
}

/** What a printed map says below itself: its floor, where there are several, and how much is drawn. */
function caption() {
  const choice = /** @type {HTMLSelectElement|null} */ (form.elements.namedItem("floor"));
  return [choice?.selectedOptions[0]?.textContent, need("#shown").textContent].filter(Boolean).join(" · ");
}

function recolour() {
  const { choices } = controls; // Read off the form each time: once for all creatures.
  for (const id of list.ids) shades.set(id, colourOf(id, choices));
  list.paint((id) => String(shades.get(id)));
  spawns?.repaint();
  legend(need("#legend"), choices.colours, levels);
}

function refilter() {
  list.filter(controls.choices);
  recolour();
  redraw();
}

function redraw() {
  if (restoring) return;
  const { confirmed, since, layers } = controls.choices;
  if (spawns) {
    const count = spawns.filter({ shown: (id) => list.isShown(id), floor: floor(), confirmed, since: dayOf(since) });
    spawns.toggle(layers.has("spawns"));
    areas?.toggle(layers.has("areas"));
    density?.toggle(layers.has("density"));
    list.say(count);
    box.dataset.points = String(count);
  }
  if (box.dataset.state === "drawn") layPaper(layers);
  offerFiles();
  gather();
  remember();
}

/** A day as the documents count it, null for none. @param {string} since */
function dayOf(since) {
  return since ? Date.parse(since) / DAY_MS : null;
}

/** Lay what the dots of this floor stand on. @param {Set<string>} layers */
function layPaper(layers) {
  const { [`ground-${floor()}`]: ground, [`image-${floor()}`]: image, [`imageZoom-${floor()}`]: zoom } = box.dataset;
  paper.show({
    ground: layers.has("ground") ? ground : undefined,
    image: layers.has("image") ? image : undefined,
    imageZoom: Number(zoom),
  });
}

/** Draw the kinds of gathering places that are switched on. Their document is fetched when the first one is. */
async function gather() {
  const { gathering: kinds } = controls.choices;
  if (!loading && kinds.size === 0) return;
  loading ??= fetchJson(urls.sources(zone)).then((body) => {
    const sources = unpackSources(body);
    gathering = new Gathering(canvas, sources);
    gathered = new Gathered(need("#sources"), sources, {
      page: ({ id }) => `${sourcePages}${id}`,
      onPlace: (source, point) => lead(point, () => gatheringHit(source, point)),
    });
  });
  try {
    await loading;
    const { gathering: chosen, since } = controls.choices;
    box.dataset.gathering = String(gathering?.filter(chosen, floor(), dayOf(since)));
    gathered?.filter(chosen);
    offerFiles();
    state.hidden = box.dataset.state !== "failed";
  } catch (error) {
    loading = undefined;
    fail(error);
  }
}

/** What lies there: gathering places above spawn points. @param {number} x @param {number} y @param {number} reach */
function find(x, y, reach) {
  const place = gathering?.at(x, y, reach);
  if (place) return gatheringHit(place.source, place);
  const point = spawns?.at(x, y, reach);
  return point ? spawnHit(point.mob, point) : null;
}

/** @param {import("./document.js").Source} source @param {import("./document.js").Source["points"][number]} place */
function gatheringHit(source, place) {
  const popup = () => gatheringPopup(source.name, `${sourcePages}${source.id}`, place);
  return { x: place.x, y: place.y, mob: null, tip: () => tip(source.name, place), popup };
}

/** @param {import("./document.js").Mob} mob @param {import("./document.js").Point} point */
function spawnHit(mob, point) {
  const popup = () => {
    const around = origin.show(urls.places(mob.id), Number(zone), point, mob.spawns);
    return spawnPopup(mob.name, `${mobPages}${mob.id}`, point, around);
  };
  return { x: point.x, y: point.y, mob: mob.id, tip: () => tip(mob.name, point), popup };
}

/** Lead to one of a creature's spawn points, chosen in the list. @param {number} id @param {import("./document.js").Point} point */
function show(id, point) {
  const mob = spawns?.mobs.find((one) => one.id === id);
  if (mob) lead(point, () => spawnHit(mob, point));
}

/** Lead to a place chosen in a list, and open its story. @param {{floor: number, x: number, y: number}} place @param {() => import("./pointer.js").Hit} hit */
function lead(place, hit) {
  if (place.floor !== floor()) {
    controls.choices = { ...controls.choices, floor: place.floor };
    refilter();
  }
  // At once: a popup that opens while the map still moves would not be brought into view.
  map.setView([place.y, place.x], Math.max(map.getZoom(), map.getBoundsZoom(WHOLE_ZONE) + STORY_ZOOM), {
    animate: false,
  });
  box.scrollIntoView({ block: "nearest" });
  pointer.open(hit(), true);
}

function remember() {
  if (restoring || box.dataset.state !== "drawn") return;
  const { lat, lng } = map.getCenter();
  const view = { ...controls.choices, at: { x: lng, y: lat, zoom: map.getZoom() }, shown: list.shown };
  // In a frame the page around it keeps its own address; the link to the whole page carries the view.
  const whole = /** @type {HTMLAnchorElement|null} */ (document.querySelector("#whole-page"));
  const fragment = address.write(view, list.ids, controls.usualLayers);
  if (whole) whole.hash = fragment;
  history.replaceState(null, "", fragment || location.pathname + location.search);
  if (sharing) tellView(sharing);
}

/** Go where a link within the page leads: to the same as if the page were opened there. */
function follow() {
  const view = address.read(location.hash, list.ids);
  map.closePopup();
  restore(view);
  if (view.at || view.shown === "all") stand(map, view.at);
  else lookAtShown();
}

/** Without a place in the address, creatures are looked for where they are. */
function lookAtShown() {
  fit(map, spawns?.shown ?? []);
  list.reveal();
}

/** Choose what an address says; where the map stands is told to it apart. @param {address.View} view */
function restore(view) {
  restoring = true;
  list.shown = view.shown;
  controls.choices = view;
  if (controls.isNarrowed) /** @type {HTMLDetailsElement} */ (need("#narrow")).open = true;
  list.filter(controls.choices);
  restoring = false;
  recolour();
  redraw();
}

/** What is drawn, for files. @returns {import("./download.js").Dot[]} */
function dots() {
  const points = spawns?.visible ? spawns.shown : [];
  return [
    ...points.map((point) => dot("creature", point.mob, point)),
    ...(areas?.shown ?? []).map(({ mob, of, rings }) => area(mob, of, rings)),
    ...(gathering?.shown ?? []).map((place) => dot(place.source.kind, place.source, place)),
  ];
}

/** Offer files while there is something to put into them, and else say that there is not. */
function offerFiles() {
  if (!sharing) return;
  const shown = (spawns?.visible || areas?.visible ? spawns?.shown.length : 0) || gathering?.shown.length;
  need("#share-nothing", sharing).hidden = Boolean(shown);
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (sharing.querySelectorAll("[data-download]"));
  for (const button of buttons) button.disabled = !shown;
}
