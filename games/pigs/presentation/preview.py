"""Previews a program and compares it with the turn that was played.

The pig moves alone on the board (ruling P16), or among others whose programs are guessed. Steps count from 1;
in continuous feedback (ruling P15), each is a turn, and a program is a whole list of commands.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from games.core import Departure, Order, Seat, Sentence
from games.pigs.lists import Queued
from games.pigs.presentation.picture import beam_end, centre
from games.pigs.presentation.story import facing
from games.pigs.rules import Position
from games.pigs.steps import (
    AFTER,
    DAMAGE,
    FIRE,
    GONE,
    HIT,
    HULK,
    NAMES,
    STEPS,
    TURNS,
    WALKS,
    square_of,
)

FREE_SLOT, NEXT_SLOT = ".", "_"

PreviewSteps = dict[int, Position]
"""The position after each step of a preview, by the step's number."""
Programs = Mapping[Seat, Sequence[str]]
"""The commands of each seat's pig by step, FREE_SLOT and NEXT_SLOT for none; a missing pig does nothing."""


class Ghost(NamedTuple):
    """A pig, drawn pale, as it would be after step `number` of a plan: from (x0, y0) to (x, y).

    `degrees` is its heading then, clockwise from north; its laser, if it `fires`, ends at (x2, y2).
    """

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


class Badge(NamedTuple):
    """A label on a square that tells in which steps a ghost is there, such as `3` or `1–3`.

    `turned` is (x, y, new heading in degrees) of a pig that stands here now and faces another way then.
    """

    number: int
    label: str
    wide: bool
    side: str
    x: float
    y: float
    bumped: bool
    turned: tuple[float, float, int] | None


CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1), (0, -1), (0, 1), (-1, 0), (1, 0))
"""The spots for badges in a square, as directions from its centre, in the order in which they are used."""
ROW = 0.38
"""The distance, in squares, by which a badge is moved outwards if its row already has a wide badge."""
LETTER_SIDE = ((0, 1), (-1, 0), (0, -1), (1, 0))
"""The direction from a pig's centre to its letter, by heading; badges go there last."""


def is_free(sign: str) -> bool:
    return sign in (FREE_SLOT, NEXT_SLOT)


def alone(state: Position, seat: Seat, commands: Sequence[str]) -> PreviewSteps:
    """Returns the position after each of the `commands`, by step, of a pig alone (P16)."""
    state = state._replace(
        poses=tuple(p if s == seat else GONE for s, p in zip(state.seats, state.poses, strict=True))
    )
    steps = among(state, {seat: commands}, len(commands))
    return {n: position_after for n, position_after in steps.items() if not is_free(commands[n - 1])}


def among(state: Position, programs: Programs, least: int = 0) -> PreviewSteps:
    """Returns the position after each step if the pigs play these programs; hits repeat commands (P15)."""
    running = {seat: list(commands) for seat, commands in programs.items()}
    steps: PreviewSteps = {}
    step = 0
    while step < max(least, _length(running.values())) and not state.ended:
        now = {seat: commands[step] for seat, commands in running.items() if step < len(commands)}
        doing = tuple(
            "" if d == HULK or p == GONE else DAMAGE if is_free(now.get(s, FREE_SLOT)) else now[s]
            for s, p, d in zip(state.seats, state.poses, state.damage, strict=True)
        )
        if not any(doing):
            break
        if state.lists:
            state = _step_of_lists(state, doing, running, step)
        else:
            state = state.step(doing, step)
        step += 1
        steps[step] = state
    return steps


def _length(programs: Iterable[Sequence[str]]) -> int:
    return max(
        (n for p in programs for n, sign in enumerate(p, 1) if not is_free(sign) and sign != DAMAGE),
        default=0,
    )


def _step_of_lists(
    state: Position, doing: tuple[str, ...], running: dict[Seat, list[str]], step: int
) -> Position:
    """Returns the position after a step of command lists; hits add copies of commands to `running` (P15)."""
    position_after = state.step(doing, 0)
    listed, repeats = list(state.lists), state.repeats(position_after)
    for i, seat in enumerate(state.seats):
        if seat in running and position_after.damage[i] < HULK:
            left = running[seat][step + 1 :]
            running[seat] += left[-1:] * repeats[i]
            listed[i] = tuple(Queued(command, state.turn) for command in running[seat][step + 1 :])
    return position_after._replace(lists=tuple(listed))


# In words


def stopped_by_wall(state: Position, seat: Seat) -> bool:
    i = state.seats.index(seat)
    cause = state.cause
    assert cause
    return cause.commands[i] in WALKS and AFTER[cause.commands[i]][cause.poses[i]] == cause.poses[i]


def step_words(n: int, state: Position, seat: Seat) -> Sentence:
    i = state.seats.index(seat)
    cause, p = state.cause, state.poses[i]
    assert cause
    command = cause.commands[i]
    facts = {"n": n, "name": Sentence(NAMES[command]), "at": str(square_of(p)), "to": Sentence(facing(p))}
    if stopped_by_wall(state, seat):
        return Sentence("Slot {n}: {name}, but the wall stops you on {at}.", **facts)
    if command in WALKS:
        return Sentence("Slot {n}: {name}; you go to {at}, facing {to}.", **facts)
    if command in TURNS:
        return Sentence("Slot {n}: {name}; you face {to} on {at}.", **facts)
    if command in (FIRE, HIT):
        return Sentence("Slot {n}: {name}; you stand on {at}, facing {to}.", **facts)
    return Sentence("Slot {n}: {name}; you stay on {at}.", **facts)


