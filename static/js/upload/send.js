/** One upload over the API, with progress; waits by itself when the server says when to come back. */

const LONGEST_WAIT_S = 300;
/** A restart or a repair takes minutes; who waits longer than this is asked whether to go on. */
const PATIENCE_S = 1800;
const LONGEST_PAUSE_S = 60;

/**
 * @typedef {object} Answer
 * @property {number} status @property {any} body Parsed JSON, or null.
 */

/**
 * Send a document. Busy answers (429, 503) with a time are waited for; a broken connection is tried again.
 * @param {Blob} document
 * @param {{token: string, encoding: string|null, type: string,
 *   onProgress: (share: number) => void, onWait: (seconds: number, problem: any) => Promise<void>}} options
 *   `onWait` resolves when it is time to try again.
 * @returns {Promise<Answer>} Status 0 stands for no connection.
 */
export async function send(document, options) {
  const until = Date.now() + PATIENCE_S * 1000;
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, retryAfterS } = await post(document, options);
    const busy = (status === 429 || status === 503) && retryAfterS !== null;
    if (!busy && status !== 0) return { status, body };
    // Longer each time, so that a site that comes back is not met by everybody at once.
    const pause = Math.max(retryAfterS ?? 0, Math.min(2 ** attempt, LONGEST_PAUSE_S));
    if (pause > LONGEST_WAIT_S || Date.now() + pause * 1000 > until) return { status, body };
    await options.onWait(pause, body);
  }
}

/**
 * @param {Blob} document
 * @param {{token: string, encoding: string|null, type: string, onProgress: (share: number) => void}} options
 * @returns {Promise<Answer & {retryAfterS: number|null}>}
 */
function post(document, { token, encoding, type, onProgress }) {
  return new Promise((resolve) => {
    // fetch() can't report how much of a body has left; XMLHttpRequest can.
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
 * Ask for a receipt until nothing more happens to it.
 * @param {string} url @param {(receipt: any) => void} onChange Called with each receipt read.
 * @param {() => void} onSilence Called each time that none could be read.
 * @returns {Promise<any>} The settled receipt.
 */
export async function follow(url, onChange, onSilence) {
  for (let asked = 0; ; asked += 1) {
    const receipt = await fetch(url, { headers: { Accept: "application/json" }, cache: "no-store" })
      .then((response) => (response.ok ? response.json() : null))
      .catch(() => null);
    if (receipt) onChange(receipt);
    else onSilence();
    if (receipt && ["merged", "rejected", "withdrawn"].includes(receipt.status)) return receipt;
    // Quick at first, as merging takes seconds; a long queue is asked more gently.
    await new Promise((done) => setTimeout(done, asked < 10 ? 1000 : asked < 40 ? 3000 : 10_000));
  }
}
