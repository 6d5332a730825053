/** The page of a zone: connects the map, the list, the form and the URL's fragment. */

import { need } from "../dom.js";
import { gettext } from "../i18n.js";
import { color, levelColor, onThemeChange, reactionColor } from "./colors.js";
import { Controls } from "./controls.js";
import { WHOLE_ZONE, xy } from "./coords.js";
import { CreatureList } from "./creature_list.js";
import { area, dot } from "./download.js";
import { reactionsOf } from "./filter.js";
import * as fragment from "./fragment.js";
import { GatheringList } from "./gathering_list.js";
import { drawShapes } from "./kinds.js";
import { Areas } from "./layers/areas.js";
import { Background } from "./layers/background.js";
import { createMap, fit, goTo } from "./layers/base_map.js";
import { Canvas } from "./layers/canvas.js";
import { Density } from "./layers/density.js";
import { Gathering } from "./layers/gathering.js";
import { Measure } from "./layers/measure.js";
import { NearbyPositions } from "./layers/nearby_positions.js";
import { printMap } from "./layers/print.js";
import { Selection } from "./layers/selection.js";
import { Spawns } from "./layers/spawns.js";
import { fullScreen } from "./layers/tools.js";
import { legend } from "./legend.js";
import { Pointer } from "./pointer.js";
import { gatheringPopup, spawnPopup, tooltip } from "./popups.js";
import { fetchJson, mobs as unpackMobs, sources as unpackSources, urlsOf } from "./published.js";
import { share, updateLinks } from "./share.js";
import { SidePanel } from "./side_panel.js";

/** @typedef {import("./published.js").Point} Point */

const DAY_MS = 86_400_000;

/** Zoom levels above the whole zone from which the positions around a dot can be distinguished. */
const DETAIL_ZOOM = 2.5;

const box = need("#map");
const state = need(".map-state");
const crowded = need("#crowded");
const { zone = "", map: mapUrl = "", api = "", mobPages, sourcePages } = box.dataset;
const urls = urlsOf(api);
// Requested first, so that server and browser work at the same time.
/** @type {Promise<import("./published.js").ZoneMap>} */
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
/** @type {GatheringList|undefined} */
let gatheringList;
/** @type {Promise<void>|undefined} */
let loading;
let restoring = false;

const form = /** @type {HTMLFormElement} */ (need("#filters"));
const controls = new Controls(form, refilter);
const list = new CreatureList(need("#mobs"), {
  page: (id) => `${mobPages}${id}`,
  onChange: redraw,
  onHover: (id) => highlight(id, false),
  onPoint: showSpawn,
});
let ranks = ranksOf(list.ids);
let levels = list.levels;
/** Each creature's present color. @type {Map<number, string>} */
const shades = new Map();

drawShapes(form);
for (const button of form.querySelectorAll("[data-all]")) {
  button.addEventListener("click", () => list.switchAll(button.getAttribute("data-all") === "on"));
}

let wanted = fragment.read(location.hash, list.ids);
const map = createMap(box, wanted.at);
const canvas = new Canvas(map);
const overlay = new Canvas(map);
const measure = new Measure(map, overlay);
fullScreen(map, need(".zone-body"));
const nearby = new NearbyPositions(overlay, map);
new Selection(overlay, map);
const sidePanel = new SidePanel(box);
const pointer = new Pointer(map, {
  find,
  onHover: (id) => highlight(id, true),
  isBusy: () => measure.active,
  makeRoom: () => sidePanel.makeRoom(),
});
const background = new Background(map);
const sharing = /** @type {HTMLElement|null} */ (document.querySelector("#share"));
if (sharing) share(sharing, { dots });
onThemeChange(recolor);
printMap(map, box, { canvases: [canvas, overlay], caption });
box.dataset.state = "loading";
restore(wanted);
try {
  const mobs = unpackMobs(await fetched);
  if (list.addMobs(mobs)) {
    // Colors and fragments must not depend on which creatures the page lists.
    ranks = ranksOf(mobs.map(({ id }) => id));
    levels = list.levels;
    wanted = fragment.read(location.hash, list.ids);
    restore(wanted);
  }
  spawns = new Spawns(canvas, overlay, mobs, (mob) => String(shades.get(mob.id)));
  areas = new Areas(canvas, spawns);
  density = new Density(canvas, spawns, (isShown) => (crowded.hidden = !isShown));
  // Painted in this order, what covers most first.
  canvas.painters = [density, areas, spawns, ...(gathering ? [gathering] : [])];
  redraw();
  if (!wanted.at && wanted.shown !== "all") fitShown();
  box.dataset.state = "drawn";
  requestAnimationFrame(() => performance.mark("first dots"));
  // Last, as dots must not wait for their background.
  showBackground(controls.choices.layers);
} catch (error) {
  fail(error);
  box.dataset.state = "failed";
}
map.on("moveend", writeFragment);
addEventListener("hashchange", onFragmentChange);

