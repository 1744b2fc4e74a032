"""A program that plays Robo Battle Pigs well, between two; needs httpx, and bot.py beside it.

With a token in ROBOSITE_TOKEN, as bot.py prints it, `python pig.py https://SITE` plays wherever it is
invited. It looks for a mix of programs against which none of the other pig's does well, and draws one.
"""

import os
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import bot  # type: ignore[import-not-found]
import httpx

Program = tuple[str, ...]
Pig = tuple[int, int]  # its pose, which is 4 × its square + its heading (N, E, S, W), and its damage

WALKS = {"^": (0, 1), "v": (0, -1), "\\": (-1, 1), "/": (1, 1)}  # steps to its right, steps ahead
TURNS = {"TL": -1, "TR": 1}
FREE = (*WALKS, *TURNS, "F", "H")
REPAIR: Program = ("R",) * 5
LIVES, SHARE, AIM = (
    5,
    0.55,
    1.1,
)  # a hit leaves this share of its hopes; to have the other in line adds to them
ROUNDS, TRIES = 9, 5  # how often each side looks for its best answer, and from how many programs
PLAYED = 150  # how many times the two play a table against each other until their mix is taken for good


def at(pose: int, right: int, ahead: int) -> int | None:
    """The square so far to the right of a pig and ahead of it, if it is on the board."""
    dx, dy = ((right, ahead), (ahead, -right), (-right, -ahead), (-ahead, right))[pose % 4]
    file, rank = pose // 4 % 8 + dx, pose // 32 + dy
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else None


def after(pose: int, command: str) -> int:
    """The pose after a command that nobody interferes with; the wall stops a pig."""
    if command in TURNS:
        return pose - pose % 4 + (pose + TURNS[command]) % 4
    to = at(pose, *WALKS[command]) if command in WALKS else None
    return pose if to is None else to * 4 + pose % 4


AFTER = {command: [after(pose, command) for pose in range(256)] for command in (*FREE, "R", "X")}
FIRED = [{at(pose, 0, n) for n in range(1, 8)} for pose in range(256)]
STRUCK = [{at(pose, side, 1) for side in (-1, 0, 1)} for pose in range(256)]
AIMED = {"F": FIRED, "H": STRUCK}


def hopes(mine: Pig, other: Pig, my: Program, their: Program) -> float:
    """What a round brings me, from 0 (lost) to 1 (won)."""
    (x, hurt), (y, struck) = mine, other
    for a, b in zip(my, their, strict=True):
        u, v = AFTER[a][x], AFTER[b][y]
        if u >> 2 == v >> 2:  # both want this square, or one stands there: whoever walks stays
            u, v = (u if u >> 2 == x >> 2 else x), (v if v >> 2 == y >> 2 else y)
        elif u >> 2 == y >> 2 and v >> 2 == x >> 2:  # they would change places
            u, v = x, y
        x, y = u, v
        struck += a in AIMED and y >> 2 in AIMED[a][x]
        hurt += b in AIMED and x >> 2 in AIMED[b][y]
        if hurt >= LIVES or struck >= LIVES:
            return 0.5 * ((hurt < LIVES) - (struck < LIVES) + 1)
    hurt, struck = hurt - (my == REPAIR), struck - (their == REPAIR)
    line, lined = y >> 2 in FIRED[x], x >> 2 in FIRED[y]
    own, others = SHARE**hurt * AIM ** (line - lined), SHARE**struck * AIM ** (lined - line)
    return float(own / (own + others))


def some(damage: int) -> Program:
    """Any program of a pig with so much damage: its X stand anywhere."""
    commands = ["X"] * damage + random.choices(FREE, k=5 - damage)
    random.shuffle(commands)
    return tuple(commands)


def changed(old: Program) -> list[Program]:
    """All programs with one free command replaced, or two slots exchanged."""
    near = [(*old[:i], new, *old[i + 1 :]) for i, one in enumerate(old) if one != "X" for new in FREE]
    for i, j in combinations(range(5), 2):
        near.append((*old[:i], old[j], *old[i + 1 : j], old[i], *old[j + 1 :]))
    return near


def climbed(start: Program, worth: Callable[[Program], float]) -> tuple[float, Program]:
    """The best program to which one change after another leads, and its worth."""
    best = worth(start), start
    while True:
        near = [(worth(one), one) for one in changed(best[1])]
        if (found := max(near)) <= best:
            return best
        best = found


def mean(weights: Sequence[float], values: Iterable[float]) -> float:
    return sum(w * v for w, v in zip(weights, values, strict=True)) / (sum(weights) or 1)


def mixes(pigs: Sequence[Pig], pools: Sequence[Sequence[Program]]) -> list[list[float]]:
    """How often each pig should draw which of its programs, so that neither gains much by drawing otherwise.

    Regret matching: each draws what it would rather have played until then; later rounds count more.
    """
    tables = [[[hopes(pigs[s], pigs[1 - s], a, b) for b in pools[1 - s]] for a in pools[s]] for s in (0, 1)]
    regrets, sums = ([[0.0] * len(pool) for pool in pools] for _ in range(2))
    for n in range(PLAYED):
        now = [regret if any(regret) else [1.0] * len(regret) for regret in regrets]
        for s in (0, 1):
            brought = [mean(now[1 - s], row) for row in tables[s]]
            got, total = mean(now[s], brought), sum(now[s])
            regrets[s] = [max(0, r + b - got) for r, b in zip(regrets[s], brought, strict=True)]
            sums[s] = [old + n * w / total for old, w in zip(sums[s], now[s], strict=True)]
    return sums


def mixed(*pigs: Pig) -> Program:
    """A program drawn from the first pig's mix: by turns each looks for what beats the other's."""
    pools = [[some(damage) for _ in range(4)] + [REPAIR] * (damage > 0) for _, damage in pigs]
    for s in (0, 1) * ROUNDS:
        likely = sorted(zip(mixes(pigs, pools)[1 - s], pools[1 - s], strict=True))[-8:]
        weights, theirs = zip(*likely, strict=True)

        def worth(mine: Program, s: int = s, weights: Any = weights, theirs: Any = theirs) -> float:
            return mean(weights, (hopes(pigs[s], pigs[1 - s], mine, their) for their in theirs))

        pools[s].append(max(climbed(some(pigs[s][1]), worth) for _ in range(TRIES))[1])
    return random.choices(pools[0], mixes(pigs, pools)[0])[0]


def pig(text: str) -> Pig:
    """A pig as the match's `position` has it: A=d8S0."""
    square = 8 * (int(text[3]) - 1) + ord(text[2]) - ord("a")
    return 4 * square + "NESW".index(text[4]), int(text[5])


def order(site: httpx.Client, at: str, match: dict[str, Any]) -> str:
    """Its program in the standard game of two; by chance in any other."""
    if match["options"] or len(match["seats"]) > 2:
        return str(bot.order_of(site, at, match))
    mine, other = sorted(match["position"].split(), key=lambda text: not text.startswith(match["you"]))
    return " ".join(mixed(pig(mine), pig(other)))


if __name__ == "__main__":
    bot.run(sys.argv[1], os.environ["ROBOSITE_TOKEN"], ["pigs"], order)
