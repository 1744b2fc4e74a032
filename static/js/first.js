// A newcomer's speech bubbles: one at a time, each beside what it speaks of and never over it. The button goes on to
// the next, and so does a tap on the planner where they stay through taps; the button of the last one, or Escape, puts
// them away.

import { say } from "./kept.js";

const GAP = 12;
const guide = { of: "", at: 0, said: "" }; // the turn, the bubble that is shown, and the one that was said aloud

const sizes = new ResizeObserver(() => show());
const showSoon = () => requestAnimationFrame(show); // measures what is laid out for that frame anyway
const form = () => document.getElementById("bubbles");
const boxOf = (one) => one.getBoundingClientRect();
const isDrawn = ({ width, height }) => width && height;
const boxes = (selector) => Array.from(document.querySelectorAll(selector), boxOf).filter(isDrawn);
const overlap = (a, b) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const clamp = (value, least, most) => Math.max(least, Math.min(value, most));

/** The thing that a bubble points at: a robot, a part of the board, or a part of the planner. */
function pointed(what, side) {
  const selector = {
    own: `#film .frame .piece.side-${side}`,
    other: `#film .frame .piece:not(.side-${side})`,
    plan: "#plan .palette",
    aims: "#plan [data-aims]",
    ground: "#film svg.board .ground",
  }[what] ?? `#film svg.board .${what}.side-${side}`;
  return [...document.querySelectorAll(selector)].find((one) => isDrawn(boxOf(one)));
}

/** Shows the bubble whose turn it is, in the best place: one that covers no robot, and as few signs as can be. */
function show() {
  const bubbles = form();
  if (!bubbles) return void document.querySelector(".pointed-at")?.classList.remove("pointed-at");
  if (bubbles.closest(".lingering, [data-film]:not(.at-last)")) return; // hidden while the film plays
  if (guide.of !== bubbles.dataset.turn) Object.assign(guide, { of: bubbles.dataset.turn, at: 0 });
  const spans = [...bubbles.querySelectorAll("span")];
  if (guide.at >= spans.length) return; // Escape has put them away, and the site is being told
  const button = bubbles.querySelector("strong");
  spans.forEach((span, at) => span.classList.toggle("shown", at === guide.at));
  bubbles.querySelector(".bubble-sheet").classList.toggle("later", guide.at > 0);
  const label = button.dataset[guide.at < spans.length - 1 ? "more" : "done"];
  if (button.textContent !== label) button.textContent = label;
  const words = Array.from(spans[guide.at].childNodes, ({ data = "" }) => data).join(""); // no signs
  if (guide.said !== `${guide.of}.${guide.at}`) say(words.replace(/:\s*$/, "."));
  guide.said = `${guide.of}.${guide.at}`;
  place(bubbles, spans[guide.at]);
  sizes.observe(bubbles.querySelector(".bubble-sheet")); // its own style sheet may come later than this script
}

function place(bubbles, span) {
  const bubble = bubbles.querySelector(".bubble-sheet");
  const [board] = boxes("#film :is(#board, svg.board)");
  if (!board) return;
  const [paper, own] = [boxOf(bubbles), boxOf(bubble)];
  const thing = isDrawn(own) && pointed(span.dataset.points, bubbles.dataset.side);
  const target = thing ? boxOf(thing) : null;
  for (const one of document.querySelectorAll(".pointed-at")) one.classList.remove("pointed-at");
  if (!thing) return;
  thing.classList.add("pointed-at");
  const tip = (target.left + target.right) / 2;
  const left = clamp(tip - own.width / 2, board.left, board.right - own.width);
  const robots = boxes("#film .frame .piece");
  const mine = boxes(`#film .frame .piece.side-${bubbles.dataset.side}`);
  const signs = span.querySelector(".signs") ? boxes("#film .spared > *") : []; // the bubble speaks of them
  const whole = span.dataset.points === "ground";
  const cost = (top) => {
    const box = { left, right: left + own.width, top, bottom: top + own.height };
    const out = Math.max(0, board.top - top) + Math.max(0, box.bottom - board.bottom);
    const covered = (some) => some.reduce((sum, one) => sum + overlap(box, one), 0);
    return (covered(mine) + (whole ? 0 : overlap(box, target))) * 9e3 + covered(robots) * 100 + covered(signs) * 10 + out * 5000;
  };
  const isAside = target.top >= board.bottom || target.left >= board.right;
  const below = isAside ? board.bottom - own.height - GAP : target.bottom + GAP;
  const places = [below, isAside ? (board.top + board.bottom - own.height) / 2 : target.top - own.height - GAP];
  // a little over the board's edge too, where the bubble is high
  for (let top = board.top - 2 * GAP; top < board.bottom - own.height + 2 * GAP; top += GAP) places.push(top);
  const far = (top) => Math.max(0, target.top - top - own.height, top - target.bottom); // from what it points at
  const sum = (top) => cost(top) + far(top);
  const best = places.reduce((one, other) => (sum(other) < sum(one) ? other : one));
  const isClear = best >= target.bottom || best + own.height <= target.top;
  bubble.dataset.tail = !isClear || (isAside && target.left >= board.right) ? "" : best < target.top ? "down" : "up";
  bubble.style.setProperty("--left", `${left - paper.left}px`);
  bubble.style.setProperty("--top", `${best - paper.top}px`);
  bubble.style.setProperty("--tip", `${clamp(tip - left, 24, own.width - 24)}px`);
}

const isMore = (bubbles) => bubbles && guide.at < bubbles.querySelectorAll("span").length - 1;

function next(event) {
  if (!event.target.closest?.("#bubbles button") || !isMore(form())) return;
  event.preventDefault();
  event.stopPropagation();
  guide.at += 1;
  show();
}

document.addEventListener("click", next, true);
document.addEventListener("plan:tap", ({ detail }) => {
  if (!detail.choose || !form()?.matches(".stays") || !isMore(form())) return;
  guide.at += 1;
  show();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !form()) return;
  guide.at = Infinity; // past the last bubble
  form().querySelector("button").click();
});
for (const name of ["live:swapped", "htmx:afterSettle", "film:step"]) document.addEventListener(name, showSoon);
addEventListener("resize", show);
show();
