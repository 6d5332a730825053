/** Contents of popups and tooltips, built from elements because names come from strangers. */

import { element } from "../dom.js";
import { day, decimal, fill, gettext, ngettext, number } from "../i18n.js";
import { firstDay } from "./provenance.js";
import { isoDay } from "./published.js";

/**
 * @typedef {import("./published.js").Position} Position
 * @typedef {Omit<Position, "first_seen"|"last_seen"> & {first_seen?: string, last_seen?: string}} Facts
 */

/** @param {number} x @param {number} y In percent. */
export const coordinates = (x, y) => `${decimal(x)} / ${decimal(y)}`;

/**
 * Return how certain a point is, in words. See docs/spawns.md.
 * @param {{confirmed: boolean, uploaders: number}} point
 */
export function certainty(point) {
  if (point.confirmed) return gettext("confirmed by at least two players");
  return gettext("unconfirmed: seen by one player only");
}

/**
 * Return what a spawn point's popup shows: why it is on the map.
 * @param {string} name @param {string} url @param {import("./published.js").Point} point
 * @param {Promise<Position[]>} [nearby] The raw positions nearest to it, to be shown when they have arrived.
 * @returns {HTMLElement}
 */
export function spawnPopup(name, url, point, nearby) {
  const title = element("h3", {}, element("bdi", { text: name }));
  const facts = element("dl");
  addFact(facts, gettext("Position"), coordinates(point.x, point.y));
  if (point.radius) addFact(facts, gettext("Within"), `± ${decimal(point.radius)} %`);
  addFact(facts, gettext("Sightings"), number(point.sightings));
  addFact(facts, gettext("Players"), number(point.uploaders));
  const origin = element("p", { class: "soft" });
  const box = element("div", {}, title, facts, element("p", { text: certainty(point) }), origin);
  if (point.rings) {
    const patrols = gettext("It patrols: the dot lies on its way, and the layer of areas shows where it walks.");
    origin.before(element("p", { text: patrols }));
  }
  // The day by which dots fade; the newest sighting may be farther away than the positions drawn around the dot.
  const addLastSeen = () => point.last_seen && addFact(facts, gettext("Last seen"), day(isoDay(point.last_seen)));
  if (nearby) {
    origin.textContent = gettext("Looking up the noted positions …");
    const shown = nearby.then(
      (positions) => addOrigin(facts, origin, positions),
      (error) => {
        const text = gettext("The noted positions could not be loaded (%(error)s).");
        origin.textContent = fill(text, { error: error.message });
      },
    );
    shown.then(addLastSeen);
  } else addLastSeen();
  if (url) box.append(element("p", {}, element("a", { href: url, text: gettext("All about this creature") })));
  return box;
}

/**
 * Show what the nearby positions say. The text does not claim that the estimate used them: this is not published.
 * @param {HTMLElement} facts @param {HTMLElement} origin @param {Position[]} positions
 */
function addOrigin(facts, origin, positions) {
  const first = firstDay(positions);
  if (first) addFact(facts, gettext("First seen"), day(first));
  const drawn = ngettext(
    "Drawn around it: %(count)s noted position, nearest to this dot.",
    "Drawn around it: %(count)s noted positions, nearest to this dot.",
    positions.length,
  );
  const estimated = gettext("The estimate's own counts may differ. Players stand near a creature, not on it.");
  origin.textContent = `${drawn} ${estimated}`;
}

/**
 * Return what a raw position's popup shows.
 * @param {Position} position
 * @returns {HTMLElement}
 */
export function positionPopup(position) {
  return element("div", {}, element("h3", { text: gettext("Noted position") }), factsOf(position));
}

/**
 * Return what a gathering point's popup shows: why it is on the map.
 * @param {string} name @param {string} url @param {import("./published.js").GatheringPoint} point
 * @returns {HTMLElement}
 */
export function gatheringPopup(name, url, point) {
  const { first_seen, last_seen } = point;
  // A file published by an older version lacks the days.
  const days = last_seen ? { first_seen: isoDay(first_seen), last_seen: isoDay(last_seen) } : {};
  const title = element("h3", {}, element("bdi", { text: name }));
  const facts = factsOf({ ...point, first_seen: undefined, last_seen: undefined, ...days });
  const certain = element("p", { text: certainty(point) });
  const origin = gettext("A position as players noted it: here nothing is estimated.");
  const more = element("p", {}, element("a", { href: url, text: gettext("What it gives, and where else") }));
  return element("div", {}, title, facts, certain, element("p", { class: "soft", text: origin }), more);
}

/** @param {Facts} point */
function factsOf({ x, y, sightings, uploaders, first_seen, last_seen }) {
  const facts = element("dl");
  addFact(facts, gettext("Position"), coordinates(x, y));
  addFact(facts, gettext("Sightings"), number(sightings));
  addFact(facts, gettext("Players"), number(uploaders));
  if (first_seen) addFact(facts, gettext("First seen"), day(first_seen));
  if (last_seen) addFact(facts, gettext("Last seen"), day(last_seen));
  return facts;
}

/**
 * Return what a point's tooltip shows.
 * @param {string} name @param {{sightings: number}} point
 * @returns {HTMLElement}
 */
export function tooltip(name, point) {
  const seen = ngettext("%(count)s sighting", "%(count)s sightings", point.sightings);
  return element("div", {}, element("bdi", { text: name }), element("div", { class: "soft", text: seen }));
}

/** @param {HTMLElement} list @param {string} term @param {string} value */
function addFact(list, term, value) {
  list.append(element("dt", { text: term }), element("dd", { text: value }));
}
