"""The planner of a turn of the fight: move, laser and target of each robot (rulings X3 to X10, X13)."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial as bound

from games.core import Choice, IllegalOrder, Order, Seat, Sentence
from games.roboxing.bot.worlds import will_be_dead
from games.roboxing.orders import STAY, Leg, check_engine, check_target, check_turret, spent, walk
from games.roboxing.presentation.drafts import OPEN, Draft, TeamDraft, missing_in, read_drafts
from games.roboxing.presentation.fight_picture import enemy_shown, robot_shown, suppose, words
from games.roboxing.presentation.fight_records import FightPlan, Tap
from games.roboxing.ring import robot
from games.roboxing.robot import ENGINE, IN_MASK, LASER, LETTERS, SLOT_NAMES, SLOTS, Layout, power
from games.roboxing.rules import Position


def plan(state: Position, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> FightPlan:
    team, fault = _read(state, seat, partial)
    missing = fault or missing_in(team)
    order = partial if fault else str(team) if missing else ";".join(d.final() for d in team.drafts)
    engines, turrets, targets = (tuple(made(team, order)) for made in (_engines, _turrets, _targets))
    taps, actions, tabs = _taps(team), _actions(team, order), _tabs(team)
    moves = (*engines, *(choice for choice, _ in taps), *_leg_choices(team))
    part_choices = {choice.key: choice for choice in (*engines, *turrets)}
    aimed = {choice.key: choice for choice in targets}
    ends = _ending(team)
    hits = any(team.covers(team.current, state.squares[j]) for j in team.enemies)  # X7, X8
    astray = Sentence("No one stands where this laser hits now.") if team.draft.turret and not hits else None
    return FightPlan(
        order=order,
        choices=(*moves, *turrets, *targets, *actions, *tabs, *_sheets(team)),
        missing=missing,
        words=(*words(team), *((ends,) if ends else ()), *suppose(team, guesses)),
        robots=tuple(robot_shown(team, n, part_choices) for n in range(len(team.robots))),
        current=team.number(team.current),
        actions=actions,
        enemies=tuple(enemy_shown(team, j, aimed) for j in team.enemies),
        tabs=tabs,
        columns=state.options.width,
        rows=state.options.height,
        taps=tuple(tap for _, tap in taps),
        ends=ends,
        astray=astray,
    )


def _ending(team: TeamDraft) -> Sentence | None:
    """Returns a warning if the planned moves would end the fight (ruling X13)."""
    state, squares = team.state, list(team.state.squares)
    for n, i in enumerate(team.robots):
        squares[i] = team.end(n)
    if tuple(squares) == state.squares:
        return None
    if not will_be_dead(state.view(team.seat), team.seat, tuple(squares)):
        return None
    return Sentence(
        "After this no one could hit any more: the fight would end, and the point would be shared."
    )


def _read(state: Position, seat: Seat, partial: Order) -> tuple[TeamDraft, Sentence | None]:
    robots = tuple(state.robots(seat))
    try:
        drafts, marked, fault = read_drafts(state, robots, partial)
    except IllegalOrder as illegal:
        drafts, marked, fault = (Draft(),) * len(robots), None, illegal.sentence
    open_ones = [n for n, draft in enumerate(drafts) if not draft.whole]
    current = (open_ones[0] if open_ones else 0) if marked is None else marked
    return TeamDraft(state, robots, drafts, current, marked=marked is not None), fault


def _tabs(team: TeamDraft) -> tuple[Choice, ...]:
    """Returns, for each of the seat's robots, the choice that shows it; () for one robot."""
    return tuple(
        Choice(f"robot {team.number(n)}", Sentence("Plan robot {n}", n=team.number(n)), str(other))
        for n in range(len(team.robots))
        if len(team.robots) > 1
        for other in [team._replace(current=n, marked=True)]
    )


def _choice(
    team: TeamDraft,
    order: Order,
    draft: Draft,
    *,
    key: str,
    name: Sentence,
    check: Callable[[], object],
    icon: str = "",
) -> Choice:
    try:
        check()
    except IllegalOrder as fault:
        return Choice(key, name, order, icon=icon, why=fault.sentence)
    return Choice(key, name, team.with_draft(draft), icon=icon)


def _longer(legs: tuple[Leg, ...], letter: str, n: int) -> tuple[Leg, ...]:
    if legs and legs[-1][0] == letter:
        return (*legs[:-1], (letter, legs[-1][1] + n))
    return (*legs, (letter, n))


def _way(layout: Layout, letter: str) -> Sentence:
    return Sentence(SLOT_NAMES[SLOTS[layout.slot(letter)]])


def _engines(team: TeamDraft, order: Order) -> Iterator[Choice]:
    state, i, draft = team.state, team.robot, team.draft
    layout, gone = state.layout(i), state.gone[i]
    for letter, part in zip(layout.letters, layout.parts, strict=True):
        if part != ENGINE:
            continue
        legs = _longer(draft.legs, letter, 1)

        def check(letter: str = letter, legs: tuple[Leg, ...] = legs) -> None:
            check_engine(layout, gone, letter)
            if spent(legs) > team.limit(team.current):
                raise IllegalOrder("Your robot has moved all of its {n} squares.", n=spent(legs) - 1)
            if not state.ring.room[layout.steps[letter]][team.end(team.current)]:
                at, way = str(state.ring.square(team.end(team.current))), _way(layout, letter)
                raise IllegalOrder("Your robot on {at} can’t go {way}: the ropes are there.", at=at, way=way)
            walk(state, i, legs)

        name = Sentence("engine {letter}: one step {way}", letter=letter, way=_way(layout, letter))
        draft_after = draft._replace(legs=legs, stays=False)
        icon = f"way-{SLOTS[layout.slot(letter)].lower()}"
        yield _choice(team, order, draft_after, key=f"engine {letter}", name=name, check=check, icon=icon)


