"""Planning a program: slots, palette, ghosts, and what is still missing.

An unfinished program is text like a finished one, with `.` for a free slot and `_` for the free slot that is
filled next (without one, the leftmost). Slots owed to damage hold their X from the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from games.core import Choice, IllegalOrder, Order, Plan, Seat, Sentence
from games.pigs.steps import (
    AFTER,
    DAMAGE,
    FIRE,
    FREE,
    GONE,
    HIT,
    NAMES,
    REPAIR,
    REPAIRS,
    STEPS,
    TURNS,
    WALKS,
    Pose,
    in_line,
    read_commands,
    square_of,
)
from games.pigs.story import beam_end, centre, facing, icon

if TYPE_CHECKING:
    from games.pigs.rules import PigsState

FREE_SLOT, NEXT_SLOT = ".", "_"


class Slot(NamedTuple):
    """One of the five slots. `sign` is "" while it is free; `key` is the choice that tapping it makes."""

    number: int
    sign: str
    icon: str
    name: str
    owed: bool
    next: bool
    note: Sentence | None
    key: str
    tap_name: Sentence


class Ghost(NamedTuple):
    """Where the pig would be after a command if nothing interfered, for the drawing."""

    number: int
    side: str
    x: float
    y: float
    degrees: int
    x0: float
    y0: float
    bumped: bool
    fires: bool
    x2: float
    y2: float
    hits: bool


@dataclass(frozen=True, slots=True)
class PigsPlan(Plan):
    slots: tuple[Slot, ...] = ()
    palette: tuple[Choice, ...] = ()
    ghosts: tuple[Ghost, ...] = ()


def plan(state: PigsState, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> PigsPlan:
    unread: Sentence | None = None
    try:
        slots = _read(partial)
    except IllegalOrder as fault:
        slots, unread = [FREE_SLOT] * STEPS, fault.sentence
    owed = state.owed(seat)
    slots = _with_owed(slots, owed)
    notes, ghosts, words = _walk_through(state, seat, slots)
    taps = [_tap(slots, i) for i in range(len(slots))]
    palette = tuple(_command(c, slots, owed, state.options.damage_moves) for c in (*FREE, REPAIR))
    return PigsPlan(
        order=" ".join(slots),
        choices=(*palette, *taps, *_undoing(slots, owed)),
        missing=unread or _missing(state, seat, slots),
        words=tuple(words),
        slots=tuple(_slot(i, sign, notes[i], _next(slots) == i, owed) for i, sign in enumerate(slots)),
        palette=tuple(c for c in palette if c.key != REPAIR or owed),
        ghosts=tuple(ghosts),
    )


def _read(partial: Order) -> list[str]:
    slots = []
    for word in partial.replace(",", " ").split():
        slots.extend([word] if word in (FREE_SLOT, NEXT_SLOT) else read_commands(word))
    return slots + [FREE_SLOT] * (STEPS - len(slots))


def _is_free(sign: str) -> bool:
    return sign in (FREE_SLOT, NEXT_SLOT)


def _next(slots: list[str]) -> int | None:
    """The slot that the next command fills."""
    if NEXT_SLOT in slots:
        return slots.index(NEXT_SLOT)
    return slots.index(FREE_SLOT) if FREE_SLOT in slots else None


def _with_owed(slots: list[str], owed: int) -> list[str]:
    """The slots with as many X as damage asks for: the last free ones take those that are missing (P9)."""
    if REPAIR in slots:
        return slots
    slots = list(slots)
    for i in reversed(range(len(slots))):
        if slots.count(DAMAGE) > owed and slots[i] == DAMAGE:
            slots[i] = FREE_SLOT
    for sign in (FREE_SLOT, NEXT_SLOT):
        for i in reversed(range(len(slots))):
            if slots.count(DAMAGE) < owed and slots[i] == sign:
                slots[i] = DAMAGE
    return slots


def _command(command: str, slots: list[str], owed: int, damage_moves: bool) -> Choice:
    """Choosing a command: it fills the next free slot; a repair takes all five (P10)."""
    name = Sentence(NAMES[command])
    why = None
    if command == REPAIR:
        leads_to = REPAIRS
        if not damage_moves:
            why = Sentence("There is no repair in this variant.")
        elif not owed:
            why = Sentence("Your pig has no damage to repair.")
    else:
        at = _next(slots)
        leads_to = tuple(command if i == at else sign for i, sign in enumerate(slots))
        if at is None:
            why = Sentence("All five slots are taken. Tap one to empty it.")
    order = " ".join(slots if why else leads_to)
    return Choice(key=command, name=name, leads_to=order, sign=command, icon=icon(command), why=why)


def _tap(slots: list[str], i: int) -> Choice:
    """Tapping a slot: a command comes out, its slot is next; an X moves to the left; R comes out whole."""
    after = [FREE_SLOT if sign == NEXT_SLOT else sign for sign in slots]
    if slots[i] == DAMAGE:
        others = [j for j in (*range(i - 1, -1, -1), *range(len(slots) - 1, i, -1)) if slots[j] != DAMAGE]
        if others:
            j = others[0]
            after[i], after[j] = slots[j], slots[i]
    elif slots[i] == REPAIR:
        after = [FREE_SLOT] * STEPS
    else:
        after[i] = NEXT_SLOT
    return Choice(key=f"slot {i + 1}", name=_tap_name(i, slots[i]), leads_to=" ".join(after))


def _tap_name(i: int, sign: str) -> Sentence:
    number = i + 1
    if _is_free(sign):
        return Sentence("Slot {number}: free. Fill it next.", number=number)
    if sign == DAMAGE:
        return Sentence("Slot {number}: damage. Move it to the left.", number=number)
    return Sentence("Slot {number}: {name}. Take it out.", number=number, name=Sentence(NAMES[sign]))


def _undoing(slots: list[str], owed: int) -> tuple[Choice, ...]:
    """Taking out the last command, and all of them."""
    filled = [i for i, sign in enumerate(slots) if not _is_free(sign) and sign != DAMAGE]
    why = None if filled else Sentence("There is nothing to take out.")
    as_it_was = " ".join(slots)
    back = _tap(slots, filled[-1]).leads_to if filled else as_it_was
    empty = " ".join([FREE_SLOT] * STEPS) if filled else as_it_was
    return (
        Choice(key="back", name=Sentence("Take the last command out"), leads_to=back, why=why),
        Choice(key="clear", name=Sentence("Empty all slots"), leads_to=empty, why=why),
    )


def _slot(i: int, sign: str, note: Sentence | None, next_: bool, owed: int) -> Slot:
    free = _is_free(sign)
    return Slot(
        number=i + 1,
        sign="" if free else sign,
        icon="" if free else icon(sign),
        name="" if free else NAMES[sign],
        owed=sign == DAMAGE,
        next=next_,
        note=note,
        key=f"slot {i + 1}",
        tap_name=_tap_name(i, sign),
    )


def _missing(state: PigsState, seat: Seat, slots: list[str]) -> Sentence | None:
    free = sum(map(_is_free, slots))
    if free == 1:
        return Sentence("One slot is still free.")
    if free:
        return Sentence("{n} slots are still free.", n=free)
    try:
        state.check(seat, " ".join(slots))
    except IllegalOrder as fault:
        return fault.sentence
    return None


def _walk_through(
    state: PigsState, seat: Seat, slots: list[str]
) -> tuple[list[Sentence | None], list[Ghost], list[Sentence]]:
    """The pig alone on the board, command by command (P16): a note a slot, ghosts, and the walk in words."""
    me = state.seats.index(seat)
    p = state.poses[me]
    notes: list[Sentence | None] = []
    ghosts, words = [], []
    for i, command in enumerate(slots[:STEPS]):
        note = None
        if p == GONE or _is_free(command):
            notes.append(None)
            continue
        before, p = p, AFTER[command][p]
        bumped = command in WALKS and p == before
        facts = {"n": i + 1, "name": Sentence(NAMES[command]), "at": str(square_of(p)), "to": facing(p)}
        if bumped:
            note = Sentence("the wall stops you")
            words.append(Sentence("{n}: {name}, but the wall stops you on {at}.", **facts))
        elif command in WALKS:
            words.append(Sentence("{n}: {name} to {at}, facing {to}.", **facts))
        elif command in TURNS or command in (FIRE, HIT):
            words.append(Sentence("{n}: {name} on {at}, facing {to}.", **facts))
        else:
            words.append(Sentence("{n}: {name}; you stay on {at}.", **facts))
        notes.append(note)
        ghosts.append(_ghost(state, me, i + 1, command, before, p, bumped))
    return notes + [None] * (len(slots) - len(notes)), ghosts, words


def _ghost(
    state: PigsState, me: int, number: int, command: str, before: Pose, after: Pose, bumped: bool
) -> Ghost:
    end = (0.0, 0.0)
    if command == FIRE:  # at whoever stands there now
        poses = tuple(after if i == me else p for i, p in enumerate(state.poses))
        j = in_line(me, poses)
        end = beam_end(after, None if j is None else poses[j])
    return Ghost(
        number,
        state.side(state.seats[me]),
        *centre(after),
        after % 4 * 90,
        *centre(before),
        bumped,
        command == FIRE,
        *end,
        command == HIT,
    )
