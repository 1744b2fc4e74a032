"""The events of a step, derived from its `Cause`, as data and as sentences, and the board in words."""

from typing import Any

from games.core import Event, Progress, Seat, Sentence
from games.pigs.rules import Position
from games.pigs.steps import (
    AFTER,
    FACINGS,
    FIRE,
    FIST,
    GOAL,
    GONE,
    HIT,
    HULK,
    LIVES,
    RAY,
    REACH,
    REPAIR,
    STEPS,
    TURNS,
    WALKS,
    Cause,
    Pose,
    in_line,
    intended_poses,
    square_of,
    struck,
)


def facing(p: Pose) -> str:
    return FACINGS[p % 4]


def events(state: Position) -> list[Event]:
    """Returns the events of the step, or of the change, that led here (see `teaching/described.py`)."""
    cause = state.cause
    if not cause:
        return [dict(event) for event in state.led]
    return [*_moves(state, cause), *_attacks(state, cause), *_damage(state, cause), *_scores(state, cause)]


def _moves(state: Position, cause: Cause) -> list[Event]:
    happened: list[Event] = []
    wanted_poses = intended_poses(cause.poses, cause.commands, state.options.side_cross == "forward")
    for seat, before, after, command, wanted in zip(
        state.seats, cause.poses, state.poses, cause.commands, wanted_poses, strict=True
    ):
        base = {"step": cause.step, "by": seat}
        if command in TURNS:
            happened.append(
                {"kind": "turned", **base, "at": str(square_of(after)), "way": command, "to": facing(after)}
            )
        elif command in WALKS:
            here, there = str(square_of(before)), str(square_of(after))
            if here != there:
                walked = {"kind": "walked", **base, "command": command, "from": here, "to": there}
                if wanted != AFTER[command][before]:
                    walked["instead"] = "^"
                happened.append(walked)
            elif wanted == before:
                happened.append({"kind": "stopped", **base, "command": command, "at": here, "cause": "wall"})
            else:
                to = str(square_of(wanted))
                happened.append(
                    {"kind": "stopped", **base, "command": command, "at": here, "to": to, "cause": "pig"}
                )
    for seat, before, after in zip(state.seats, cause.poses, state.poses, strict=True):
        if after == GONE != before:
            happened.append(
                {"kind": "flattened", "step": cause.step, "by": seat, "at": str(square_of(before))}
            )
    return happened


def _attacks(state: Position, cause: Cause) -> list[Event]:
    happened: list[Event] = []
    for i, (seat, command) in enumerate(zip(state.seats, cause.commands, strict=True)):
        if command not in (FIRE, HIT):
            continue
        victims = [state.seats[j] for j in _victims_of(state, cause, i)]
        event: Event = {
            "kind": "fired" if command == FIRE else "hit",
            "step": cause.step,
            "by": seat,
            "from": str(square_of(state.poses[i])),
            "to": facing(state.poses[i]),
            "at": victims,
            "hit": bool(victims),
        }
        stops = command == FIRE and state.options.laser == "first"  # P7
        if stops and not victims and (j := in_line(i, state.poses)) is not None:
            event["hulk"] = state.seats[j]
        happened.append(event)
    return happened


def _victims_of(state: Position, cause: Cause, i: int) -> list[int]:
    through = state.options.laser == "through"
    return struck(i, cause.commands[i], state.poses, cause.damage, through=through)


def _damage(state: Position, cause: Cause) -> list[Event]:
    happened: list[Event] = []
    struck_ones = [j for i in range(len(cause.commands)) for j in _victims_of(state, cause, i)]
    for i, (seat, before, after) in enumerate(zip(state.seats, cause.damage, state.damage, strict=True)):
        base = {"step": cause.step, "by": seat}
        repaired = cause.commands[i] == REPAIR and cause.step == STEPS - 1
        hits, shown = struck_ones.count(i), LIVES if after == HULK else after
        if hits:
            more = {"race": True} if state.dealt else {"repaired": True} if repaired else {}  # P14, P10
            happened.append({"kind": "hurt", **base, "points": hits, "damage": shown, **more})
        if hits and state.lists and state.options.damage_moves and after < HULK:  # P15
            happened.append({"kind": "repeats", **base, "times": hits, "length": len(state.lists[i])})
        if repaired:
            more = {"hurt": True} if hits else {}
            happened.append({"kind": "repaired", **base, "damage": shown, **more})
        if before < HULK == after:
            happened.append({"kind": "destroyed", **base, "at": str(square_of(state.poses[i]))})
    return happened


