/** One upload on the page, as a card: progress, errors, receipt. */

import { element, need } from "../dom.js";
import { fill, gettext, ngettext, size } from "../i18n.js";
import { contents, outcome, refusal, unavailable } from "./outcome.js";

/**
 * @typedef {import("./send.js").Receipt} Receipt
 * @typedef {import("./send.js").Problem} Problem
 */

export class Card {
  /** @param {HTMLElement} list @param {string} name @param {number} bytes */
  constructor(list, name, bytes) {
    this.bar = element("progress", {
      max: "100",
      value: "0",
      "aria-label": fill(gettext("Sending %(name)s"), { name }),
    });
    this.outcome = element("p", { class: "outcome", text: gettext("Sending…") });
    this.more = element("div");
    const head = element("header", {}, element("strong", {}, element("bdi", { text: name })));
    head.append(element("span", { class: "soft", text: size(bytes) }));
    this.card = element("li", { class: "sending", "data-state": "sending" }, head, this.bar, this.outcome, this.more);
    list.prepend(this.card);
    // On a phone the list begins below the visible part of the page.
    if (this.card.getBoundingClientRect().bottom > innerHeight) this.card.scrollIntoView({ block: "center" });
  }

  /** @param {number} share From 0 to 1. */
  progress(share) {
    this.bar.value = Math.round(share * 100);
    if (share >= 1) this.outcome.textContent = gettext("Sent. The server is checking it…");
  }

  /**
   * Show why the site does not accept the upload now, with a countdown and a button to try at once.
   * @param {number} seconds @param {Problem|null} problem Null without a connection.
   * @returns {Promise<void>} Resolves when it is time to try.
   */
  waiting(seconds, problem) {
    const why = problem
      ? (title(problem) ?? gettext("The server is busy."))
      : gettext("The server could not be reached.");
    const until = Date.now() + seconds * 1000;
    const now = element("button", { class: "button plain", type: "button", text: gettext("Try now") });
    this.more.replaceChildren(...explanation(problem), element("p", {}, now));
    return new Promise((done) => {
      const tick = () => {
        const left = Math.ceil((until - Date.now()) / 1000);
        if (left <= 0) return go();
        this.outcome.textContent = `${why} ${fill(gettext("Trying again by itself in %(time)s…"), { time: countdown(left) })}`;
      };
      const go = () => {
        clearInterval(timer);
        this.more.replaceChildren();
        this.outcome.textContent = gettext("Sending…");
        done();
      };
      const timer = setInterval(tick, 1000);
      now.addEventListener("click", go, { once: true });
      tick();
    });
  }

  /** Show an accepted upload. @param {Receipt} receipt @param {string} page URL of the receipt's page. */
  accepted(receipt, page) {
    this.bar.hidden = true;
    this.duplicate = Boolean(receipt.duplicate);
    this.links = element("p", { class: "links" }, element("a", { href: page, text: gettext("Receipt") }));
    this.earlier = element("p", { class: "soft" });
    const counted = element("p", { class: "soft", text: `${receipt.locale} · ${contents(receipt)}` });
    this.more.replaceChildren(this.earlier, counted, this.links);
    this.update(receipt);
  }

  /** Show the present status. @param {Receipt} receipt */
  update(receipt) {
    this.card.dataset.state = receipt.status;
    this.card.classList.toggle("merged", receipt.status === "merged");
    this.card.classList.toggle("bad", receipt.status === "rejected");
    // For data that was sent before, say that first, and the status of the earlier upload below.
    const same = gettext("The same data was sent before. It counts once, so nothing changes.");
    this.outcome.textContent = this.duplicate ? same : outcome(receipt);
    if (this.earlier) this.earlier.textContent = this.duplicate ? outcome(receipt) : "";
    if (receipt.status === "merged" && !this.card.querySelector(".to-map")) {
      this.links?.append(
        element("a", { class: "to-map", href: `/${receipt.locale}/zones`, text: gettext("To the map") }),
      );
    }
  }

  /** Show that the receipt cannot be fetched. */
  unavailable() {
    this.outcome.textContent = unavailable();
  }

  /**
   * Show a refused upload.
   * @param {number} status @param {Problem|null} body @param {() => void} again Sends it again.
   */
  refused(status, body, again) {
    this.bar.hidden = true;
    this.card.dataset.state = "refused";
    this.card.classList.add("bad");
    this.outcome.textContent = title(body) ?? body?.detail ?? refusal(status);
    this.more.replaceChildren(...explanation(body), ...errorLists(body?.errors ?? []));
    const links = element("p", { class: "links" });
    if (body?.may_retry || (!body && status !== 413)) {
      const button = element("button", { class: "button plain", type: "button", text: gettext("Send again") });
      button.addEventListener("click", () => {
        this.card.remove();
        again();
      });
      links.append(button);
    }
    if (body?.type) {
      const { pathname, hash } = new URL(body.type, location.origin);
      links.append(element("a", { href: pathname + hash, text: gettext("What this means") }));
    }
    if (links.children.length) this.more.append(links);
  }
}

/** More errors than these are shown on request: twenty fill several screens of a phone. */
const ERRORS_SHOWN = 3;

/** @param {NonNullable<Problem["errors"]>} errors */
function errorLists(errors) {
  const items = errors.map(({ where, code, message }) => {
    const item = element("li", {}, element("div", { lang: "en", text: message }));
    item.append(element("small", {}, element("bdi", { text: where ?? "" }), " · ", element("code", { text: code })));
    return item;
  });
  const [first, others] = [items.slice(0, ERRORS_SHOWN), items.slice(ERRORS_SHOWN)];
  /** @type {HTMLElement[]} */
  const shown = first.length ? [element("ul", { class: "errors" }, ...first)] : [];
  if (others.length) {
    const summary = element("summary", {
      text: ngettext("%(count)s more place", "%(count)s more places", others.length),
    });
    shown.push(element("details", { class: "more-errors" }, summary, element("ul", { class: "errors" }, ...others)));
  }
  return shown;
}

/** Return the problem's details, which are in English only, if its cause is shown above. @param {Problem|null} problem */
function explanation(problem) {
  return title(problem) && problem?.detail ? [element("p", { lang: "en", text: problem.detail })] : [];
}

/** Return a problem's cause in the page's language, null if the page does not know it. @param {Problem|null} problem */
function title(problem) {
  const code = String(problem?.type ?? "").split("#problem-")[1];
  return causes[code] ? `${causes[code]}.` : null;
}

/** @type {Record<string, string>} */
const causes = JSON.parse(need("#sendings").dataset.causes ?? "{}");

/** @param {number} seconds */
function countdown(seconds) {
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
}
