"""Building the robots: slots to pick up and trade, shuffles, and what is still missing (X1).

An unfinished layout is text like a finished one, with `!` before the slot that is picked up. Taps trade parts
and letters, so the counts are always right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial as bound
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from games.core import Choice, IllegalOrder, Order, Plan, Seat, Sentence
from games.roboxing.robot import (
    BOOSTER,
    CENTRE,
    ENGINE,
    LASER,
    LETTERS,
    PART_NAMES,
    PLAIN,
    SLOT_NAMES,
    SLOTS,
    read_slots,
    shuffled,
    towards,
    write_slots,
)

if TYPE_CHECKING:
    from games.roboxing.rules import RoboxingState

PICKED = "!"


class BuildSlot(NamedTuple):
    """A slot of a robot that is built; x and y from its centre. `key` is the choice that a tap makes."""

    slot: str
    x: int
    y: int
    letter: str
    part: str
    picked: bool
    key: str
    tap_name: Sentence


class BuildRobot(NamedTuple):
    robot: str
    number: int
    side: str
    slots: tuple[BuildSlot, ...]


@dataclass(frozen=True, slots=True)
class BuildPlan(Plan):
    """`parts` and `letters` are what the slot that is picked up may become; `shuffles` build by chance."""

    building: bool = True
    robots: tuple[BuildRobot, ...] = ()
    parts: tuple[Choice, ...] = ()
    letters: tuple[Choice, ...] = ()
    shuffles: tuple[Choice, ...] = ()


Slots = tuple[tuple[str, str], ...]
"""The nine slots of a robot, each a letter and a part."""


class Bench(NamedTuple):
    """Robots that are being built, and the robot and slot that is picked up."""

    robots: tuple[Slots, ...]
    picked: tuple[int, int] | None = None

    def __str__(self) -> str:
        words = []
        for n, slots in enumerate(self.robots):
            word = write_slots("".join(x for x, _ in slots), "".join(part for _, part in slots))
            if self.picked and self.picked[0] == n:
                letter = slots[self.picked[1]][0]
                start = max(word.find(sign + letter) for sign in ("(", "["))
                start = word.index(letter) if start < 0 else start
                word = word[:start] + PICKED + word[start:]
            words.append(word)
        return " ".join(words)

    def put(self, n: int, slots: list[tuple[str, str]]) -> Bench:
        """The same with these slots in robot `n`, and nothing picked up."""
        return Bench((*self.robots[:n], tuple(slots), *self.robots[n + 1 :]))

    def trade(self, n: int, a: int, b: int, parts: bool, letters: bool) -> Bench:
        """The same after two slots have traded their parts, their letters, or both."""
        slots = list(self.robots[n])
        (letter_a, part_a), (letter_b, part_b) = slots[a], slots[b]
        if letters:
            letter_a, letter_b = letter_b, letter_a
        if parts:
            part_a, part_b = part_b, part_a
        slots[a], slots[b] = (letter_a, part_a), (letter_b, part_b)
        return self.put(n, slots)


def plan(state: RoboxingState, seat: Seat, partial: Order) -> BuildPlan:
    free = state.options.centre == "free"
    plain = Bench((tuple(read_slots(PLAIN)),) * state.options.robots)
    bench, missing, order = plain, None, ""
    if not partial.strip():
        missing = Sentence(
            "Everybody begins with this plain robot. Shuffle it, or tap two slots to trade them."
        )
    else:
        try:
            bench = _read_bench(state, partial)
            order = str(bench)
            if bench.picked:
                slot, (letter, part) = SLOTS[bench.picked[1]], bench.robots[bench.picked[0]][bench.picked[1]]
                missing = Sentence(
                    "You have picked up {part} {letter}, {slot}. Tap a slot to trade with, or tap it again.",
                    part=Sentence(PART_NAMES[part]),
                    letter=letter,
                    slot=Sentence(SLOT_NAMES[slot]),
                )
        except IllegalOrder as fault:
            order, missing = partial, fault.sentence
    robots = tuple(_build_robot(state, seat, bench, n, free) for n in range(len(bench.robots)))
    taps = tuple(
        Choice(slot.key, slot.tap_name, str(_tapped(bench, n, i, free)))
        for n, built in enumerate(robots)
        for i, slot in enumerate(built.slots)
    )
    parts = tuple(_part(bench, part, order, free) for part in (LASER, ENGINE, *([BOOSTER] if free else [])))
    letters = tuple(_letter(bench, letter, order) for letter in LETTERS)
    shuffles = (
        _shuffle("shuffle", Sentence("Shuffle everything"), bench, bound(_all_shuffled, bench, free)),
        _shuffle("shuffle letters", Sentence("Shuffle the letters"), bench, bound(_letters_shuffled, bench)),
    )
    return BuildPlan(
        order=order,
        choices=(*taps, *parts, *letters, *shuffles, *_undoing(bench, plain, order)),
        missing=missing,
        words=tuple(_bench_words(state, seat, bench)),
        robots=robots,
        parts=parts,
        letters=letters,
        shuffles=shuffles,
    )


def _read_bench(state: RoboxingState, partial: Order) -> Bench:
    slots = read_slots(partial, PICKED)
    marks = [i for i, (sign, _) in enumerate(slots) if sign == PICKED]
    if len(marks) > 1 or (marks and marks[0] == len(slots) - 1):
        raise IllegalOrder("One slot can be picked up at a time.")
    layouts = state.read_layouts(partial.replace(PICKED, ""))
    robots = tuple(tuple(zip(layout.letters, layout.parts, strict=True)) for layout in layouts)
    return Bench(robots, divmod(marks[0], 9) if marks else None)


def _build_robot(state: RoboxingState, seat: Seat, bench: Bench, n: int, free: bool) -> BuildRobot:
    slots = tuple(
        BuildSlot(
            SLOTS[i],
            towards(i)[0],
            -towards(i)[1],
            letter,
            PART_NAMES[part],
            bench.picked == (n, i),
            f"{n + 1} {SLOTS[i]}",
            _tap_name(bench, n, i, free),
        )
        for i, (letter, part) in enumerate(bench.robots[n])
    )
    return BuildRobot(state.ring.names[state.ring.team[seat][n]], n + 1, state.side(seat), slots)


def _tap_name(bench: Bench, n: int, i: int, free: bool) -> Sentence:
    letter, part = bench.robots[n][i]
    facts = {
        "slot": Sentence(SLOT_NAMES[SLOTS[i]]),
        "part": Sentence(PART_NAMES[part]),
        "letter": letter,
    }
    if bench.picked == (n, i):
        return Sentence("{slot}: {part} {letter}. Put it down again.", **facts)
    if bench.picked and bench.picked[0] == n:
        if not free and CENTRE in (i, bench.picked[1]):
            return Sentence("{slot}: {part} {letter}. Trade letters with it.", **facts)
        return Sentence("{slot}: {part} {letter}. Trade places with it.", **facts)
    return Sentence("{slot}: {part} {letter}. Pick it up.", **facts)


def _tapped(bench: Bench, n: int, i: int, free: bool) -> Bench:
    """A tap picks a slot up, puts it down again, or trades it with the one picked up before."""
    if bench.picked == (n, i):
        return bench._replace(picked=None)
    if bench.picked and bench.picked[0] == n:
        other = bench.picked[1]
        return bench.trade(n, other, i, parts=free or CENTRE not in (i, other), letters=True)
    return bench._replace(picked=(n, i))


NOTHING_PICKED = Sentence("Tap the slot first that you want to change.")


def _part(bench: Bench, part: str, order: Order, free: bool) -> Choice:
    """What is picked up becomes that part, and the next slot that was one takes its part in trade."""
    why, leads_to = None, order
    if not bench.picked:
        why = NOTHING_PICKED
    else:
        n, i = bench.picked
        slots = bench.robots[n]
        others = [j for j in (*range(i + 1, 9), *range(i)) if slots[j][1] == part]
        if slots[i][1] == part:
            why = Sentence("That is what sits there.")
        elif not free and i == CENTRE:
            why = Sentence("The booster sits in the centre.")
        else:
            leads_to = str(bench.trade(n, i, others[0], parts=True, letters=False))
    return Choice(
        PART_NAMES[part], Sentence(PART_NAMES[part]), leads_to, icon=f"part-{PART_NAMES[part]}", why=why
    )


def _letter(bench: Bench, letter: str, order: Order) -> Choice:
    """What is picked up gets that letter, and the slot that had it gets the other."""
    why, leads_to = None, order
    if not bench.picked:
        why = NOTHING_PICKED
    else:
        n, i = bench.picked
        other = next(j for j, (x, _) in enumerate(bench.robots[n]) if x == letter)
        if other == i:
            why = Sentence("It has that letter.")
        else:
            leads_to = str(bench.trade(n, i, other, parts=False, letters=True))
    return Choice(
        f"letter {letter}", Sentence("letter {letter}", letter=letter), leads_to, sign=letter, why=why
    )


def _shuffle(key: str, name: Sentence, bench: Bench, draws: Callable[[Random], Order]) -> Choice:
    """Chance decides: without the caller's dice everybody would get the same, and know it."""
    return Choice(key, name, draws(Random(f"{key} {bench}")), icon="act-shuffle", draws=draws)


