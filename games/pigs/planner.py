"""Planning a program: slots, palette, ghosts, what if, and what is still missing.

An unfinished program is text like a finished one, with `.` for a free slot and `_` for the free slot that is
filled next (without one, the leftmost). Slots owed to damage hold their X from the start. In continuous
feedback the commands on the list stand before the slots, locked.
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
    LIVES,
    NAMES,
    REPAIR,
    REPAIRS,
    TURNS,
    WALKS,
    Cause,
    in_line,
    read_commands,
    square_of,
)
from games.pigs.story import beam_end, centre, facing, icon, tell

if TYPE_CHECKING:
    from games.pigs.rules import PigsState

FREE_SLOT, NEXT_SLOT = ".", "_"


class Slot(NamedTuple):
    """One slot: `sign` is "" while it is free, `key` the choice that tapping makes, "" if it is locked."""

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
    """Where a pig would be after a command, for the drawing: alone on the board, or among guesses."""

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
    size = state.asked(seat)
    listed = tuple(queued.command for queued in state.listed(seat))
    unread: Sentence | None = None
    try:
        slots = _read(partial, size)
    except IllegalOrder as fault:
        slots, unread = [FREE_SLOT] * size, fault.sentence
    owed = state.owed(seat)
    slots = _with_owed(slots, owed)
    first = len(listed) + 1
    film = _play_through(state, seat, [*listed, *slots], guesses)
    notes = _notes(film, seat)
    taps = [_tap(slots, i, first) for i in range(len(slots))]
    palette = tuple(_command(c, slots, owed, state.repairs) for c in (*FREE, REPAIR))
    return PigsPlan(
        order=" ".join(slots),
        choices=(*palette, *taps, *_undoing(slots, size)),
        missing=unread or _missing(state, seat, slots),
        words=tuple(_told(film, seat, guesses)),
        slots=(
            *(_locked(n, sign, notes.get(n)) for n, sign in enumerate(listed, 1)),
            *(
                _slot(n, sign, notes.get(n), taps[n - first], _next(slots) == n - first)
                for n, sign in enumerate(slots, first)
            ),
        ),
        palette=tuple(c for c in palette if c.key != REPAIR or owed),
        ghosts=tuple(_ghosts(state, film, seat, guesses)),
    )


def _read(partial: Order, size: int) -> list[str]:
    slots = []
    for word in partial.replace(",", " ").split():
        slots.extend([word] if word in (FREE_SLOT, NEXT_SLOT) else read_commands(word))
    return slots + [FREE_SLOT] * (size - len(slots))


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


def _command(command: str, slots: list[str], owed: int, repairs: bool) -> Choice:
    """Choosing a command: it fills the next free slot; a repair takes all five (P10)."""
    why = None
    if command == REPAIR:
        leads_to = REPAIRS
        if not repairs:
            why = Sentence("There is no repair in this variant.")
        elif not owed:
            why = Sentence("Your pig has no damage to repair.")
    else:
        at = _next(slots)
        leads_to = tuple(command if i == at else sign for i, sign in enumerate(slots))
        if at is None:
            why = Sentence("All slots are taken. Tap one to empty it.")
    order = " ".join(slots if why else leads_to)
    return Choice(
        key=command, name=Sentence(NAMES[command]), leads_to=order, sign=command, icon=icon(command), why=why
    )


def _tap(slots: list[str], i: int, first: int) -> Choice:
    """Tapping a slot: a command comes out, its slot is next; an X moves to the left; R comes out whole."""
    after = [FREE_SLOT if sign == NEXT_SLOT else sign for sign in slots]
    if slots[i] == DAMAGE:
        others = [j for j in (*range(i - 1, -1, -1), *range(len(slots) - 1, i, -1)) if slots[j] != DAMAGE]
        if others:
            j = others[0]
            after[i], after[j] = slots[j], slots[i]
    elif slots[i] == REPAIR:
        after = [FREE_SLOT] * len(slots)
    else:
        after[i] = NEXT_SLOT
    number = first + i
    return Choice(key=f"slot {number}", name=_tap_name(number, slots[i]), leads_to=" ".join(after))


def _tap_name(number: int, sign: str) -> Sentence:
    if _is_free(sign):
        return Sentence("Slot {number}: free. Fill it next.", number=number)
    if sign == DAMAGE:
        return Sentence("Slot {number}: damage. Move it to the left.", number=number)
    return Sentence("Slot {number}: {name}. Take it out.", number=number, name=Sentence(NAMES[sign]))


def _undoing(slots: list[str], size: int) -> tuple[Choice, ...]:
    """Taking out the last command, and all of them."""
    filled = [i for i, sign in enumerate(slots) if not _is_free(sign) and sign != DAMAGE]
    why = None if filled else Sentence("There is nothing to take out.")
    as_it_was = " ".join(slots)
    back = _tap(slots, filled[-1], 1).leads_to if filled else as_it_was
    empty = " ".join([FREE_SLOT] * size) if filled else as_it_was
    return (
        Choice(key="back", name=Sentence("Take the last command out"), leads_to=back, why=why),
        Choice(key="clear", name=Sentence("Empty all slots"), leads_to=empty, why=why),
    )


def _slot(number: int, sign: str, note: Sentence | None, tap: Choice, next_: bool) -> Slot:
    free = _is_free(sign)
    return Slot(
        number=number,
        sign="" if free else sign,
        icon="" if free else icon(sign),
        name="" if free else NAMES[sign],
        owed=sign == DAMAGE,
        next=next_,
        note=note,
        key=tap.key,
        tap_name=tap.name,
    )


def _locked(number: int, sign: str, note: Sentence | None) -> Slot:
    """A command on the list (P15): it will be executed, whatever its player does."""
    name = Sentence("Slot {number}: {name}. It is on your list.", number=number, name=Sentence(NAMES[sign]))
    return Slot(number, sign, icon(sign), NAMES[sign], False, False, note, "", name)


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


def _play_through(
    state: PigsState, seat: Seat, commands: list[str], guesses: Mapping[Seat, Order]
) -> dict[int, PigsState]:
    """The positions after each filled slot, by its number.

    Without guesses the pig is alone on the board (P16); with them, all others do what is guessed, or nothing.
    """
    programs = {seat: commands}
    for other, guess in guesses.items():
        try:
            programs[other] = [q.command for q in state.listed(other) if q.command in FREE] + _read(guess, 0)
        except IllegalOrder:
            programs[other] = []
    if not guesses:
        state = state._replace(
            poses=tuple(p if s == seat else GONE for s, p in zip(state.seats, state.poses, strict=True))
        )
    film = {}
    for step in range(max(map(len, programs.values()))):
        doing = tuple(
            "" if d >= LIVES or p == GONE else _command_at(programs.get(s, []), step)
            for s, p, d in zip(state.seats, state.poses, state.damage, strict=True)
        )
        if not any(doing):
            break
        state = state.step(doing, step)
        if not _is_free((commands[step : step + 1] or [FREE_SLOT])[0]) or guesses:
            film[step + 1] = state
        if state.ended:
            break
    return film


def _command_at(program: list[str], step: int) -> str:
    """What a program does in a step; a free slot is nothing done."""
    command = program[step] if step < len(program) else FREE_SLOT
    return DAMAGE if _is_free(command) else command


def _stopped_by_wall(state: PigsState, seat: Seat) -> bool:
    i = state.seats.index(seat)
    cause = state.cause
    assert isinstance(cause, Cause)
    return cause.commands[i] in WALKS and AFTER[cause.commands[i]][cause.poses[i]] == cause.poses[i]


def _notes(film: dict[int, PigsState], seat: Seat) -> dict[int, Sentence]:
    """A remark on a slot, by its number."""
    return {n: Sentence("the wall stops you") for n, state in film.items() if _stopped_by_wall(state, seat)}


def _told(film: dict[int, PigsState], seat: Seat, guesses: Mapping[Seat, Order]) -> list[Sentence]:
    """What comes of it in words: the own walk (P16), or with guesses all that would happen."""
    if guesses:
        return [tell(event) for state in film.values() for event in state.events]
    return [_told_step(n, state, seat) for n, state in film.items()]


def _told_step(n: int, state: PigsState, seat: Seat) -> Sentence:
    i = state.seats.index(seat)
    cause, p = state.cause, state.poses[i]
    assert isinstance(cause, Cause)
    command = cause.commands[i]
    facts = {"n": n, "name": Sentence(NAMES[command]), "at": str(square_of(p)), "to": facing(p)}
    if _stopped_by_wall(state, seat):
        return Sentence("{n}: {name}, but the wall stops you on {at}.", **facts)
    if command in WALKS:
        return Sentence("{n}: {name} to {at}, facing {to}.", **facts)
    if command in TURNS or command in (FIRE, HIT):
        return Sentence("{n}: {name} on {at}, facing {to}.", **facts)
    return Sentence("{n}: {name}; you stay on {at}.", **facts)


def _ghosts(
    present: PigsState, film: dict[int, PigsState], seat: Seat, guesses: Mapping[Seat, Order]
) -> list[Ghost]:
    return [
        _ghost(present, state, state.seats.index(other), n, bool(guesses))
        for n, state in film.items()
        for other in state.seats
        if other == seat or other in guesses
        if state.poses[state.seats.index(other)] != GONE and _did(state, other)
    ]


def _did(state: PigsState, seat: Seat) -> str:
    assert isinstance(state.cause, Cause)
    return state.cause.commands[state.seats.index(seat)]


def _ghost(present: PigsState, state: PigsState, i: int, number: int, guessed: bool) -> Ghost:
    cause, after = state.cause, state.poses[i]
    assert isinstance(cause, Cause)
    before, command = cause.poses[i], cause.commands[i]
    end = (0.0, 0.0)
    if command == FIRE:  # alone on the board: at whoever stands there now
        others = state.poses if guessed else present.poses
        poses = tuple(after if j == i else p for j, p in enumerate(others))
        j = in_line(i, poses)
        end = beam_end(after, None if j is None else poses[j])
    return Ghost(
        number=number,
        side=state.side(state.seats[i]),
        x=centre(after)[0],
        y=centre(after)[1],
        degrees=after % 4 * 90,
        x0=centre(before)[0],
        y0=centre(before)[1],
        bumped=command in WALKS and before == after,
        fires=command == FIRE,
        x2=end[0],
        y2=end[1],
        hits=command == HIT,
    )
