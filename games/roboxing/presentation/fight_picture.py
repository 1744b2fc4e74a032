"""The results of a planned turn of the fight, as data for drawing and as sentences (rulings X3 to X10)."""

from collections.abc import Mapping
from functools import reduce

from games.core import Choice, Order, Seat, Sentence
from games.roboxing.notes import first_shown, notes
from games.roboxing.orders import spent
from games.roboxing.presentation.drafts import Draft, TeamDraft
from games.roboxing.presentation.fight_records import (
    BodySlot,
    EnemyShown,
    LegShown,
    Pip,
    RobotShown,
    TargetLetter,
    TurretShown,
)
from games.roboxing.presentation.picture import slot_drawn, tag
from games.roboxing.ring import robot, run_text, runs
from games.roboxing.robot import (
    BIT,
    DEGREES,
    ENGINE,
    IN_MASK,
    LASER,
    PART_NAMES,
    SLOT_NAMES,
    SLOTS,
    boosted,
    power,
)


def _body(team: TeamDraft, n: int, part_choices: Mapping[str, Choice]) -> tuple[BodySlot, ...]:
    i, draft = team.robots[n], team.drafts[n]
    layout, gone = team.state.layout(i), team.state.gone[i]
    used = {letter for letter, _ in draft.legs} | {draft.turret}
    lasers = {shown.letter: shown for shown in _turrets_shown(team, n)}
    body = []
    for slot, (letter, part) in enumerate(zip(layout.letters, layout.parts, strict=True)):
        lost = bool(gone & BIT[letter])
        key = {LASER: f"turret {letter}", ENGINE: f"engine {letter}"}.get(part, "")
        choice = part_choices.get(key) if n == team.current else None
        facts = {"part": Sentence(PART_NAMES[part]), "letter": letter}
        name = Sentence("{part} {letter}, destroyed" if lost else "{part} {letter}", **facts)
        if choice and not lost:
            name = choice.name
            if letter in lasers:
                reach = _reach(team, lasers[letter])
                name = Sentence("{laser}. {reach}", laser=choice.name, reach=reach)
        body.append(
            BodySlot(
                **slot_drawn(slot, letter, part, gone),
                picked=letter in used,
                key=key,
                steps=sum(steps for used_letter, steps in draft.legs if used_letter == letter),
                covers=letter in lasers and bool(lasers[letter].covers),
                name=name,
                why=choice.why if choice else None,
            )
        )
    return tuple(body)


def _turrets_shown(team: TeamDraft, n: int) -> tuple[TurretShown, ...]:
    i = team.robots[n]
    return tuple(
        _turret_shown(team, n, letter)
        for letter in IN_MASK[team.state.layout(i).lasers & ~team.state.gone[i]]
    )


def robot_shown(team: TeamDraft, n: int, part_choices: Mapping[str, Choice]) -> RobotShown:
    """Returns the data for drawing robot `n` on its square and at the end of its planned move."""
    state, i, draft = team.state, team.robots[n], team.drafts[n]
    ring, layout, gone = state.ring, state.layout(i), state.gone[i]
    name, end, limit, moved = ring.names[i], team.end(n), team.limit(n), spent(draft.legs)
    (x0, y0), (x, y, scale) = ring.centre(state.squares[i]), _spot(team, n)
    booster = "gone" if not boosted(layout, gone) else "spent" if moved > power(layout, gone) else "free"
    return RobotShown(
        robot=name,
        number=team.number(n),
        side=state.side(ring.owners[i]),
        name=robot(ring, name),
        current=n == team.current,
        key=f"robot {team.number(n)}" if len(team.robots) > 1 else "",
        slots=_body(team, n, part_choices),
        legs=_legs_shown(team, n),
        moved=moved,
        limit=limit,
        booster=booster,
        reach=team.reach(n),
        turrets=_turrets_shown(team, n),
        turret=draft.turret,
        square=str(ring.square(end)),
        x0=x0,
        y0=y0,
        x=x,
        y=y,
        scale=scale,
        tag=tag(ring, name),
        pips=tuple(Pip(k < moved, k >= power(layout, gone)) for k in range(limit)),
        fires=_fires(team, draft),
    )


