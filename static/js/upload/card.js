/** One thing sent, as a card: its progress, its errors at their place, its receipt. */

import { element } from "../dom.js";
import { fill, gettext, number, size } from "../words.js";
import { contents, outcome, refusal } from "./outcome.js";

export class Card {
  /** @param {HTMLElement} list @param {string} name @param {number} bytes */
  constructor(list, name, bytes) {
    this.bar = element("progress", { max: "100", value: "0", "aria-label": fill(gettext("Sending %(name)s"), { name }) });
    this.outcome = element("p", { class: "outcome", text: gettext("Sending…") });
    this.more = element("div");
    const head = element("header", {}, element("strong", {}, element("bdi", { text: name })));
    head.append(element("span", { class: "soft", text: size(bytes) }));
    this.card = element("li", { class: "sending", "data-state": "sending" }, head, this.bar, this.outcome, this.more);
    list.prepend(this.card);
  }

  /** @param {number} share From 0 to 1. */
  progress(share) {
    this.bar.value = Math.round(share * 100);
    if (share >= 1) this.outcome.textContent = gettext("Sent. The server is checking it…");
  }

  /** @param {number} seconds */
  waiting(seconds) {
    this.outcome.textContent = fill(gettext("The server is busy. Trying again by itself in %(seconds)s seconds…"), {
      seconds: number(seconds),
    });
  }

  /** The upload was taken. @param {any} body @param {string} page Address of the receipt page. */
  taken(body, page) {
    this.bar.hidden = true;
    const counted = element("p", { class: "soft", text: `${body.locale} · ${contents(body)}` });
    const link = element("p", {}, element("a", { href: page, text: gettext("Receipt") }));
    this.more.replaceChildren(counted, link);
    if (body.duplicate) {
      link.before(element("p", { text: gettext("The same notes were sent before. They count once, so nothing changes.") }));
    }
    this.update(body);
  }

  /** @param {any} receipt */
  update(receipt) {
    this.card.dataset.state = receipt.status;
    this.card.classList.toggle("merged", receipt.status === "merged");
    this.card.classList.toggle("bad", receipt.status === "rejected");
    this.outcome.textContent = outcome(receipt);
    if (receipt.status === "merged" && !this.card.querySelector(".to-map")) {
      const map = element("a", { href: `/${receipt.locale}/zones`, text: gettext("To the map") });
      this.more.append(element("p", { class: "to-map" }, map));
    }
  }

  /** The upload was refused. @param {number} status @param {any} body A problem (RFC 9457), or null. */
  refused(status, body) {
    this.bar.hidden = true;
    this.card.dataset.state = "refused";
    this.card.classList.add("bad");
    this.outcome.textContent = body?.detail ?? refusal(status);
    const errors = body?.errors ?? [];
    const shown = element("ul", { class: "errors" });
    for (const { where, code, message } of errors) {
      const item = element("li", {}, element("div", { text: message }));
      item.append(element("small", {}, element("bdi", { text: where ?? "" }), " · ", element("code", { text: code })));
      shown.append(item);
    }
    this.more.replaceChildren(...(errors.length ? [shown] : []));
    if (body?.type) {
      const about = element("a", { href: new URL(body.type, location.origin).pathname + new URL(body.type, location.origin).hash });
      about.textContent = gettext("What this means");
      this.more.append(element("p", {}, about));
    }
  }
}