/** @param {unknown} error */
function fail(error) {
  state.textContent = `${gettext("The map could not be loaded. Reload the page to try again.")} (${/** @type {Error} */ (error).message})`;
  state.hidden = false;
}

/** @param {number[]} ids */
function ranksOf(ids) {
  return new Map(ids.map((id, rank) => [id, rank]));
}

/** @param {number|null} id @param {boolean} fromMap */
function highlight(id, fromMap) {
  spawns?.highlight(id);
  list.highlight(id, fromMap);
}

/** Return the shown floor. A zone without a choice has at most one, which need not be 0. */
function floor() {
  return controls.choices.floor ?? Number(box.dataset.floor ?? 0);
}

/** @param {number} id @param {import("./controls.js").Choices} choices */
function colorOf(id, { colors, side }) {
  const row = list.rows.get(id);
  if (colors === "level") return levelColor(row?.boss ? levels[1] : (row?.max ?? null), levels);
  if (colors === "reaction") {
    const known = row ? reactionsOf(row, side) : [];
    return reactionColor(known.length ? Math.min(...known) : null);
  }
  return color(ranks.get(id) ?? 0);
}

/** Return the caption of the printed map: its floor, if there are several, and the number of spawn points. */
function caption() {
  const choice = /** @type {HTMLSelectElement|null} */ (form.elements.namedItem("floor"));
  return [choice?.selectedOptions[0]?.textContent, need("#shown").textContent].filter(Boolean).join(" · ");
}

function recolor() {
  const { choices } = controls; // Read once, as each access reads the whole form.
  for (const id of list.ids) shades.set(id, colorOf(id, choices));
  list.paint((id) => String(shades.get(id)));
  spawns?.repaint();
  legend(need("#legend"), choices.colors, levels);
}

function refilter() {
  list.filter(controls.choices);
  recolor();
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
    list.showCount(count);
    box.dataset.points = String(count);
  }
  if (box.dataset.state === "drawn") showBackground(layers);
  updateDownloads();
  drawGathering();
  writeFragment();
}

/** Return days since 1970-01-01, null without a day. @param {string} since */
function dayOf(since) {
  return since ? Date.parse(since) / DAY_MS : null;
}

/** Show the background of the floor. @param {Set<string>} layers */
function showBackground(layers) {
  const { [`ground-${floor()}`]: contours, [`image-${floor()}`]: image, [`imageZoom-${floor()}`]: zoom } = box.dataset;
  background.show({
    contours: layers.has("ground") ? contours : undefined,
    image: layers.has("image") ? image : undefined,
    imageZoom: Number(zoom),
  });
}

/** Draw the kinds of gathering sources that are switched on. Their file is fetched when the first one is. */
async function drawGathering() {
  const { gathering: kinds } = controls.choices;
  if (!loading && kinds.size === 0) return;
  loading ??= fetchSources().then((sources) => {
    gathering = new Gathering(canvas, sources);
    gatheringList = new GatheringList(need("#sources"), sources, {
      page: ({ id }) => `${sourcePages}${id}`,
      onPoint: (source, point) => goToPoint(point, () => gatheringHit(source, point)),
    });
  });
  try {
    await loading;
    // Meanwhile the form may have changed.
    const { gathering: chosen, since } = controls.choices;
    box.dataset.gathering = String(gathering?.filter(chosen, floor(), dayOf(since)));
    gatheringList?.filter(chosen);
    updateDownloads();
    state.hidden = box.dataset.state !== "failed";
  } catch (error) {
    loading = undefined;
    fail(error);
  }
}

async function fetchSources() {
  return unpackSources(await fetchJson(urls.sources(zone)));
}

