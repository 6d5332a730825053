/** The upload page: files dropped or chosen, or text pasted; each sent on its own, and followed. */

import { need } from "../dom.js";
import { fill, gettext, number } from "../words.js";
import { Card } from "./card.js";
import { encoding, looksRight, WINDOW_LIMIT } from "./read.js";
import { follow, send } from "./send.js";

/** Sending few at a time keeps a hundred dropped files from choking the line and the server. */
const AT_ONCE = 2;

const form = /** @type {HTMLFormElement} */ (need("#upload"));
const drop = need("#drop");
const files = /** @type {HTMLInputElement} */ (need("#files"));
const text = /** @type {HTMLTextAreaElement} */ (need("#text"));
const about = need("#text-about");
const token = /** @type {HTMLInputElement} */ (need("#token"));
const list = need("#sendings");
const said = need("#said");

/** @type {(() => Promise<void>)[]} */
const waiting = [];
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
    about.textContent = gettext("There is no text to send yet. Paste the export first.");
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

/** Say how long the pasted text is, and whether it looks cut off or like something else. */
function describe() {
  const { length } = text.value.trim();
  if (length === 0) about.textContent = "";
  else if (!looksRight(text.value)) {
    about.textContent = gettext(
      "This does not look like the addon's export. It begins with “<MobMapData” or is one long line of letters and digits.",
    );
  } else {
    const characters = fill(gettext("%(count)s characters."), { count: number(length) });
    const cut = gettext("The export window may have dropped the rest. What is here still counts.");
    about.textContent = length >= WINDOW_LIMIT ? `${characters} ${cut}` : characters;
  }
}

/** @param {Blob} document @param {string} name @param {() => void} [onTaken] */
function queue(document, name, onTaken = () => {}) {
  const card = new Card(list, name, document.size);
  waiting.push(() => deliver(document, name, card, onTaken));
  next();
}

function next() {
  while (running < AT_ONCE && waiting.length) {
    running += 1;
    const job = /** @type {() => Promise<void>} */ (waiting.shift());
    job().finally(() => {
      running -= 1;
      next();
    });
  }
}

/** @param {Blob} document @param {string} name @param {Card} card @param {() => void} onTaken */
async function deliver(document, name, card, onTaken) {
  const again = () => queue(document, name, onTaken);
  const most = Number(form.dataset.bodyBytes);
  if (document.size > most) {
    card.refused(413, null, again);
    say(name, card);
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
    say(name, card);
    return;
  }
  onTaken();
  card.taken(body, `/uploads/${body.id}`);
  say(name, card);
  // Following goes on in the background: the next file need not wait for this one's merge.
  if (!["merged", "rejected", "withdrawn"].includes(body.status)) {
    follow(
      `/api/v1/uploads/${body.id}`,
      (receipt) => card.update(receipt),
      () => card.silent(),
    ).then(() => say(name, card));
  }
}

/** Tell those who listen instead of look. @param {string} name @param {Card} card */
function say(name, card) {
  said.textContent = `${name}: ${card.outcome.textContent}`;
}

/**
 * Read, or with a value write, the browser's storage; it may be forbidden.
 * @param {string} key @param {string} [value]
 */
function storage(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key);
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {
    // Without storage the token lasts for this visit.
  }
  return null;
}
