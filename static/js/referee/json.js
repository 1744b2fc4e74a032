/**
 * JSON as records need it: `8.0` is not 8, so a number with a fraction or an exponent is a `Float`.
 */

export class Float {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const DEEPEST = 200;

/** Reads a JSON text; throws SyntaxError. @param {string} text @returns {unknown} */
export function parse(text) {
  let at = 0;

  /** @param {RegExp} pattern */
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };

  /** @param {string} sign */
  const sees = (sign) => {
    take(SPACE);
    if (!text.startsWith(sign, at)) return false;
    at += sign.length;
    return true;
  };

  /** @param {string} sign */
  const need = (sign) => {
    if (!sees(sign)) throw new SyntaxError(`This is not JSON: “${sign}” is missing at character ${at}.`);
  };

  const string = () => {
    take(SPACE);
    const found = take(STRING);
    if (found === undefined) throw new SyntaxError(`This is not JSON: a text is missing at character ${at}.`);
    return /** @type {string} */ (JSON.parse(found));
  };

  /** @param {number} depth @returns {unknown} */
  const value = (depth) => {
    if (depth > DEEPEST) throw new SyntaxError("This is nested too deeply.");
    if (sees("{")) return object(depth);
    if (sees("[")) return list(depth);
    if (sees("true")) return true;
    if (sees("false")) return false;
    if (sees("null")) return null;
    if (text[at] === '"') return string();
    const found = take(NUMBER);
    if (found === undefined) throw new SyntaxError(`This is not JSON: a value is missing at character ${at}.`);
    return /[.eE]/.test(found) ? new Float(Number(found)) : Number(found);
  };

  /** @param {number} depth */
  const object = (depth) => {
    /** @type {Record<string, unknown>} */
    const made = Object.create(null);
    if (sees("}")) return made;
    do {
      const key = string();
      need(":");
      made[key] = value(depth + 1);
    } while (sees(","));
    need("}");
    return made;
  };

  /** @param {number} depth */
  const list = (depth) => {
    /** @type {unknown[]} */
    const made = [];
    if (sees("]")) return made;
    do made.push(value(depth + 1));
    while (sees(","));
    need("]");
    return made;
  };

  const made = value(0);
  take(SPACE);
  if (at < text.length) throw new SyntaxError(`This is not JSON: something follows at character ${at}.`);
  return made;
}
