/** The upload page: sends files that are dropped or chosen and text that is pasted, each as an upload of its own. */

import { need } from "../dom.js";
import { fill, gettext, number } from "../i18n.js";
import { Card } from "./card.js";
import { encoding, looksLikeExport, WINDOW_LIMIT } from "./read.js";
import { follow, send } from "./send.js";

/** A hundred dropped files sent at once would overload the connection and the server. */
const MAX_PARALLEL = 2;

const form = /** @type {HTMLFormElement} */ (need("#upload"));
const drop = need("#drop");
const files = /** @type {HTMLInputElement} */ (need("#files"));
const text = /** @type {HTMLTextAreaElement} */ (need("#text"));
const hint = need("#text-about");
const token = /** @type {HTMLInputElement} */ (need("#token"));
const list = need("#sendings");
const announcement = need("#announcement");

/** @type {(() => Promise<void>)[]} */
const pending = [];
let running = 0;

token.value = storage("token") ?? "";
token.addEventListener("change", () => storage("token", token.value.trim()));

for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) drop.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  for (const file of event.dataTransfer?.files ?? []) queue(file, file.name);
});
files.addEventListener("change", () => {
  for (const file of files.files ?? []) queue(file, file.name);
  files.value = "";
});
text.addEventListener("input", describe);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const pasted = text.value.trim();
  if (!pasted) {
    hint.textContent = gettext("There is no text to send yet. Paste the export first.");
    text.focus();
    return;
  }
  queue(new Blob([pasted], { type: "text/plain" }), gettext("Pasted text"), () => {
    if (text.value.trim() === pasted) {
      text.value = "";
      describe();
    }
  });
});

/** Show the length of the pasted text, and warn if it looks cut off or like something else. */
function describe() {
  const { length } = text.value.trim();
  if (length === 0) hint.textContent = "";
  else if (!looksLikeExport(text.value)) {
    hint.textContent = gettext(
      "This does not look like the addon's export. It begins with “<MobMapData” or is one long line of letters and digits.",
    );
  } else {
    const characters = fill(gettext("%(count)s characters."), { count: number(length) });
    const cut = gettext("The export window may have dropped the rest. What is here still counts.");
    hint.textContent = length >= WINDOW_LIMIT ? `${characters} ${cut}` : characters;
  }
}

/** @param {Blob} document @param {string} name @param {() => void} [onAccepted] */
function queue(document, name, onAccepted = () => {}) {
  const card = new Card(list, name, document.size);
  pending.push(() => deliver(document, name, card, onAccepted));
  next();
}

function next() {
  while (running < MAX_PARALLEL && pending.length) {
    running += 1;
    const job = /** @type {() => Promise<void>} */ (pending.shift());
    job().finally(() => {
      running -= 1;
      next();
    });
  }
}

/** @param {Blob} document @param {string} name @param {Card} card @param {() => void} onAccepted */
async function deliver(document, name, card, onAccepted) {
  const again = () => queue(document, name, onAccepted);
  const maxBytes = Number(form.dataset.bodyBytes);
  if (document.size > maxBytes) {
    card.refused(413, null, again);
    announce(name, card);
    return;
  }
  const { status, body } = await send(document, {
    token: token.value.trim(),
    encoding: await encoding(document),
    type: document.type.startsWith("text/plain") ? "text/plain" : "application/octet-stream",
    onProgress: (share) => card.progress(share),
    onWait: (seconds, problem) => card.waiting(seconds, problem),
  });
  if (!body?.id || status >= 400) {
    card.refused(status, body, again);
    announce(name, card);
    return;
  }
  const receipt = /** @type {import("./send.js").Receipt} */ (body);
  onAccepted();
  card.accepted(receipt, `/uploads/${receipt.id}`);
  announce(name, card);
  // Not awaited: the next file must not wait for this one's merge.
  if (!["merged", "rejected", "withdrawn"].includes(receipt.status)) {
    follow(
      `/api/v1/uploads/${receipt.id}`,
      (latest) => card.update(latest),
      () => card.unavailable(),
    ).then(() => announce(name, card));
  }
}

/** Announce the status to screen readers. @param {string} name @param {Card} card */
function announce(name, card) {
  announcement.textContent = `${name}: ${card.outcome.textContent}`;
}

/**
 * Read the browser's storage or, with a value, write it. Return null if that is forbidden.
 * @param {string} key @param {string} [value]
 */
function storage(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key);
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {
    // Without storage the token is kept until the page is closed.
  }
  return null;
}