BESIDE, SMALLER = 0.62, 0.68


def _spot(team: TeamDraft, n: int) -> tuple[float, float, float]:
    """Returns (x, y, scale) of robot `n` after its move: beside others on that square, and smaller (X6)."""
    state, end = team.state, team.end(n)
    x, y = state.ring.centre(end)
    if end not in (at for i, at in enumerate(state.squares) if i != team.robots[n]):
        return x, y, 1
    return (x + BESIDE if x + 1 < state.options.width else x - BESIDE), y, SMALLER


ONE_SPACE = "Engine {letter}: one square {way}, to {to}."
MORE_SPACES = "Engine {letter}: {n} squares {way}, to {to}."


def _legs_shown(team: TeamDraft, n: int) -> tuple[LegShown, ...]:
    i = team.robots[n]
    ring, layout, at = team.state.ring, team.state.layout(i), team.state.squares[i]
    legs = []
    for letter, spaces in team.drafts[n].legs:
        start, at = at, at + layout.steps[letter] * spaces
        slot = layout.slot(letter)
        (x0, y0), (x, y) = ring.centre(start), ring.centre(at)
        way, to = SLOT_NAMES[SLOTS[slot]], str(ring.square(at))
        facts = {"letter": letter, "n": spaces, "way": Sentence(way), "to": to}
        legs.append(
            LegShown(
                letter=letter,
                spaces=spaces,
                x=x,
                y=y,
                middle_x=(x0 + x) / 2,
                middle_y=(y0 + y) / 2,
                degrees=DEGREES[slot],
                says=Sentence(ONE_SPACE if spaces == 1 else MORE_SPACES, **facts),
            )
        )
    return tuple(legs)


def _fires(team: TeamDraft, draft: Draft) -> Sentence | None:
    """Returns a sentence on the planned shot; None if its laser or target letter is missing."""
    if not (draft.turret and draft.aims):
        return None
    ring = team.state.ring
    enemy = next(j for j in ring.enemies(ring.owners[team.robot]) if team.aims_at(draft, j))
    facts = {"turret": draft.turret, "letter": draft.target[-1], "robot": robot(ring, ring.names[enemy])}
    return Sentence("Laser {turret} fires at {robot}’s slot {letter}.", **facts)


def _turret_shown(team: TeamDraft, n: int, letter: str) -> TurretShown:
    state, i = team.state, team.robots[n]
    ring, layout = state.ring, state.layout(i)
    covered = ring.covered(layout.slot(letter), team.end(n), team.reach(n))
    enemies = tuple(ring.names[j] for j in ring.enemies(ring.owners[i]) if state.squares[j] in covered)
    return TurretShown(
        letter=letter,
        slot=SLOTS[layout.slot(letter)],
        picked=team.drafts[n].turret == letter,
        zone=runs(ring, covered),
        covers=enemies,
    )


def enemy_shown(team: TeamDraft, j: int, aimed: Mapping[str, Choice]) -> EnemyShown:
    state, ring = team.state, team.state.ring
    name, at = ring.names[j], state.squares[j]
    known = notes(state, j)
    fresh = {note.letter for note in first_shown(state, j)}
    target = team.draft.target if team.draft.aims and team.aims_at(team.draft, j) else ""
    x, y = ring.centre(at)
    return EnemyShown(
        robot=name,
        side=state.side(ring.owners[j]),
        name=robot(ring, name),
        square=str(ring.square(at)),
        x=x,
        y=y,
        covered=team.covers(team.current, at),
        letters=tuple(
            TargetLetter(
                letter=note.letter,
                key=tap.key,
                gone=note.gone,
                picked=note.letter == target[-1:],
                note=note,
                degrees=DEGREES[SLOTS.index(note.slot)] if note.slot else 0,
                name=tap.name,
                why=tap.why,
                fresh=note.letter in fresh,
            )
            for note in known
            for tap in [aimed[team.target_key(j, note.letter)]]
        ),
        tag=tag(ring, name),
        current=j == team.opened,
        key=f"enemy {name}" if len(team.enemies) > 1 else "",
        target=target[-1:],
        noted=any(note.part or note.gone for note in known),
    )


