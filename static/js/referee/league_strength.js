/**
 * The strength of each place, from its results, by the Bradley–Terry model: whoever sits in a match wins it with a chance
 * of e^θ, divided by the sum of all e^θ there. The θ are the most probable ones if each is normal around 0 before.
 */

const PRIOR = 1.5; // the standard deviation of θ before
const ELO = 400 / Math.LN10;
const ENOUGH = 5; // results, for a strength to be shown
const [STEPS, CLOSE] = [100, 1e-12];

/** @typedef {[number, number][]} Shares  Each place of a match with its share of the win. */

/** @param {Shares[]} matches  Those that were played. @returns {Map<number, {elo: number, error: number}>} */
export function strengthsOf(matches) {
  const places = [...new Set(matches.flat().map(([place]) => place))];
  const results = (/** @type {number} */ place) => matches.filter((shares) => shares.some(([other]) => other === place)).length;
  const shown = places.filter((place) => results(place) >= ENOUGH);
  if (shown.length === 0) return new Map();
  const thetas = places.map(() => 0);
  for (let step = 0; step < STEPS; step++) {
    const { slope, curve } = derivatives(matches, places, thetas);
    const change = solved(curve, slope);
    const longest = Math.max(...change.map(Math.abs));
    for (const [at, by] of change.entries()) thetas[at] += by / Math.max(1, longest);
    if (longest < CLOSE) break;
  }
  const { curve } = derivatives(matches, places, thetas);
  return new Map(shown.map((place) => {
    const at = places.indexOf(place);
    const variance = solved(curve, places.map((_, i) => (i === at ? 1 : 0)))[at];
    return [place, { elo: ELO * thetas[at], error: ELO * Math.sqrt(variance) }];
  }));
}

/** How fast the logarithm of the probability rises at these θ, and how fast that falls. @param {Shares[]} matches @param {number[]} places @param {number[]} thetas */
function derivatives(matches, places, thetas) {
  const slope = thetas.map((theta) => -theta / PRIOR ** 2);
  const curve = places.map((_, i) => places.map((_, j) => (i === j ? 1 / PRIOR ** 2 : 0)));
  for (const shares of matches) {
    const won = shares.reduce((whole, [, share]) => whole + share, 0);
    const at = shares.map(([place]) => places.indexOf(place));
    const powers = at.map((one) => Math.exp(thetas[one]));
    const whole = powers.reduce((sum, power) => sum + power, 0);
    for (const [i, one] of at.entries()) {
      slope[one] += shares[i][1] - (won * powers[i]) / whole;
      curve[one][one] += (won * powers[i]) / whole;
      for (const [j, other] of at.entries()) curve[one][other] -= (won * powers[i] * powers[j]) / whole ** 2;
    }
  }
  return { slope, curve };
}

/** Gauss's elimination, of a matrix that is positive definite. @param {number[][]} matrix @param {number[]} right */
function solved(matrix, right) {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (const [i, row] of rows.entries()) {
    const pivot = row[i];
    for (const at of row.keys()) row[at] /= pivot;
    for (const other of rows) {
      const factor = other === row ? 0 : other[i];
      for (const at of factor ? row.keys() : []) other[at] -= factor * row[at];
    }
  }
  return rows.map((row) => row[row.length - 1]);
}