# For the drawing


def ghosts(steps: PreviewSteps, programs: Programs, present: Position | None = None) -> list[Ghost]:
    return [
        _ghost(state, state.seats.index(seat), n, present)
        for n, state in steps.items()
        for seat, program in programs.items()
        if not is_free(program[n - 1] if n <= len(program) else "")
        and state.poses[state.seats.index(seat)] != GONE
        and state.cause
        and state.cause.commands[state.seats.index(seat)]
    ]


def _ghost(state: Position, i: int, number: int, present: Position | None) -> Ghost:
    cause, pose_after = state.cause, state.poses[i]
    assert cause
    pose_before, command = cause.poses[i], cause.commands[i]
    end = (0.0, 0.0)
    if command == FIRE:
        poses = tuple(pose_after if j == i else p for j, p in enumerate((present or state).poses))
        end = beam_end(state, i, poses)
    return Ghost(
        number=number,
        side=state.side(state.seats[i]),
        x=centre(pose_after)[0],
        y=centre(pose_after)[1],
        degrees=pose_after % 4 * 90,
        x0=centre(pose_before)[0],
        y0=centre(pose_before)[1],
        bumped=command in WALKS and pose_before == pose_after,
        fires=command == FIRE,
        x2=end[0],
        y2=end[1],
        hits=command == HIT,
    )


def badges(shown: Sequence[Ghost], present: Position) -> list[Badge]:
    """Returns labels with the step numbers of ghosts; the steps of one pig on one square share a label."""
    found: list[Badge] = []
    taken: dict[tuple[float, float], int] = {}
    wide_rows: set[tuple[float, float, int]] = set()  # with a badge that leaves no room beside it
    letters = {centre(p): LETTER_SIDE[p % 4] for p in present.poses if p != GONE}
    under_pigs = {
        (present.side(seat), *centre(pose)): pose % 4 * 90
        for seat, pose in zip(present.seats, present.poses, strict=True)
        if pose != GONE
    }
    by_side = enumerate(sorted(shown, key=lambda ghost: (ghost.side, ghost.number)))
    for (side, x, y, _), stay in groupby(
        by_side, key=lambda at: (at[1].side, at[1].x, at[1].y, at[1].number - at[0])
    ):
        steps = [ghost for _, ghost in stay]
        first, last, degrees = steps[0].number, steps[-1].number, steps[-1].degrees
        corner = _corners(letters.get((x, y)))[taken.get((x, y), 0) % len(CORNERS)]
        taken[x, y] = taken.get((x, y), 0) + 1
        wide = last > first
        row = (x, y, corner[1])
        beyond = ROW if row in wide_rows else 0
        if wide:
            wide_rows.add(row)
        found.append(
            Badge(
                number=first,
                label=f"{first}–{last}" if wide else str(first),
                wide=wide,
                side=side,
                x=round(x + corner[0] * (0.24 if wide else 0.33), 2),
                y=round(y + corner[1] * (0.33 + beyond), 2),
                bumped=any(ghost.bumped for ghost in steps),
                turned=(x, y, degrees) if under_pigs.get((side, x, y), degrees) != degrees else None,
            )
        )
    return found


def _corners(letter: tuple[int, int] | None) -> Sequence[tuple[int, int]]:
    """Returns the spots for badges in a square, with the spots beside the pig's letter last."""
    if letter is None:
        return CORNERS
    return sorted(CORNERS, key=lambda at: at[0] * letter[0] + at[1] * letter[1] > 0)


# Compared with what happened


def departure_from_plan(before: Position, seat: Seat, order: Order, film: Sequence[Position]) -> Departure:
    """Returns the first difference between the turn and the seat's program, run with its pig alone."""
    i = before.seats.index(seat)
    listed = [queued.command for queued in before.listed(seat)]
    planned = alone(before, seat, [*listed, *order.split(" ")])
    first: tuple[int, Sentence] | None = None
    pictures: dict[int, Ghost] = {}
    for n, state in enumerate(film[1:], 1):
        cause = state.cause
        if not cause or cause.step + 1 not in planned or not cause.commands[i]:
            continue
        meant = planned[cause.step + 1]
        if meant.poses[i] != state.poses[i]:
            pictures[n] = _ghost(meant, i, cause.step + 1, before)
        difference = _went_otherwise(state, i, meant)
        if difference and first is None:
            first = n, difference
    if first is None:
        return Departure(None, Sentence("Your pig went where you planned."), {})
    return Departure(*first, pictures)


def _went_otherwise(state: Position, i: int, meant: Position) -> Sentence | None:
    cause, p = state.cause, state.poses[i]
    assert cause
    facts = {"n": cause.step + 1, "to": str(square_of(meant.poses[i])), "at": str(square_of(p))}
    if state.damage[i] == HULK > cause.damage[i]:
        if state.lists:
            return Sentence("Your pig was destroyed, so the rest of your list wasn’t played.")
        if cause.step == STEPS - 1:
            return None
        return Sentence(
            "Your pig was destroyed in step {n}, so the rest of your plan wasn’t played.", **facts
        )
    if p != meant.poses[i]:
        if p != cause.poses[i]:
            return Sentence(
                ("Step {n} was meant to lead to {to}; a crossing made your pig walk to {at}."), **facts
            )
        return Sentence(
            ("Step {n} was meant to lead to {to}; your pig bumped on the way and stayed on {at}."), **facts
        )
    if state.lists and state.options.damage_moves and state.damage[i] > cause.damage[i]:
        return Sentence("Your pig was hit, so the last command of your list comes once more.")
    return None
