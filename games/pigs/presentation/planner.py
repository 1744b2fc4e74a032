"""The planner of programs: slots, palette, ghosts, guesses, and a sentence on what the program still lacks.

In an unfinished program, `.` is a free slot and `_` the one that is filled next, else the leftmost is. The
slots that damage takes hold an X from the start. In continuous feedback, the commands on the list come before
the slots and are locked; in a guess about another pig, its secret commands are free slots, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from games.core import Choice, IllegalOrder, Order, Plan, Progress, Seat, Sentence
from games.pigs.lists import UNKNOWN
from games.pigs.presentation.picture import icon
from games.pigs.presentation.preview import (
    FREE_SLOT,
    NEXT_SLOT,
    Badge,
    Ghost,
    alone,
    among,
    badges,
    ghosts,
    is_free,
    step_words,
    stopped_by_wall,
)
from games.pigs.presentation.story import hit_progress, tell
from games.pigs.rules import Position
from games.pigs.steps import DAMAGE, FREE, NAMES, REPAIR, REPAIRS, STEPS, read_commands

COPY = "="
"""The sign in a `PartialProgram.layout` for a secret copy of the command before it (ruling P15)."""


SURPLUS = STEPS
"""The most surplus commands that a plan shows, so that they can be removed; with more, the plan is empty."""


class Slot(NamedTuple):
    """A slot of a program as the planner draws it.

    `sign` is "" if the slot is free or its command is secret.
    `owed`: the slot is lost to damage (X).
    `next`: the next tap on a command fills it.
    `key` is the choice of a tap on it, "" if it is locked.
    `locked`: it is part of the list in continuous feedback.
    `repeat`: a hit may have added it (ruling P15).
    """

    number: int
    note: Sentence | None
    tap_name: Sentence
    sign: str = ""
    icon: str = ""
    name: str = ""
    owed: bool = False
    next: bool = False
    key: str = ""
    locked: bool = False
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class PigsPlan(Plan):
    """The plan of a program; `tally` is the number of hits landed in a race (ruling P14)."""

    slots: tuple[Slot, ...] = ()
    palette: tuple[Choice, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
    badges: tuple[Badge, ...] = ()
    lasting: bool = False
    tally: Progress | None = None

    @property
    def offered(self) -> tuple[tuple[str, str], ...]:
        """The commands that the planner offers, each with the reason why it is forbidden ("" if none)."""
        return tuple((choice.key, str(choice.why or "")) for choice in self.palette)


class PartialProgram(NamedTuple):
    """An unfinished program, whose first commands may be fixed by the pig's list (ruling P15).

    `layout` has for each step a fixed command, COPY, or FREE_SLOT; `slots` the entry for each FREE_SLOT,
    and then any surplus commands. `fault` is a sentence on what was wrong with the text, or None.
    """

    layout: tuple[str, ...]
    slots: list[str]
    fault: Sentence | None

    @property
    def commands(self) -> list[str]:
        """The whole program, step by step; each free slot is FREE_SLOT or NEXT_SLOT."""
        commands: list[str] = []
        rest = iter(self.slots)
        for sign in self.layout:
            commands.append(next(rest) if sign == FREE_SLOT else commands[-1] if sign == COPY else sign)
        return commands + list(rest)

    @property
    def numbers(self) -> list[int]:
        """The step number, from 1, of each of the `slots`."""
        size = len(self.layout)
        open_ones = [n for n, sign in enumerate(self.layout, 1) if sign == FREE_SLOT]
        return open_ones + list(range(size + 1, size + 1 + len(self.slots) - len(open_ones)))


def plan(state: Position, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> PigsPlan:
    program = _partial_program(state, seat, partial)
    others = [other for other in state.seats if other != seat and other in state.still_in()]
    if guesses:
        supposed = {
            other: _partial_program(state, other, guesses.get(other, "")).commands for other in others
        }
        steps = among(state, {seat: program.commands, **supposed})
        known = {at: commands for at, commands in supposed.items() if at in guesses}
        shown = ghosts(steps, {seat: program.commands, **known})
        words = tuple(tell(event) for position_after in steps.values() for event in position_after.events)
    else:
        steps = alone(state, seat, program.commands)
        planned = any(not is_free(sign) and sign != DAMAGE for sign in program.commands)
        shown = ghosts(steps, {seat: program.commands}, present=state) if planned else []
        words = tuple(step_words(n, position_after, seat) for n, position_after in steps.items())
    notes = {
        n: Sentence("the wall stops you")
        for n, position_after in steps.items()
        if stopped_by_wall(position_after, seat)
    }
    return _planned(
        state,
        seat,
        program,
        notes,
        words=words,
        ghosts=tuple(shown),
        badges=tuple(badges(shown, state)),
        guessable=tuple(others),
        film=(state, *steps.values()) if guesses else (),
    )


def hypothetical_plan(state: Position, seat: Seat, order: Order, others: Mapping[Seat, Order]) -> PigsPlan:
    """Returns what the planner shows for an order if the others play `others`; only `seat` has ghosts."""
    among_them = plan(state, seat, order, others)
    own = [ghost for ghost in among_them.ghosts if ghost.side == state.side(seat)]
    return replace(among_them, ghosts=tuple(own), badges=tuple(badges(own, state)))


def guess(state: Position, seat: Seat, partial: Order) -> PigsPlan:
    return _planned(state, seat, _partial_program(state, seat, partial), {})


def _layout(state: Position, seat: Seat) -> tuple[str, ...]:
    known = tuple(
        COPY
        if queued.command == UNKNOWN and queued.repeat
        else FREE_SLOT
        if queued.command == UNKNOWN
        else queued.command
        for queued in state.listed(seat)
    )
    return (*known, *[FREE_SLOT] * state.asked(seat))


def _partial_program(state: Position, seat: Seat, partial: Order) -> PartialProgram:
    layout = _layout(state, seat)
    size = layout.count(FREE_SLOT)
    fault = None
    try:
        slots = _read(partial, size)
    except IllegalOrder as illegal:
        slots, fault = [FREE_SLOT] * size, illegal.sentence
    filled = _with_owed(slots, state.owed(seat))
    if filled.count(DAMAGE) < slots.count(DAMAGE):
        fault = _too_many(state, seat)
    return PartialProgram(layout, filled, fault)


def _too_many(state: Position, seat: Seat) -> Sentence:
    """Returns the reason why an X was removed from the typed program (rulings P9, P14, P15)."""
    if state.lists:
        return Sentence("There’s no X in continuous feedback, so it was taken out. Fill the free slots.")
    if not state.repairs:
        return Sentence("Damage takes no slots in this variant, so X was taken out. Fill the free slots.")
    owed = state.owed(seat)
    if not owed:
        return Sentence("Your pig has no damage, so X was taken out. Fill the free slots.")
    return Sentence(
        "Your pig has {owed} damage, so only {owed} of the commands can be X. The others were taken out: "
        "fill the free slots.",
        owed=owed,
    )


def _planned(
    state: Position, seat: Seat, program: PartialProgram, notes: Mapping[int, Sentence], **shown: Any
) -> PigsPlan:
    slots, numbers, owed = program.slots, program.numbers, state.owed(seat)
    taps = {n: _tap(slots, i, n) for i, n in enumerate(numbers)}
    at = _next(slots)
    next_ = None if at is None else numbers[at]
    repeats = [queued.repeat for queued in state.listed(seat)]
    palette = tuple(_command(c, slots, owed, state.repairs) for c in (*FREE, REPAIR))
    return PigsPlan(
        order=" ".join(slots),
        choices=(*palette, *taps.values(), *_undoing(slots)),
        missing=program.fault or _missing(state, seat, slots),
        slots=tuple(
            _slot(n, sign, note=notes.get(n), key=taps[n].key, tap_name=taps[n].name, next=n == next_)
            if n in taps
            else _slot(n, sign, note=notes.get(n), **_locked(n, sign, repeats[n - 1]))
            for n, sign in enumerate(program.commands, 1)
        ),
        palette=tuple(c for c in palette if c.key != REPAIR or owed),
        lasting=bool(state.lists),
        tally=hit_progress(state, seat),
        **{"words": (), **shown},
    )


def _read(partial: Order, size: int) -> list[str]:
    words = partial.replace(",", " ").split()
    if len(words) > size + SURPLUS:
        raise IllegalOrder(
            "These are {n} commands for {size} slots. Please write fewer.", n=len(words), size=size
        )
    slots = []
    for word in words:
        slots.extend([word] if word in (FREE_SLOT, NEXT_SLOT) else read_commands(word))
    return slots + [FREE_SLOT] * (size - len(slots))


def _next(slots: list[str]) -> int | None:
    if NEXT_SLOT in slots:
        return slots.index(NEXT_SLOT)
    return slots.index(FREE_SLOT) if FREE_SLOT in slots else None


def _with_owed(slots: list[str], owed: int) -> list[str]:
    """Returns the slots with exactly `owed` X, if there is room and no repair (rulings P9, P10)."""
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
    why = None
    if command == REPAIR:
        leads_to = REPAIRS
        if not repairs:
            why = Sentence("There’s no repair in this variant.")
        elif not owed:
            why = Sentence("Your pig has no damage to repair.")
    else:
        at = _next(slots)
        leads_to = tuple(command if i == at else sign for i, sign in enumerate(slots))
        if at is None:
            why = Sentence("All slots are taken. Empty one first.")
    order = " ".join(slots if why else leads_to)
    planned = sum(not is_free(sign) and sign not in (DAMAGE, REPAIR) for sign in slots)
    return Choice(
        key=command,
        name=Sentence(NAMES[command]),
        leads_to=order,
        sign=command,
        icon=icon(command),
        why=why,
        replaces=command == REPAIR and planned > 0,
    )


def _tap(slots: list[str], i: int, number: int) -> Choice:
    """Returns the choice of tapping slot `i`: it is emptied and filled next; a repair there empties all.

    An X changes places with the nearest command on its left or, if there is none, with the rightmost one.
    """
    slots_after = [FREE_SLOT if sign == NEXT_SLOT else sign for sign in slots]
    if slots[i] == DAMAGE:
        others = [j for j in (*range(i - 1, -1, -1), *range(len(slots) - 1, i, -1)) if slots[j] != DAMAGE]
        if others:
            j = others[0]
            slots_after[i], slots_after[j] = slots[j], slots[i]
    elif slots[i] == REPAIR:
        slots_after = [FREE_SLOT] * len(slots)
    else:
        slots_after[i] = NEXT_SLOT
    return Choice(key=f"slot {number}", name=_tap_name(number, slots[i]), leads_to=" ".join(slots_after))


def _tap_name(number: int, sign: str) -> Sentence:
    if is_free(sign):
        return Sentence("Slot {number}: free. Fill it next.", number=number)
    if sign == DAMAGE:
        return Sentence("Slot {number}: damage. Move it to the left.", number=number)
    return Sentence("Slot {number}: {name}. Take it out.", number=number, name=Sentence(NAMES[sign]))


def _undoing(slots: list[str]) -> tuple[Choice, ...]:
    filled = [i for i, sign in enumerate(slots) if not is_free(sign) and sign != DAMAGE]
    why = None if filled else Sentence("There’s nothing to take out.")
    as_it_was = " ".join(slots)
    back = _tap(slots, filled[-1], 1).leads_to if filled else as_it_was
    empty = " ".join([FREE_SLOT] * len(slots)) if filled else as_it_was
    return (
        Choice(key="back", name=Sentence("Remove last"), leads_to=back, why=why),
        Choice(key="clear", name=Sentence("Clear"), leads_to=empty, why=why),
    )


def _slot(number: int, sign: str, **more: Any) -> Slot:
    shown: dict[str, Any] = {} if is_free(sign) else {"sign": sign, "icon": icon(sign), "name": NAMES[sign]}
    return Slot(number=number, owed=sign == DAMAGE, **shown, **more)


def _locked(number: int, sign: str, repeat: bool) -> dict[str, Any]:
    """Returns the fields of a slot whose command is on the pig's list already (P15)."""
    facts = {"number": number, "name": Sentence(NAMES.get(sign, ""))}
    if is_free(sign):
        name = Sentence("Slot {number}: repeats the command before it.", number=number)
    elif repeat:
        name = Sentence("Slot {number}: {name}. A hit put it on the list.", **facts)
    else:
        name = Sentence("Slot {number}: {name}. It’s on the list.", **facts)
    return {"tap_name": name, "locked": True, "repeat": repeat}


def _missing(state: Position, seat: Seat, slots: list[str]) -> Sentence | None:
    free = sum(map(is_free, slots))
    if free == 1:
        return Sentence("One slot is still free.")
    if free:
        return Sentence("{n} slots are still free.", n=free)
    try:
        state.check(seat, " ".join(slots))
    except IllegalOrder as fault:
        return fault.sentence
    return None
