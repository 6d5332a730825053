/** The list of what is gathered in a zone: sources of the kinds that are switched on, with their points. */

import { element } from "../dom.js";
import { fill, gettext, ngettext } from "../i18n.js";
import { drawShapes } from "./kinds.js";
import { fillList, pointItem, unfoldButton } from "./point_list.js";

/**
 * @typedef {import("./published.js").Source} Source
 * @typedef {import("./published.js").GatheringPoint} Point
 */

export class GatheringList {
  /**
   * @param {HTMLElement} root @param {Source[]} sources
   * @param {{page: (source: Source) => string, onPoint: (source: Source, point: Point) => void}} options
   *   `page` returns the URL of a source's page.
   */
  constructor(root, sources, { page, onPoint }) {
    this.root = root;
    this.sources = sources;
    this.page = page;
    this.onPoint = onPoint;
    this.kinds = "";
  }

  /** List the sources of these kinds, on any floor. @param {Set<string>} kinds */
  filter(kinds) {
    const wanted = [...kinds].join();
    // Other changes of the form keep the list, and what is unfolded in it.
    if (wanted === this.kinds) return;
    this.kinds = wanted;
    this.root.replaceChildren();
    const listed = this.sources.filter(({ kind, points }) => kinds.has(kind) && points.length > 0);
    fillList(this.root, listed, (source) => this.makeItem(source));
    this.root.hidden = listed.length === 0;
  }

  /** @param {Source} source */
  makeItem(source) {
    const { kind, name, points } = source;
    const shape = element("span", { class: `shape ${kind}`, "data-shape": kind, "aria-hidden": "true" });
    const seen = ngettext("%(count)s sighting", "%(count)s sightings", source.sightings);
    const title = element("span", { class: "name" }, element("bdi", { text: name }), element("small", { text: seen }));
    const item = element("li", {}, element("div", { class: "what" }, shape, title));
    drawShapes(item);
    const hiddenName = element("span", { class: "hidden", text: `: ${name}` });
    const details = element("a", { href: this.page(source) }, gettext("Details"), hiddenName);
    const label = fill(gettext("Places of %(name)s"), { name });
    const unfold = unfoldButton(item, label, points, (point) => pointItem(point, () => this.onPoint(source, point)));
    item.append(unfold, details);
    return item;
  }
}
