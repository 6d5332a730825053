/** Sends an upload to the API, with progress, and sends it again when the server asks to wait. */

const LONGEST_WAIT_S = 300;
/** A restart or a repair takes minutes; after this time the player decides whether to send again. */
const GIVE_UP_AFTER_S = 1800;
const LONGEST_BACKOFF_S = 60;
const SETTLED = ["merged", "rejected", "withdrawn"];

/**
 * @typedef {object} Receipt As from `GET /api/v1/uploads/{id}`.
 * @property {string} id @property {string} status @property {string} locale
 * @property {number} mobs @property {number} positions @property {number} lootings
 * @property {number} [new_positions] @property {number} [confirmed_positions] Once merged.
 * @property {boolean} [duplicate] In the answer to an upload only.
 *
 * @typedef {object} Problem As in RFC 9457.
 * @property {string} [type] @property {string} [detail]
 * @property {{where?: string, code: string, message: string}[]} [errors]
 * @property {boolean} [may_retry]
 *
 * @typedef {object} Answer
 * @property {number} status 0 without a connection.
 * @property {Partial<Receipt> & Problem|null} body A receipt or a problem; null if it is no JSON.
 *
 * @typedef {object} Upload
 * @property {string} token @property {"gzip"|"zstd"|null} encoding @property {string} type
 * @property {(share: number) => void} onProgress
 */

/**
 * Send a document. It is sent again after a broken connection, and after answers (429, 503) that say when.
 * @param {Blob} document
 * @param {Upload & {onWait: (seconds: number, problem: Problem|null) => Promise<void>}} options
 *   `onWait` resolves when it is time to send again.
 * @returns {Promise<Answer>}
 */
export async function send(document, options) {
  const until = Date.now() + GIVE_UP_AFTER_S * 1000;
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, retryAfterS } = await post(document, options);
    const busy = (status === 429 || status === 503) && retryAfterS !== null;
    if (!busy && status !== 0) return { status, body };
    // Exponential backoff, so that a site that is available again is not overloaded at once.
    const pause = Math.max(retryAfterS ?? 0, Math.min(2 ** attempt, LONGEST_BACKOFF_S));
    if (pause > LONGEST_WAIT_S || Date.now() + pause * 1000 > until) return { status, body };
    await options.onWait(pause, body);
  }
}

/**
 * @param {Blob} document @param {Upload} upload
 * @returns {Promise<Answer & {retryAfterS: number|null}>}
 */
function post(document, { token, encoding, type, onProgress }) {
  return new Promise((resolve) => {
    // Unlike fetch(), XMLHttpRequest reports how much of a body has been sent.
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/uploads");
    request.setRequestHeader("Content-Type", type);
    request.setRequestHeader("Accept", "application/json, application/problem+json");
    if (encoding) request.setRequestHeader("Content-Encoding", encoding);
    if (token) request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total ? loaded / total : 0));
    request.addEventListener("loadend", () => {
      const after = Number.parseInt(request.getResponseHeader("Retry-After") ?? "", 10);
      resolve({
        status: request.status,
        body: parsed(request.responseText),
        retryAfterS: Number.isNaN(after) ? null : Math.max(after, 1),
      });
    });
    request.send(document);
  });
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Fetch a receipt again and again until its status is final.
 * @param {string} url @param {(receipt: Receipt) => void} onChange Called with each receipt.
 * @param {() => void} onFailure Called each time that it could not be fetched.
 * @returns {Promise<Receipt>} The final receipt.
 */
export async function follow(url, onChange, onFailure) {
  for (let asked = 0; ; asked += 1) {
    /** @type {Receipt|null} */
    const receipt = await fetch(url, { headers: { Accept: "application/json" }, cache: "no-store" })
      .then((response) => (response.ok ? response.json() : null))
      .catch(() => null);
    if (receipt) onChange(receipt);
    else onFailure();
    if (receipt && SETTLED.includes(receipt.status)) return receipt;
    // Often at first, as merging takes seconds; less often while the queue is long.
    await new Promise((done) => setTimeout(done, asked < 10 ? 1000 : asked < 40 ? 3000 : 10_000));
  }
}
