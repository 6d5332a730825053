/** One thing sent, as a card: its progress, its errors at their place, its receipt. */

import { element, need } from "../dom.js";
import { fill, gettext, ngettext, size } from "../words.js";
import { contents, outcome, refusal, silence } from "./outcome.js";

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
    // On a phone the list begins below what was just touched.
    if (this.card.getBoundingClientRect().bottom > innerHeight) this.card.scrollIntoView({ block: "center" });
  }

  /** @param {number} share From 0 to 1. */
  progress(share) {
    this.bar.value = Math.round(share * 100);
    if (share >= 1) this.outcome.textContent = gettext("Sent. The server is checking it…");
  }

  /**
   * Tell why the site takes nothing now, count down, and let the sender try at once.
   * @param {number} seconds @param {any} problem The site's answer (RFC 9457), or null when it could not be reached.
   * @returns {Promise<void>} Resolves when it is time.
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

  /** The upload was taken. @param {any} body @param {string} page Address of the receipt page. */
  taken(body, page) {
    this.bar.hidden = true;
    this.duplicate = Boolean(body.duplicate);
    this.links = element("p", { class: "links" }, element("a", { href: page, text: gettext("Receipt") }));
    this.fate = element("p", { class: "soft" });
    const counted = element("p", { class: "soft", text: `${body.locale} · ${contents(body)}` });
    this.more.replaceChildren(this.fate, counted, this.links);
    this.update(body);
  }

  /** @param {any} receipt */
  update(receipt) {
    this.card.dataset.state = receipt.status;
    this.card.classList.toggle("merged", receipt.status === "merged");
    this.card.classList.toggle("bad", receipt.status === "rejected");
    // Of notes that were sent before, that is the news; what became of them then stands below.
    const same = gettext("The same notes were sent before. They count once, so nothing changes.");
    this.outcome.textContent = this.duplicate ? same : outcome(receipt);
    if (this.fate) this.fate.textContent = this.duplicate ? outcome(receipt) : "";
    if (receipt.status === "merged" && !this.card.querySelector(".to-map")) {
      this.links?.append(
        element("a", { class: "to-map", href: `/${receipt.locale}/zones`, text: gettext("To the map") }),
      );
    }
  }

  /** The site does not tell what becomes of what it has taken. */
  silent() {
    this.outcome.textContent = silence();
  }

  /**
   * The upload was refused.
   * @param {number} status @param {any} body A problem (RFC 9457), or null. @param {() => void} again Sends it once more.
   */
  refused(status, body, again) {
    this.bar.hidden = true;
    this.card.dataset.state = "refused";
    this.card.classList.add("bad");
    this.outcome.textContent = title(body) ?? body?.detail ?? refusal(status);
    this.more.replaceChildren(...explanation(body), ...places(body?.errors ?? []));
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

/** Of more places than these, the others are shown on request: twenty fill several screens of a phone. */
const PLACES_SHOWN = 3;

/** @param {{where?: string, code: string, message: string}[]} errors */
function places(errors) {
  const items = errors.map(({ where, code, message }) => {
    const item = element("li", {}, element("div", { lang: "en", text: message }));
    item.append(element("small", {}, element("bdi", { text: where ?? "" }), " · ", element("code", { text: code })));
    return item;
  });
  const [first, others] = [items.slice(0, PLACES_SHOWN), items.slice(PLACES_SHOWN)];
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

/** What the site says of a refusal, which it says in English, below its cause. @param {any} problem */
function explanation(problem) {
  return title(problem) && problem.detail ? [element("p", { lang: "en", text: problem.detail })] : [];
}

/** The cause of a refusal in the page's language, null for one that the page does not know. @param {any} problem */
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
