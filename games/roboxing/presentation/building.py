"""The planner for building robots (ruling X1).

In an unfinished layout, `!` stands before the picked slot and, with several robots, `>` before the one being
edited, if not the first. Taps trade parts and letters, so a robot always has the right number of each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial as bound
from random import Random
from typing import NamedTuple

from games.core import Choice, IllegalOrder, Order, Seat, Sentence
from games.roboxing.presentation.build_records import BuildPlan, BuildRobot, BuildSlot, Thrust, Trial
from games.roboxing.presentation.picture import parts as drawn_parts
from games.roboxing.presentation.picture import slot_drawn, tag
from games.roboxing.ring import At, Ring, Run, runs
from games.roboxing.robot import (
    BOOSTER,
    CENTRE,
    ENGINE,
    LASER,
    LETTERS,
    PART_NAMES,
    PLAIN,
    ROW,
    SLOT_NAMES,
    SLOTS,
    STEPS,
    built,
    read_slots,
    shuffled_to_move,
    write_slots,
)
from games.roboxing.rules import Position

PICKED, CURRENT = "!", ">"


Slots = tuple[tuple[str, str], ...]
"""The nine slots of a robot, each with a letter and a part."""


class Bench(NamedTuple):
    """The robots that a player is building: the `picked` (robot, slot), if any, and the one shown."""

    robots: tuple[Slots, ...]
    picked: tuple[int, int] | None = None
    current: int = 0

    def __str__(self) -> str:
        words = []
        for n, slots in enumerate(self.robots):
            word = write_slots("".join(x for x, _ in slots), "".join(part for _, part in slots))
            if self.picked and self.picked[0] == n:
                letter = slots[self.picked[1]][0]
                start = max(word.find(sign + letter) for sign in ("(", "["))
                start = word.index(letter) if start < 0 else start
                word = word[:start] + PICKED + word[start:]
            words.append(f"{CURRENT}{word}" if n == self.current > 0 else word)
        return " ".join(words)

    def order(self) -> Order:
        return str(Bench(self.robots))

    def put(self, n: int, slots: list[tuple[str, str]]) -> Bench:
        return Bench((*self.robots[:n], tuple(slots), *self.robots[n + 1 :]), current=n)

    def trade(self, n: int, a: int, b: int, *, parts: bool, letters: bool) -> Bench:
        slots = list(self.robots[n])
        (letter_a, part_a), (letter_b, part_b) = slots[a], slots[b]
        if letters:
            letter_a, letter_b = letter_b, letter_a
        if parts:
            part_a, part_b = part_b, part_a
        slots[a], slots[b] = (letter_a, part_a), (letter_b, part_b)
        return self.put(n, slots)


def plan(state: Position, seat: Seat, partial: Order) -> BuildPlan:
    free = state.options.centre == "free"
    plain = Bench((tuple(read_slots(PLAIN)),) * state.options.robots)
    bench, order, missing = _begun(state, plain, partial)
    robots = tuple(_build_robot(state, seat, bench, n) for n in range(len(bench.robots)))
    taps = tuple(
        Choice(slot.key, slot.tap_name, str(_tapped(bench, n, i, free)))
        for n, made in enumerate(robots)
        for i, slot in enumerate(made.slots)
    )
    parts = tuple(_part(bench, part, order, free) for part in (LASER, ENGINE, *([BOOSTER] if free else [])))
    letters = tuple(_letter(bench, letter, order) for letter in LETTERS)
    shuffles = (
        _shuffle("shuffle", Sentence("Shuffle everything"), bench, bound(_all_shuffled, bench, free)),
        _shuffle("shuffle letters", Sentence("Shuffle letters"), bench, bound(_letters_shuffled, bench)),
    )
    tabs = _tabs(bench, robots)
    return BuildPlan(
        order=order,
        choices=(*taps, *parts, *letters, *shuffles, *tabs, *_undoing(bench, order)),
        missing=missing,
        words=tuple(_bench_words(bench)),
        robots=robots,
        parts=parts,
        letters=letters,
        shuffles=shuffles,
        tabs=tabs,
        current=bench.current + 1,
        trial=_trial(state, seat, bench),
        hint=_hint(bench, free),
        does=tuple(_does(bench)),
        picked=bench.picked is not None,
    )


def _begun(state: Position, plain: Bench, partial: Order) -> tuple[Bench, Order, Sentence | None]:
    if not partial.strip():
        return (
            plain,
            "",
            Sentence("Everyone begins with this plain robot. Shuffle it, or tap a slot to change it."),
        )
    try:
        bench = _read_bench(state, partial)
    except IllegalOrder as fault:
        return plain, partial, fault.sentence
    return bench, bench.order(), None


def _tabs(bench: Bench, robots: tuple[BuildRobot, ...]) -> tuple[Choice, ...]:
    return tuple(
        Choice(made.key, Sentence("Build robot {n}", n=made.number), str(Bench(bench.robots, current=n)))
        for n, made in enumerate(robots)
        if made.key
    )


def _read_bench(state: Position, partial: Order) -> Bench:
    slots = [sign for sign, _ in read_slots(partial, PICKED + CURRENT)]
    marks = [i for i, sign in enumerate(slots) if sign == PICKED]
    if len(marks) > 1 or (marks and marks[0] == len(slots) - 1):
        raise IllegalOrder("Only one slot can be picked up at a time.")
    layouts = state.read_layouts(partial.replace(PICKED, "").replace(CURRENT, ""))
    robots = tuple(tuple(zip(layout.letters, layout.parts, strict=True)) for layout in layouts)
    current = _slots_before(slots, slots.index(CURRENT)) // 9 if CURRENT in slots else 0
    picked = divmod(_slots_before(slots, marks[0]), 9) if marks else None
    return Bench(robots, picked, picked[0] if picked else min(current, len(robots) - 1))


def _slots_before(signs: list[str], end: int) -> int:
    return sum(sign not in (PICKED, CURRENT) for sign in signs[:end])


def _hint(bench: Bench, free: bool) -> Sentence:
    if not bench.picked:
        return Sentence("Tap a slot to change it.")
    n, i = bench.picked
    facts = _facts(bench, n, i)
    if i == CENTRE and not free:
        return Sentence(
            "You hold {part} {letter}, {slot}. It stays there; tap another slot to swap letters.", **facts
        )
    return Sentence(
        "You hold {part} {letter}, {slot}. Choose what it should be, or tap a slot to swap with.", **facts
    )


DOES = {
    ENGINE: (
        "An engine moves the robot in the direction of its slot: up to 4 squares with all four engines, "
        "8 with the booster."
    ),
    LASER: "A laser covers the quarter of the ring (the board) that spreads from its slot: up to 4 "
    "squares away with all four lasers, 8 with the booster.",
    BOOSTER: (
        "The booster doubles one thing each turn: either how far you move or how far the lasers reach."
    ),
}
IN_THE_CENTRE = {
    ENGINE: "An engine in the centre gives power to the others, and has no direction of its own.",
    LASER: "A laser in the centre covers everything around it: up to 4 squares away with all four lasers, 8 "
    "with the booster.",
}


def _does(bench: Bench) -> list[Sentence]:
    """Returns sentences on what the picked part does, or what each kind of part does if none is picked."""
    if not bench.picked:
        return [Sentence(DOES[part]) for part in (ENGINE, LASER, BOOSTER)]
    n, i = bench.picked
    part = bench.robots[n][i][1]
    if i == CENTRE and part in IN_THE_CENTRE:
        return [Sentence(IN_THE_CENTRE[part])]
    return [Sentence(DOES[part])]


def _trial(state: Position, seat: Seat, bench: Bench) -> Trial:
    ring, options, slots = state.ring, state.options, bench.robots[bench.current]
    at = (options.height - 1) // 2 * ROW + (options.width - 1) // 2
    shown = [bench.picked[1]] if bench.picked else [i for i in range(9) if i != CENTRE]
    thrusts = tuple(_thrust(ring, at, i) for i in shown if slots[i][1] == ENGINE and i != CENTRE)
    lasers = [i for i in shown if slots[i][1] == LASER]
    near: tuple[Run, ...] = ()
    far: tuple[Run, ...] = ()
    if bench.picked and lasers:
        covered = ring.covered(lasers[0], at, 4)
        near = runs(ring, covered)
        far = runs(ring, [square for square in ring.covered(lasers[0], at, 8) if square not in covered])
    layout = built("".join(x for x, _ in slots), "".join(part for _, part in slots))
    x, y = ring.centre(at)
    return Trial(
        x=x,
        y=y,
        square=str(ring.square(at)),
        side=state.side(seat),
        tag=tag(ring, ring.names[ring.team[seat][bench.current]]),
        parts=drawn_parts(layout, 0),
        thrusts=thrusts,
        near=near,
        far=far,
    )


def _thrust(ring: Ring, at: At, i: int) -> Thrust:
    step = STEPS[i]
    alone, boosted = (min(n, ring.room[step][at]) for n in (4, 8))
    (x, y), (x2, y2), (x3, y3) = (ring.centre(at + n * step) for n in (0, alone, boosted))
    return Thrust(x=x, y=y, x2=x2, y2=y2, x3=x3, y3=y3)


def _build_robot(state: Position, seat: Seat, bench: Bench, n: int) -> BuildRobot:
    free = state.options.centre == "free"
    slots = tuple(
        BuildSlot(
            **slot_drawn(i, letter, part),
            picked=bench.picked == (n, i),
            key=f"{n + 1} {SLOTS[i]}",
            tap_name=_tap_name(bench, n, i, free),
            name=Sentence("{slot}: {part} {letter}", **_facts(bench, n, i)),
        )
        for i, (letter, part) in enumerate(bench.robots[n])
    )
    name = state.ring.names[state.ring.team[seat][n]]
    key = f"robot {n + 1}" if len(bench.robots) > 1 else ""
    return BuildRobot(
        robot=name,
        number=n + 1,
        side=state.side(seat),
        slots=slots,
        tag=tag(state.ring, name),
        current=n == bench.current,
        key=key,
    )


def _facts(bench: Bench, n: int, i: int) -> dict[str, object]:
    letter, part = bench.robots[n][i]
    return {
        "slot": Sentence(SLOT_NAMES[SLOTS[i]]),
        "part": Sentence(PART_NAMES[part]),
        "letter": letter,
    }


def _tap_name(bench: Bench, n: int, i: int, free: bool) -> Sentence:
    facts = _facts(bench, n, i)
    if bench.picked == (n, i):
        return Sentence("{slot}: {part} {letter}. Put it down again.", **facts)
    if bench.picked and bench.picked[0] == n:
        if not free and CENTRE in (i, bench.picked[1]):
            return Sentence("{slot}: {part} {letter}. Swap letters with it.", **facts)
        return Sentence("{slot}: {part} {letter}. Swap places with it.", **facts)
    return Sentence("{slot}: {part} {letter}. Pick it up.", **facts)


def _tapped(bench: Bench, n: int, i: int, free: bool) -> Bench:
    if bench.picked == (n, i):
        return bench._replace(picked=None, current=n)
    if bench.picked and bench.picked[0] == n:
        other = bench.picked[1]
        return bench.trade(n, other, i, parts=free or CENTRE not in (i, other), letters=True)
    return bench._replace(picked=(n, i), current=n)


NOTHING_PICKED = Sentence("First tap the slot that you want to change.")


def _part(bench: Bench, part: str, order: Order, free: bool) -> Choice:
    why, leads_to = None, order
    if not bench.picked:
        why = NOTHING_PICKED
    else:
        n, i = bench.picked
        slots = bench.robots[n]
        others = [j for j in (*range(i + 1, 9), *range(i)) if slots[j][1] == part]
        if slots[i][1] == part:
            leads_to = str(bench._replace(picked=None))
        elif not free and i == CENTRE:
            why = Sentence("The booster stays in the centre. Swap its letter instead.")
        else:
            leads_to = str(bench.trade(n, i, others[0], parts=True, letters=False))
    return Choice(
        PART_NAMES[part], Sentence(PART_NAMES[part]), leads_to, icon=f"part-{PART_NAMES[part]}", why=why
    )


def _letter(bench: Bench, letter: str, order: Order) -> Choice:
    why, leads_to = None, order
    if not bench.picked:
        why = NOTHING_PICKED
    else:
        n, i = bench.picked
        other = next(j for j, (x, _) in enumerate(bench.robots[n]) if x == letter)
        if other == i:
            why = Sentence("The slot already has that letter.")
        else:
            leads_to = str(bench.trade(n, i, other, parts=False, letters=True))
    return Choice(
        f"letter {letter}", Sentence("letter {letter}", letter=letter), leads_to, sign=letter, why=why
    )


def _shuffle(key: str, name: Sentence, bench: Bench, draws: Callable[[Random], Order]) -> Choice:
    """Returns the choice of a random order, which `draws` makes anew each time the choice is made."""
    return Choice(key, name, draws(Random(f"{key} {bench}")), icon="act-shuffle", draws=draws, replaces=True)


def _all_shuffled(bench: Bench, free: bool, rng: Random) -> Order:
    robots = tuple(tuple(zip(*shuffled_to_move(rng, free), strict=True)) for _ in bench.robots)
    return str(Bench(robots, current=bench.current))


def _letters_shuffled(bench: Bench, rng: Random) -> Order:
    robots = tuple(
        tuple(zip(rng.sample(LETTERS, 9), (part for _, part in slots), strict=True)) for slots in bench.robots
    )
    return str(Bench(robots, current=bench.current))


def _undoing(bench: Bench, order: Order) -> tuple[Choice, ...]:
    back = str(bench._replace(picked=None)) if bench.picked else order
    nothing = None if bench.picked else Sentence("Nothing is picked up.")
    plain = None if order.strip() else Sentence("This is the plain robot.")
    return (
        Choice("back", Sentence("Put it down"), back, why=nothing),
        Choice("clear", Sentence("Start over"), "", why=plain),
    )


def _bench_words(bench: Bench) -> list[Sentence]:
    sentences = []
    for n, slots in enumerate(bench.robots):
        if len(bench.robots) > 1:
            sentences.append(Sentence("Robot {n}:", n=n + 1))
        sentences += [Sentence("{slot}: {part} {letter}.", **_facts(bench, n, i)) for i in range(len(slots))]
    return sentences
