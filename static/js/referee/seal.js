/** SHA-256 and the formula of a seal (RECORD.md, API.md). */

const FIRST_PRIMES = (() => {
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
})();

/** The first 32 bits of the fraction of a root. @param {number} root */
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const ROUND = FIRST_PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START = FIRST_PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

/** @param {number} word @param {number} by */
const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** A text in UTF-8, without an object of the browser's. @param {string} text */
function utf8(text) {
  const bytes = [];
  for (const sign of text) {
    const code = /** @type {number} */ (sign.codePointAt(0));
    const more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes.push([0, 0xc0, 0xe0, 0xf0][more] | (code >> (6 * more)));
    for (let left = more - 1; left >= 0; left--) bytes.push(0x80 | ((code >> (6 * left)) & 0x3f));
  }
  return Uint8Array.from(bytes);
}

/**
 * SHA-256 (FIPS 180-4) in lower-case hex, for pages without `crypto.subtle`.
 *
 * @param {string} text
 */
export function sha256(text) {
  const bytes = utf8(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const hash = [...START];
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [near, far] = [words[i - 2], words[i - 15]];
      words[i] =
        ((turned(near, 17) ^ turned(near, 19) ^ (near >>> 10)) + words[i - 7] +
          (turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)) + words[i - 16]) | 0;
    }
    compress(hash, words);
  }
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** @param {number[]} hash @param {Int32Array} words */
function compress(hash, words) {
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g);
    const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + ROUND[i] + words[i]) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = (hash[i] + word) | 0));
}

/** SHA-256 in lower-case hex. @param {string} text */
export async function digest(text) {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return sha256(text);
  const hash = new Uint8Array(await subtle.digest("SHA-256", utf8(text)));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The text that is hashed. @param {string} match @param {number} turn @param {string} seat @param {string} nonce @param {string} order */
export const sealed = (match, turn, seat, nonce, order) => ["robosite-seal/1", match, turn, seat, nonce, order].join("\n");
