// Arrow keys in the planner, from the first of them on: from button to button, and on the board to the nearest
// square that way.
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function go(from, key) {
  if (from.closest(".taps")) step(from, key);
  else walk(key);
}

function walk(key) {
  const all = [...document.querySelectorAll("#plan button")].filter((one) => one.offsetParent);
  const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  all[all.indexOf(document.activeElement) + step]?.focus();
}

function step(from, key) {
  const [x, y] = middle(from), [dx, dy] = WAYS[key];
  let nearest = null, least = Infinity;
  for (const tap of from.closest(".taps").querySelectorAll("button")) {
    const [tx, ty] = middle(tap);
    const ahead = (tx - x) * dx + (ty - y) * dy, aside = Math.abs((tx - x) * dy) + Math.abs((ty - y) * dx);
    if (ahead > 1 && ahead + 2 * aside < least) [nearest, least] = [tap, ahead + 2 * aside];
  }
  nearest?.focus();
}

function middle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