def _all_shuffled(bench: Bench, free: bool, rng: Random) -> Order:
    return str(Bench(tuple(tuple(zip(*shuffled(rng, free), strict=True)) for _ in bench.robots)))


def _letters_shuffled(bench: Bench, rng: Random) -> Order:
    return str(
        Bench(
            tuple(
                tuple(zip(rng.sample(LETTERS, 9), (part for _, part in slots), strict=True))
                for slots in bench.robots
            )
        )
    )


def _undoing(bench: Bench, plain: Bench, order: Order) -> tuple[Choice, ...]:
    down = bench._replace(picked=None)
    return (
        Choice(
            "back",
            Sentence("Put it down"),
            str(down) if bench.picked else order,
            why=None if bench.picked else Sentence("Nothing is picked up."),
        ),
        Choice(
            "clear",
            Sentence("Begin again with the plain robot"),
            "",
            why=None if order.strip() else Sentence("This is the plain robot."),
        ),
    )


def _bench_words(state: RoboxingState, seat: Seat, bench: Bench) -> list[Sentence]:
    told = []
    for n, slots in enumerate(bench.robots):
        if len(bench.robots) > 1:
            told.append(Sentence("Robot {n}:", n=n + 1))
        for i, (letter, part) in enumerate(slots):
            facts = {"slot": Sentence(SLOT_NAMES[SLOTS[i]]), "part": Sentence(PART_NAMES[part])}
            told.append(Sentence("{slot}: {part} {letter}.", **facts, letter=letter))
    return told