/** Return the point there: gathering points before spawn points. @param {number} x @param {number} y @param {number} reach */
function find(x, y, reach) {
  const gathered = gathering?.at(x, y, reach);
  if (gathered) return gatheringHit(gathered.source, gathered);
  const point = spawns?.at(x, y, reach);
  return point ? spawnHit(point.mob, point) : null;
}

/** @param {import("./published.js").Source} source @param {import("./published.js").GatheringPoint} point */
function gatheringHit(source, point) {
  const popup = () => gatheringPopup(source.name, `${sourcePages}${source.id}`, point);
  return { x: point.x, y: point.y, mob: null, tooltip: () => tooltip(source.name, point), popup };
}

/** @param {import("./layers/spawns.js").Mob} mob @param {Point} point */
function spawnHit(mob, point) {
  const popup = () => {
    const positions = nearby.show(urls.habitats(mob.id), Number(zone), point, mob.spawns);
    return spawnPopup(mob.name, `${mobPages}${mob.id}`, point, positions);
  };
  return { x: point.x, y: point.y, mob: mob.id, tooltip: () => tooltip(mob.name, point), popup };
}

/** Go to a spawn point that was chosen in the list. @param {number} id Of the creature. @param {Point} point */
function showSpawn(id, point) {
  const mob = spawns?.mobs.find((one) => one.id === id);
  if (mob) goToPoint(point, () => spawnHit(mob, point));
}

/**
 * Go to a point that was chosen in a list, and open its popup.
 * @param {{floor: number, x: number, y: number}} point @param {() => import("./pointer.js").Hit} hit
 */
function goToPoint(point, hit) {
  if (point.floor !== floor()) {
    controls.choices = { ...controls.choices, floor: point.floor };
    refilter();
  }
  const zoom = Math.max(map.getZoom(), map.getBoundsZoom(WHOLE_ZONE) + DETAIL_ZOOM);
  // Without animation: Leaflet does not bring a popup into view that opens while the map moves.
  map.setView(xy(point.x, point.y), zoom, { animate: false });
  box.scrollIntoView({ block: "nearest" });
  pointer.open(hit(), true);
}

/** Write the view into the URL. */
function writeFragment() {
  if (restoring || box.dataset.state !== "drawn") return;
  const { lat, lng } = map.getCenter();
  const view = { ...controls.choices, at: { x: lng, y: lat, zoom: map.getZoom() }, shown: list.shown };
  // A frame does not change the URL of the page around it, so its link to the whole page gets the view.
  const wholePage = /** @type {HTMLAnchorElement|null} */ (document.querySelector("#whole-page"));
  const written = fragment.write(view, list.ids, controls.defaultLayers);
  if (wholePage) wholePage.hash = written;
  history.replaceState(null, "", written || location.pathname + location.search);
  if (sharing) updateLinks(sharing);
}

/** Show the view of another fragment, as if the page were opened with it. */
function onFragmentChange() {
  const view = fragment.read(location.hash, list.ids);
  map.closePopup();
  restore(view);
  if (view.at || view.shown === "all") goTo(map, view.at);
  else fitShown();
}

/** Show the creatures of a fragment that has no position. */
function fitShown() {
  fit(map, spawns?.shown ?? []);
  list.scrollToFirst();
}

/** Apply a view to form and list, but not its position to the map. @param {fragment.View} view */
function restore(view) {
  restoring = true;
  list.shown = view.shown;
  controls.choices = view;
  if (controls.hasFoldedFilters) /** @type {HTMLDetailsElement} */ (need("#more-filters")).open = true;
  list.filter(controls.choices);
  restoring = false;
  recolor();
  redraw();
}

/** Return what is drawn, for files. @returns {import("./download.js").Dot[]} */
function dots() {
  const points = spawns?.visible ? spawns.shown : [];
  return [
    ...points.map((point) => dot("creature", point.mob, point)),
    ...(areas?.shown ?? []).map(({ mob, points, rings }) => area(mob, points, rings)),
    ...(gathering?.shown ?? []).map((point) => dot(point.source.kind, point.source, point)),
  ];
}

/** Enable downloads while anything is drawn, otherwise say that nothing is. */
function updateDownloads() {
  if (!sharing) return;
  const shown = (spawns?.visible || areas?.visible ? spawns?.shown.length : 0) || gathering?.shown.length;
  need("#share-nothing", sharing).hidden = Boolean(shown);
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (sharing.querySelectorAll("[data-download]"));
  for (const button of buttons) button.disabled = !shown;
}
