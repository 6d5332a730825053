/** The list of what is gathered in a zone: the places of those kinds that are switched on. */

import { element } from "../dom.js";
import { fill, gettext, ngettext } from "../words.js";
import { shapeSigns } from "./kinds.js";
import { fillList, placeEntry, unfolding } from "./places.js";

/**
 * @typedef {import("./document.js").Source} Source
 * @typedef {import("./document.js").Gathered} Point
 */

export class Gathered {
  /**
   * @param {HTMLElement} root @param {Source[]} sources
   * @param {{page: (source: Source) => string, onPlace: (source: Source, point: Point) => void}} options
   */
  constructor(root, sources, { page, onPlace }) {
    this.root = root;
    this.sources = sources;
    this.page = page;
    this.onPlace = onPlace;
    this.kinds = "";
  }

  /** List what is of these kinds, on whichever floor. @param {Set<string>} kinds */
  filter(kinds) {
    const wanted = [...kinds].join();
    // Whatever else changes leaves the list as it is, and with it what is unfolded.
    if (wanted === this.kinds) return;
    this.kinds = wanted;
    this.root.replaceChildren();
    const listed = this.sources.filter(({ kind, points }) => kinds.has(kind) && points.length > 0);
    fillList(this.root, listed, (source) => this.item(source));
    this.root.hidden = listed.length === 0;
  }

  /** @param {Source} source */
  item(source) {
    const { kind, name, points } = source;
    const sign = element("span", { class: `shape ${kind}`, "data-shape": kind, "aria-hidden": "true" });
    const seen = ngettext("%(count)s sighting", "%(count)s sightings", source.sightings);
    const title = element("span", { class: "name" }, element("bdi", { text: name }), element("small", { text: seen }));
    const item = element("li", {}, element("div", { class: "what" }, sign, title));
    shapeSigns(item);
    const details = element(
      "a",
      { href: this.page(source) },
      gettext("Details"),
      element("span", { class: "hidden", text: `: ${name}` }),
    );
    const words = fill(gettext("Places of %(name)s"), { name });
    item.append(
      unfolding(item, words, points, (point) => placeEntry(point, () => this.onPlace(source, point))),
      details,
    );
    return item;
  }
}
