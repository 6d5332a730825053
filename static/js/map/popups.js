/** What a popup says about a point: built from elements, because names come from strangers. */

import { element } from "../dom.js";
import { day, decimal, fill, gettext, ngettext, number } from "../words.js";
import { isoDay } from "./document.js";
import { firstDay } from "./provenance.js";

/** @param {number} x @param {number} y */
export const place = (x, y) => `${decimal(x)} / ${decimal(y)}`;

/**
 * Return how sure a spawn point is, in words.
 * @param {{confirmed: boolean, uploaders: number}} point
 */
export function certainty(point) {
  if (point.confirmed) return gettext("confirmed by independent players");
  if (point.uploaders > 1) return gettext("likely: seen by several players");
  return gettext("unconfirmed: noted by one player only");
}

/**
 * Why a spawn point is on the map.
 * @param {string} name @param {string} url @param {import("./document.js").Point} point
 * @param {Promise<import("./provenance.js").Position[]>} [around] The raw positions nearest to it, when they have arrived.
 * @returns {HTMLElement}
 */
export function spawnPopup(name, url, point, around) {
  const title = element("h3", {}, element("bdi", { text: name }));
  const facts = element("dl");
  fact(facts, gettext("Position"), place(point.x, point.y));
  if (point.radius) fact(facts, gettext("Within"), `± ${decimal(point.radius)} %`);
  fact(facts, gettext("Sightings"), number(point.sightings));
  fact(facts, gettext("Players"), number(point.uploaders));
  const story = element("p", { class: "soft" });
  const box = element("div", {}, title, facts, element("p", { text: certainty(point) }), story);
  if (point.rings)
    story.before(
      element("p", {
        text: gettext("It patrols: the dot lies on its way, and the layer of areas shows where it walks."),
      }),
    );
  // The day that dots fade by: what was newest may lie farther off than what is drawn around the dot.
  const last = () => point.last_seen && fact(facts, gettext("Last seen"), day(isoDay(point.last_seen)));
  if (around) {
    story.textContent = gettext("Looking up the noted positions …");
    const told = around.then(
      (positions) => tell(facts, story, positions),
      (error) => {
        story.textContent = fill(gettext("The noted positions could not be loaded (%(error)s)."), {
          error: error.message,
        });
      },
    );
    told.then(last);
  } else last();
  if (url) box.append(element("p", {}, element("a", { href: url, text: gettext("All about this creature") })));
  return box;
}

/**
 * Which of the raw positions the estimate took for this dot's own is not published, and so not claimed here.
 * @param {HTMLElement} facts @param {HTMLElement} story @param {import("./provenance.js").Position[]} positions
 */
function tell(facts, story, positions) {
  const first = firstDay(positions);
  if (first) fact(facts, gettext("First seen"), day(first));
  const drawn = ngettext(
    "Drawn around it: %(count)s noted position, nearest to this dot.",
    "Drawn around it: %(count)s noted positions, nearest to this dot.",
    positions.length,
  );
  const estimated = gettext("The estimate's own counts may differ. Players stand near a creature, not on it.");
  story.textContent = `${drawn} ${estimated}`;
}

/**
 * @param {{x: number, y: number, sightings: number, uploaders: number, first_seen?: string, last_seen?: string}} point
 * @returns {HTMLElement}
 */
export function positionPopup(point) {
  return element("div", {}, element("h3", { text: gettext("Noted position") }), noted(point));
}

/**
 * Why a gathering place is on the map.
 * @param {string} name @param {string} url @param {import("./document.js").Gathered} point
 * @returns {HTMLElement}
 */
export function gatheringPopup(name, url, point) {
  const { first_seen, last_seen } = point;
  // A document from before the days were published lacks them until it is made anew.
  const days = last_seen
    ? { first_seen: isoDay(first_seen), last_seen: isoDay(last_seen) }
    : { first_seen: "", last_seen: "" };
  const sure = element("p", { text: certainty(point) });
  const story = element("p", {
    class: "soft",
    text: gettext("A position as players noted it: here nothing is estimated."),
  });
  const more = element("p", {}, element("a", { href: url, text: gettext("What it gives, and where else") }));
  return element(
    "div",
    {},
    element("h3", {}, element("bdi", { text: name })),
    noted({ ...point, ...days }),
    sure,
    story,
    more,
  );
}

/**
 * The facts of a raw position.
 * @param {{x: number, y: number, sightings: number, uploaders: number, first_seen?: string, last_seen?: string}} point
 */
function noted({ x, y, sightings, uploaders, first_seen, last_seen }) {
  const facts = element("dl");
  fact(facts, gettext("Position"), place(x, y));
  fact(facts, gettext("Sightings"), number(sightings));
  fact(facts, gettext("Players"), number(uploaders));
  if (first_seen) fact(facts, gettext("First seen"), day(first_seen));
  if (last_seen) fact(facts, gettext("Last seen"), day(last_seen));
  return facts;
}

/**
 * @param {string} name @param {{sightings: number}} point
 * @returns {HTMLElement}
 */
export function tip(name, point) {
  const seen = ngettext("%(count)s sighting", "%(count)s sightings", point.sightings);
  return element("div", {}, element("bdi", { text: name }), element("div", { class: "soft", text: seen }));
}

/** @param {HTMLElement} list @param {string} term @param {string} value */
function fact(list, term, value) {
  list.append(element("dt", { text: term }), element("dd", { text: value }));
}
