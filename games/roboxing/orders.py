"""The orders of robots as text: parsing what people type, listing all orders, splitting moves into legs."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product
from math import prod

from games.core import IllegalOrder, Order, Seat
from games.roboxing.ring import OFF, Fields, robot
from games.roboxing.robot import ALL, BIT, ENGINE, IN_MASK, LASER, SLOT_NAMES, SLOTS, Layout, longest

STAY = "-"
DASHES = (STAY, "–", "—", "−")
LEG = re.compile(r"([a-i])([1-9][0-9]?)")
TARGET = re.compile(r"(?:([a-h][1-3]):)?([a-i])")
Leg = tuple[str, int]
LONGEST = len("a1+b1+a1+b1+a1+b1+a1+b1 c A1:a")
"""The length in characters of a robot's longest canonical order: 8 spaces (ruling X4), each its own leg."""


@lru_cache(maxsize=65_536)
def legs_of(move: str) -> tuple[Leg, ...]:
    """Returns the legs of a move in canonical form: (("a", 2), ("d", 1)) for `a2+d1`; () for STAY."""
    return () if move == STAY else tuple((leg[0], int(leg[1:])) for leg in move.split("+"))


def write_legs(legs: tuple[Leg, ...]) -> str:
    return "+".join(f"{letter}{n}" for letter, n in legs) or STAY


def spent(legs: tuple[Leg, ...]) -> int:
    return sum(n for _, n in legs)


def parted(text: Order) -> list[list[str]]:
    """Splits an order into a list of words for each robot, in lower case."""
    plain = re.sub(r"\s*\+\s*", "+", text.lower().replace(",", " "))
    plain = re.sub(r"\s*:\s*", ":", plain)
    return [act.split() for act in plain.split(";")]


def read_legs(word: str) -> tuple[Leg, ...]:
    """Parses a move as players type it, such as `a2+d1`; raises IllegalOrder for the first faulty leg."""
    if word in DASHES:
        return ()
    legs = []
    for leg in word.split("+"):
        if not (found := LEG.fullmatch(leg)):
            raise IllegalOrder(
                "“{leg}” is not part of a move. Write an engine’s letter and a count, like a2, "
                "joined by +; or - to stay.",
                leg=leg,
            )
        legs.append((found[1], int(found[2])))
    return tuple(legs)


def every_order(state: Fields, robots: list[int], most: int) -> list[Order] | None:
    """Returns all orders of a seat with these robots; None if over `most`, [] if a layout is hidden."""
    if any(state.layouts[i] is None for i in robots):
        return []
    acts: list[list[str]] = []
    for i in robots:
        left = most // prod(map(len, acts))
        every = every_act(state, i, left)
        if every is None:
            return None
        acts.append(every)
    return [";".join(chosen) for chosen in product(*acts)]