def _taps(team: TeamDraft) -> list[tuple[Choice, Tap]]:
    """Returns a choice for each move of one engine that can come next, with the square to tap for it."""
    state, i, draft, ring = team.state, team.robot, team.draft, team.state.ring
    layout, gone = state.layout(i), state.gone[i]
    at, left = team.end(team.current), team.limit(team.current) - spent(draft.legs)
    found = []
    for letter in IN_MASK[layout.movers & ~gone]:
        step = layout.steps[letter]
        for n in range(1, min(left, ring.room[step][at]) + 1):
            square = str(ring.square(at + n * step))
            boosts = spent(draft.legs) + n > power(layout, gone)
            key = f"to {square}"
            draft_after = draft._replace(legs=_longer(draft.legs, letter, n), stays=False)
            template = (
                "move to {square} with engine {letter} and the booster"
                if boosts
                else "move to {square} with engine {letter}"
            )
            name = Sentence(template, square=square, letter=letter)
            choice = Choice(key, name, team.with_draft(draft_after), icon="tap-move")
            x, y = ring.centre(at + n * step)
            tap = Tap(
                x=x,
                y=y,
                key=key,
                boosts=boosts,
                column=int(x) + 1,
                row=int(y) + 1,
                name=name,
            )
            found.append((choice, tap))
    return found


def _leg_choices(team: TeamDraft) -> tuple[Choice, ...]:
    legs = team.draft.legs
    return tuple(
        Choice(
            f"leg {k + 1}",
            Sentence("Remove {leg}", leg=f"{letter}{n}")
            if k == len(legs) - 1
            else Sentence("Remove {leg} and everything after it", leg=f"{letter}{n}"),
            team.with_draft(team.draft._replace(legs=legs[:k])),
        )
        for k, (letter, n) in enumerate(legs)
    )


def _turrets(team: TeamDraft, order: Order) -> Iterator[Choice]:
    state, i, draft = team.state, team.robot, team.draft
    layout = state.layout(i)
    for letter, part in zip(layout.letters, layout.parts, strict=True):
        if part != LASER:
            continue
        picked = draft.turret == letter
        template = "laser {letter}, {way}: don’t fire" if picked else "laser {letter}, {way}: fire"
        name = Sentence(template, letter=letter, way=_way(layout, letter))
        draft_after = draft._replace(turret="" if picked else letter)
        icon = f"zone-{SLOTS[layout.slot(letter)].lower()}"
        check = bound(check_turret, state, i, letter)
        yield _choice(team, order, draft_after, key=f"turret {letter}", name=name, check=check, icon=icon)


def _targets(team: TeamDraft, order: Order) -> Iterator[Choice]:
    state, draft, ring = team.state, team.draft, team.state.ring
    for j in team.enemies:
        for letter in LETTERS:
            text = letter if ring.is_one_on_one else f"{ring.names[j]}:{letter}"
            picked = draft.target == text
            facts = {"letter": letter, "robot": robot(ring, ring.names[j])}
            name = Sentence(
                "{robot}’s slot {letter}: don’t aim" if picked else "aim at {robot}’s slot {letter}",
                **facts,
            )
            unaimed = "" if ring.is_one_on_one else f"{ring.names[j]}:{OPEN}"
            draft_after = draft._replace(target=unaimed if picked else text)
            check = bound(check_target, state, team.seat, j, letter)
            key = team.target_key(j, letter)
            yield _choice(team, order, draft_after, key=key, name=name, check=check)


def _sheets(team: TeamDraft) -> tuple[Choice, ...]:
    """Returns a choice for each enemy robot that shows its letters; () for a single enemy."""
    ring, enemies = team.state.ring, team.enemies
    opened = team.opened
    return tuple(
        Choice(
            f"enemy {ring.names[j]}",
            Sentence("Aim at {robot}", robot=robot(ring, ring.names[j])),
            team.with_draft(
                team.draft if j == opened else team.draft._replace(target=f"{ring.names[j]}:{OPEN}")
            ),
        )
        for j in enemies
        if len(enemies) > 1
    )


def _actions(team: TeamDraft, order: Order) -> tuple[Choice, ...]:
    """Returns the choices to stay, to take back the last entry, and to clear all orders."""
    draft = team.draft
    nothing = None if not draft.empty else Sentence("There’s nothing to undo.")
    if draft.aims:
        back = draft._replace(target="")
    elif draft.turret:
        back = draft._replace(turret="")
    elif draft.legs:
        letter, n = draft.legs[-1]
        back = draft._replace(legs=(*draft.legs[:-1], (letter, n - 1)) if n > 1 else draft.legs[:-1])
    else:
        back = Draft()
    any_order = any(not other.empty for other in team.drafts) or order.strip(" _;>")
    unchanged = None if any_order else Sentence("There’s nothing to undo.")
    empty = team._replace(drafts=(Draft(),) * len(team.drafts), current=0, marked=False)
    return (
        Choice(
            "stay",
            Sentence("Stay"),
            order if draft.stays else team.with_draft(draft._replace(legs=(), stays=True)),
            sign=STAY,
            icon="act-stay",
            why=Sentence("Your robot already stays.") if draft.stays else None,
        ),
        Choice("back", Sentence("Undo"), order if nothing else team.with_draft(back), why=nothing),
        Choice("clear", Sentence("Start over"), str(empty) if any_order else order, why=unchanged),
    )
