/** Recognizes files and pasted texts before they are sent. */

/** The addon's export window drops everything after this many characters. */
export const WINDOW_LIMIT = 180_000;

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/**
 * Return the `Content-Encoding` of a file according to its first bytes, or null.
 * @param {Blob} file
 * @returns {Promise<"gzip"|"zstd"|null>}
 */
export async function encoding(file) {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (GZIP.every((byte, at) => head[at] === byte)) return "gzip";
  if (ZSTD.every((byte, at) => head[at] === byte)) return "zstd";
  return null;
}

/**
 * Return whether a text looks like an export: XML or Base64.
 * @param {string} text
 */
export function looksLikeExport(text) {
  const start = text
    .replace(/^\uFEFF/, "")
    .trimStart()
    .slice(0, 200);
  return start.startsWith("<") || /^[A-Za-z0-9+/=\s]{16,}$/.test(start);
}