def _scores(state: Position, cause: Cause) -> list[Event]:
    """Returns a `scored` event for each pig that landed hits in this step of a race (ruling P14)."""
    return [
        {"kind": "scored", "step": cause.step, "by": seat, "points": points, "hits": hits}
        for i, (seat, hits) in enumerate(zip(state.seats, state.dealt or (), strict=False))
        if (points := len(_victims_of(state, cause, i)))
    ]


HIGHLIGHTS = {"destroyed": 12, "flattened": 4, "repaired": 1}


def highlight(event: Event) -> int:
    """Rates an event: 5 for each pig hit, 12 for a pig destroyed or a race won, 0 to 4 for others."""
    match event:
        case {"kind": "fired" | "hit", "at": victims}:
            return 5 * len(victims) or 1
        case {"kind": "stopped", "cause": "pig"}:
            return 1
        case {"kind": "scored", "hits": hits} if hits >= GOAL:
            return 12
    return HIGHLIGHTS.get(event["kind"], 0)


WALKED = {
    "^": "{by} walks forward to {to}.",
    "v": "{by} walks back to {to}.",
    "\\": "{by} steps ahead left to {to}.",
    "/": "{by} steps ahead right to {to}.",
}


TURNED = {"TL": "{by} turns left and faces {to}.", "TR": "{by} turns right and faces {to}."}


def tell(event: Event) -> Sentence:
    facts = {key: value for key, value in event.items() if key not in ("kind", "step", "cause", "points")}
    facts["by"] = Seat(event["by"])
    if event.get("to") in FACINGS:
        facts["to"] = Sentence(event["to"])
    match event:
        case {"kind": "walked", "instead": _}:  # P6
            return Sentence("{by} would cross the pig beside it, so it walks forward to {to}.", **facts)
        case {"kind": "walked", "command": command}:
            return Sentence(WALKED[command], **facts)
        case {"kind": "turned", "way": way}:
            return Sentence(TURNED[way], **facts)
        case {"kind": "stopped", "cause": "wall"}:
            return Sentence("{by} walks into the wall and stays on {at}.", **facts)
        case {"kind": "stopped"}:
            return Sentence("{by} bumps on the way to {to} and stays on {at}.", **facts)
        case {"kind": "flattened"}:
            return Sentence("The wreck of {by} on {at} is flattened.", **facts)
        case {"kind": "fired" | "hit", "at": victims}:
            return _attack_sentence(event, [Seat(v) for v in victims], facts)
        case {"kind": "scored"} | {"kind": "hurt", "race": True}:
            return _race_sentence(event, facts)
        case {"kind": "hurt" | "repaired"}:
            return _damage_sentence(event, facts)
        case {"kind": "repeats", "times": 1}:
            return Sentence(
                "{by} repeats the last command of the list, which has {length} commands now.", **facts
            )
        case {"kind": "repeats"}:
            return Sentence(
                "{by} repeats the last command of the list {times} times; it has {length} commands now.",
                **facts,
            )
        case {"kind": "destroyed"}:
            return Sentence("{by} is destroyed!", **facts)
    raise ValueError(f"no sentence for {event}")


def _damage_sentence(event: Event, facts: dict[str, Any]) -> Sentence:
    """A sentence on a hit or a repair; if both come in one instant, the repair's has the damage (P10)."""
    match event:
        case {"kind": "hurt", "repaired": True}:
            return Sentence("{by} takes {points} damage.", by=facts["by"], points=event["points"])
        case {"kind": "hurt"}:
            return Sentence("{by} has {damage} damage now.", **facts)
        case {"hurt": True}:
            return Sentence("{by} repairs 1 damage in the same moment and has {damage} now.", **facts)
    return Sentence("{by} is repaired and has {damage} damage now.", **facts)


def _race_sentence(event: Event, facts: dict[str, Any]) -> Sentence:
    """A sentence on the hits that a pig has landed or taken so far in a race (ruling P14)."""
    if event["kind"] == "hurt":
        if event["damage"] == 1:
            return Sentence("{by} has been hit once so far.", **facts)
        return Sentence("{by} has been hit {damage} times so far.", **facts)
    if event["hits"] >= GOAL:
        return Sentence("{by} has landed {hits} hits!", **facts)
    return Sentence("{by} has landed {hits} of {goal} hits.", **facts, goal=GOAL)