def every_act(state: Fields, i: int, most: int) -> list[str] | None:
    """Returns all orders of robot `i`; None if there are more than `most`.

    Orders in which an engine makes two legs in a row are left out, as `a1+a1` does the same as `a2`.
    """
    layout, gone, ring = state.layout(i), state.gone[i], state.ring
    targets = [
        letter if ring.is_one_on_one else f"{ring.names[j]}:{letter}"
        for j in ring.enemies(ring.owners[i])
        if state.squares[j] != OFF
        for letter in IN_MASK[ALL & ~state.gone[j]]
    ]
    shots = ["", *(f" {turret} {at}" for turret in IN_MASK[layout.lasers & ~gone] for at in targets)]
    every_move = _moves(state, i, at=state.squares[i], left=longest(layout, gone), last="")
    moves = [STAY, *islice(every_move, most // len(shots))]
    return [move + shot for move in moves for shot in shots] if len(moves) * len(shots) <= most else None


def _moves(state: Fields, i: int, *, at: int, left: int, last: str) -> Iterator[str]:
    layout, room = state.layout(i), state.ring.room
    for letter in IN_MASK[layout.movers & ~state.gone[i]]:
        step = layout.steps[letter]
        for n in range(1, min(left, room[step][at]) + 1) if letter != last else ():
            leg = f"{letter}{n}"
            yield leg
            longer = _moves(state, i, at=at + n * step, left=left - n, last=letter)
            yield from (f"{leg}+{more}" for more in longer)


def read_act(state: Fields, i: int, words: list[str]) -> str:
    """Parses an order of robot `i` into canonical form such as `a2+d1 g e`; raises IllegalOrder."""
    if not words:
        raise IllegalOrder("Every robot needs an order; write - for one that stays and does not shoot.")
    if len(words) not in (1, 3):
        raise IllegalOrder(
            "“{order}” should be a move, or a move, a laser and a target, like a2+d1 g b.",
            order=" ".join(words),
        )
    legs = read_legs(words[0])
    walk(state, i, legs)
    act = write_legs(legs)
    if len(words) == 1:
        return act
    check_turret(state, i, words[1])
    return f"{act} {words[1]} {read_target(state, i, words[2])}"


def walk(state: Fields, i: int, legs: tuple[Leg, ...]) -> int:
    """Returns the square to which legs take robot `i`; raises IllegalOrder if they may not (ruling X4)."""
    layout, gone, at = state.layout(i), state.gone[i], state.squares[i]
    left = limit = longest(layout, gone)
    for letter, n in legs:
        check_engine(layout, gone, letter)
        if n > left:
            raise IllegalOrder(
                "“{move}” is {n} squares long; this robot may move {limit} at most.",
                move=write_legs(legs),
                n=spent(legs),
                limit=limit,
            )
        step = layout.steps[letter]
        if n > state.ring.room[step][at]:
            raise IllegalOrder(
                "{leg} would leave the ring: from {at} there is room for {room} to the {way}.",
                leg=f"{letter}{n}",
                at=str(state.ring.square(at)),
                room=state.ring.room[step][at],
                way=SLOT_NAMES[SLOTS[layout.slot(letter)]],
            )
        at += n * step
        left -= n
    return at


def check_engine(layout: Layout, gone: int, letter: str) -> None:
    if layout.part(letter) != ENGINE:
        raise IllegalOrder(
            "Slot {letter} is no engine; the engines are {all}.",
            letter=letter,
            all=_list(layout.engines & ~gone),
        )
    if gone & BIT[letter]:
        raise IllegalOrder("Your engine {letter} is destroyed.", letter=letter)
    if not layout.movers & BIT[letter]:  # X9
        raise IllegalOrder(
            "Your engine {letter} sits in the centre: it gives power, but no direction.", letter=letter
        )


def check_turret(state: Fields, i: int, letter: str) -> None:
    layout, gone = state.layout(i), state.gone[i]
    if letter not in BIT or layout.part(letter) != LASER:
        raise IllegalOrder(
            "“{letter}” is not a laser of this robot; its lasers are {all}.",
            letter=letter,
            all=_list(layout.lasers & ~gone),
        )
    if gone & BIT[letter]:
        raise IllegalOrder("Your laser {letter} is destroyed.", letter=letter)


def read_target(state: Fields, i: int, word: str) -> str:
    """Parses the target of a shot by robot `i`; raises IllegalOrder if it is none (ruling X10)."""
    ring = state.ring
    here = [j for j in ring.enemies(ring.owners[i]) if state.squares[j] != OFF]
    found = TARGET.fullmatch(word)
    if not found or (found[1] is None and len(here) != 1):
        raise IllegalOrder(
            "“{word}” is not a target. Write {like}.",
            word=word,
            like="a letter from a to i"
            if ring.is_one_on_one
            else f"a robot and a letter, like {ring.names[here[0] if here else 0]}:e",
        )
    j = here[0] if found[1] is None else ring.index.get(found[1].upper(), -1)
    check_target(state, ring.owners[i], j, found[2], word=found[1] or "")
    return found[2] if ring.is_one_on_one else f"{ring.names[j]}:{found[2]}"


def check_target(state: Fields, seat: Seat, j: int, letter: str, *, word: str = "") -> None:
    """Raises IllegalOrder unless robot `j` is an enemy in the ring with this slot intact (ruling X10)."""
    if j < 0:
        raise IllegalOrder("There is no robot {word} in this match.", word=word.upper())
    if state.ring.owners[j] == seat:
        raise IllegalOrder("{robot} is your own robot.", robot=state.ring.names[j])
    if state.squares[j] == OFF:
        raise IllegalOrder("{robot} has left the ring.", robot=state.ring.names[j])
    if state.gone[j] & BIT[letter]:
        raise IllegalOrder(
            "Slot {letter} of {robot} is destroyed already; {left} are left.",
            letter=letter,
            robot=robot(state.ring, state.ring.names[j]),
            left=_list(ALL & ~state.gone[j]),
        )


def _list(letters: int) -> str:
    return ", ".join(IN_MASK[letters]) or "none"