BOOSTER_WORDS = {
    "free": "The booster is free: it doubles the lasers’ reach to {reach}.",
    "spent": "The booster is spent on the move: the lasers reach {reach}.",
    "gone": "The booster is destroyed: the lasers reach {reach}.",
}


def words(team: TeamDraft) -> list[Sentence]:
    """Returns sentences on the unfinished orders of a seat's robots and on their results, robot by robot."""
    sentences = []
    for n, draft in enumerate(team.drafts):
        shown = robot_shown(team, n, {})
        if len(team.robots) > 1:
            sentences.append(Sentence("Robot {n}, on {at}:", n=shown.number, at=str(team.square(n))))
        sentences += [leg.says for leg in shown.legs]
        if draft.stays:
            sentences.append(Sentence("Stays on {at}.", at=shown.square))
        if team.is_stuck(n):
            sentences.append(
                Sentence("No engine can move it from there: all that are left point at the ropes.")
            )
        else:
            facts = {"left": shown.limit - shown.moved, "limit": shown.limit}
            sentences.append(Sentence("{left} of {limit} squares are left to move.", **facts))
        sentences.append(Sentence(BOOSTER_WORDS[shown.booster], reach=shown.reach))
        for turret in shown.turrets:
            if turret.picked:
                sentences += _zone_words(team, draft, turret)
        sentences += [shown.fires] if shown.fires else []
    return sentences


def _reach(team: TeamDraft, laser: TurretShown) -> Sentence:
    """Returns a sentence on the enemies that stand now where `laser` hits after the move."""
    ring = team.state.ring
    if not laser.zone:
        return Sentence("It covers no square of the ring.")
    there = [robot(ring, name) for name in laser.covers]
    if not there:
        return Sentence("No opponent is in reach.")
    *some, last = there
    if not some:
        return Sentence("{robot} is in reach.", robot=last)
    others = reduce(lambda said, one: Sentence("{said}, {one}", said=said, one=one), some)
    return Sentence("{robots} and {last} are in reach.", robots=others, last=last)


def _zone_words(team: TeamDraft, draft: Draft, turret: TurretShown) -> list[Sentence]:
    ring = team.state.ring
    way = Sentence(SLOT_NAMES[turret.slot])
    covers = _reach(team, turret)
    if squares := ", ".join(run_text(ring, run) for run in turret.zone):
        covers = Sentence("{reach} It covers {squares}.", reach=covers, squares=squares)
    facts = {"turret": turret.letter, "way": way, "covers": covers}
    sentences = [Sentence("Laser {turret}, {way}: {covers}", **facts)]
    for j in team.enemies:
        if team.aims_at(draft, j) and ring.names[j] not in turret.covers:
            enemy = robot(ring, ring.names[j])
            sentences.append(
                Sentence(
                    "{robot} isn’t in its danger zone now: it hits only if {robot} moves into it.",
                    robot=enemy,
                )
            )
    return sentences


def suppose(team: TeamDraft, guesses: Mapping[Seat, Order]) -> list[Sentence]:
    """Returns sentences on the planned shots, if the enemy robots stand on the squares that are guessed."""
    state, ring = team.state, team.state.ring
    sentences: list[Sentence] = []
    for seat in state.seats:
        if seat not in guesses or seat == ring.owners[team.robot]:
            continue
        for j, word in zip(state.robots(seat), guesses[seat].replace(";", " ").split(), strict=False):
            try:
                at = ring.at(word.lower())
            except ValueError:
                continue
            for n, draft in enumerate(team.drafts):
                if not (draft.turret and team.aims_at(draft, j)):
                    continue
                template = (
                    "If {robot} stands on {at}, laser {turret} hits it."
                    if team.covers(n, at)
                    else "If {robot} stands on {at}, laser {turret} misses it."
                )
                facts = {"robot": robot(ring, ring.names[j]), "at": str(ring.square(at))}
                sentences.append(Sentence(template, **facts, turret=draft.turret))
    return sentences