def _attack_sentence(event: Event, victims: list[Seat], facts: dict[str, Any]) -> Sentence:
    facts = {key: value for key, value in facts.items() if key not in ("at", "hit")}
    fires = event["kind"] == "fired"
    match victims:
        case []:
            if fires and "hulk" in event:
                facts["hulk"] = Seat(event["hulk"])
                return Sentence("{by} fires {to} and hits the wreck of {hulk}.", **facts)
            return Sentence(
                "{by} fires {to} and misses." if fires else "{by} punches and hits nothing.", **facts
            )
        case [one]:
            return Sentence(
                "{by} fires {to} and hits {at}!" if fires else "{by} punches {at}!", at=one, **facts
            )
        case _ if fires:
            return Sentence("{by} fires {to} and hits {at}!", at=_all_of(victims), **facts)
        case [one, two]:
            return Sentence("{by} punches {at} and {other}!", at=one, other=two, **facts)
        case [one, two, three]:
            return Sentence(
                "{by} punches {at}, {other} and {third}!", at=one, other=two, third=three, **facts
            )
    raise ValueError(f"no sentence for {event}")


def _all_of(victims: list[Seat]) -> Sentence:
    """Lists two or more pigs in a sentence: `A, B and C`."""
    first, *rest = victims
    if len(rest) == 1:
        return Sentence("{first} and {last}", first=first, last=rest[0])
    return Sentence("{first}, {rest}", first=first, rest=_all_of(rest))


def words(state: Position) -> list[Sentence]:
    sentences = []
    for seat, p, damage in zip(state.seats, state.poses, state.damage, strict=True):
        if p == GONE:
            sentences.append(Sentence("{by} is destroyed and gone from the board.", by=seat))
        elif damage == HULK:
            sentences.append(Sentence("{by} is a wreck on {at}.", by=seat, at=str(square_of(p))))
        else:
            sentences.append(_standing(state, seat, p, damage))
            if listed := state.listed(seat):
                sentences.append(Sentence("{by} has {n} commands on the list.", by=seat, n=len(listed)))
    return sentences


def _standing(state: Position, seat: Seat, p: Pose, damage: int) -> Sentence:
    facts = {"by": seat, "at": str(square_of(p)), "to": Sentence(facing(p))}
    if landed := hit_progress(state, seat):
        return Sentence("{by} stands on {at}, faces {to}, and has landed {hits}.", **facts, hits=landed.says)
    if not damage:
        return Sentence("{by} stands on {at}, faces {to}, and has no damage.", **facts)
    return Sentence("{by} stands on {at}, faces {to}, and has {damage} damage.", **facts, damage=damage)


def reaches(state: Position) -> list[Sentence]:
    """The squares that each living pig attacks from where it stands (ruling P7)."""
    living = [i for i, damage in enumerate(state.damage) if damage < HULK and state.poses[i] != GONE]
    sentences = []
    for i in living:
        p = state.poses[i]
        stop = None if state.options.laser == "through" else in_line(i, state.poses)
        ray = RAY[p] if stop is None else RAY[p][: REACH[p][state.poses[stop] >> 2] + 1]
        fire, hit = (", ".join(map(_name, squares)) for squares in (ray, sorted(FIST[p])))
        if fire:
            facts = {"by": state.seats[i], "at": str(square_of(p)), "fire": fire, "hit": hit}
            sentences.append(Sentence("From {at}, {by} can fire at {fire} and punch {hit}.", **facts))
    return sentences


def _name(square: int) -> str:
    return str(square_of(square << 2))


def hit_progress(state: Position, seat: Seat) -> Progress | None:
    """The hits that a pig has landed in a race, out of five (P14); None for a hulk, or without a race."""
    i = state.seats.index(seat)
    if not state.dealt or state.damage[i] == HULK:
        return None
    hits = state.dealt[i]
    says = "{hits} of {goal} hits" if hits <= GOAL else "{hits} hits"
    return Progress(hits, GOAL, Sentence(says, hits=hits, goal=GOAL))


def damage_progress(state: Position, seat: Seat) -> Progress | None:
    """A pig's damage, out of the damage that destroys it (ruling P11); None in a race."""
    damage = state.damage[state.seats.index(seat)]
    if state.dealt:
        return None
    if damage == HULK:  # destroyed, or its player resigned
        return Progress(LIVES, LIVES, Sentence("a wreck"), icon="")
    return Progress(
        damage, LIVES, Sentence("{damage} of {lives} damage", damage=damage, lives=LIVES), icon=""
    )


SECOND_PERSON = {
    ("From {at}, {by} can fire at {fire} and punch {hit}.", "by"): (
        "From {at}, you can fire at {fire} and punch {hit}."
    ),
    ("{by} walks forward to {to}.", "by"): "You walk forward to {to}.",
    ("{by} walks back to {to}.", "by"): "You walk back to {to}.",
    ("{by} steps ahead left to {to}.", "by"): "You step ahead left to {to}.",
    ("{by} steps ahead right to {to}.", "by"): "You step ahead right to {to}.",
    ("{by} turns left and faces {to}.", "by"): "You turn left and face {to}.",
    ("{by} turns right and faces {to}.", "by"): "You turn right and face {to}.",
    ("{by} would cross the pig beside it, so it walks forward to {to}.", "by"): (
        "You would cross the pig beside you, so you walk forward to {to}."
    ),
    ("{by} walks into the wall and stays on {at}.", "by"): "You walk into the wall and stay on {at}.",
    ("{by} bumps on the way to {to} and stays on {at}.", "by"): (
        "You bump on the way to {to} and stay on {at}."
    ),
    ("The wreck of {by} on {at} is flattened.", "by"): "Your wreck on {at} is flattened.",
    ("{by} repeats the last command of the list, which has {length} commands now.", "by"): (
        "You repeat the last command of your list, which has {length} commands now."
    ),
    ("{by} repeats the last command of the list {times} times; it has {length} commands now.", "by"): (
        "You repeat the last command of your list {times} times; it has {length} commands now."
    ),
    ("{by} is destroyed!", "by"): "Your pig is destroyed!",
    ("{by} takes {points} damage.", "by"): "You take {points} damage.",
    ("{by} has {damage} damage now.", "by"): "You have {damage} damage now.",
    ("{by} repairs 1 damage in the same moment and has {damage} now.", "by"): (
        "You repair 1 damage in the same moment and have {damage} now."
    ),
    ("{by} is repaired and has {damage} damage now.", "by"): "You’re repaired and have {damage} damage now.",
    ("{by} has been hit once so far.", "by"): "You’ve been hit once so far.",
    ("{by} has been hit {damage} times so far.", "by"): "You’ve been hit {damage} times so far.",
    ("{by} has landed {hits} hits!", "by"): "You’ve landed {hits} hits!",
    ("{by} has landed {hits} of {goal} hits.", "by"): "You’ve landed {hits} of {goal} hits.",
    ("{by} fires {to} and hits the wreck of {hulk}.", "by"): ("You fire {to} and hit the wreck of {hulk}."),
    ("{by} fires {to} and hits the wreck of {hulk}.", "hulk"): "{by} fires {to} and hits your wreck.",
    ("{by} fires {to} and misses.", "by"): "You fire {to} and miss.",
    ("{by} punches and hits nothing.", "by"): "You punch and hit nothing.",
    ("{by} fires {to} and hits {at}!", "by"): "You fire {to} and hit {at}!",
    ("{by} fires {to} and hits {at}!", "at"): "{by} fires {to} and hits you!",
    ("{by} punches {at}!", "by"): "You punch {at}!",
    ("{by} punches {at}!", "at"): "{by} punches you!",
    ("{by} punches {at} and {other}!", "by"): "You punch {at} and {other}!",
    ("{by} punches {at} and {other}!", "at"): "{by} punches you and {other}!",
    ("{by} punches {at} and {other}!", "other"): "{by} punches {at} and you!",
    ("{by} punches {at}, {other} and {third}!", "by"): "You punch {at}, {other} and {third}!",
    ("{by} punches {at}, {other} and {third}!", "at"): "{by} punches you, {other} and {third}!",
    ("{by} punches {at}, {other} and {third}!", "other"): "{by} punches {at}, you and {third}!",
    ("{by} punches {at}, {other} and {third}!", "third"): "{by} punches {at}, {other} and you!",
    ("{first} and {last}", "first"): "you and {last}",
    ("{first} and {last}", "last"): "{first} and you",
    ("{first}, {rest}", "first"): "you, {rest}",
    ("{by} is destroyed and gone from the board.", "by"): "Your pig is destroyed and gone from the board.",
    ("{by} is a wreck on {at}.", "by"): "Your pig is a wreck on {at}.",
    ("{by} has {n} commands on the list.", "by"): "You have {n} commands on your list.",
    ("{by} stands on {at}, faces {to}, and has landed {hits}.", "by"): (
        "You stand on {at}, face {to}, and have landed {hits}."
    ),
    ("{by} stands on {at}, faces {to}, and has no damage.", "by"): (
        "You stand on {at}, face {to}, and have no damage."
    ),
    ("{by} stands on {at}, faces {to}, and has {damage} damage.", "by"): (
        "You stand on {at}, face {to}, and have {damage} damage."
    ),
}
"""The sentences of this module as the player concerned reads them (`Game.second_person`)."""
