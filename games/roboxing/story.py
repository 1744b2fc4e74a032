"""The events of a turn of Roboxing, as data and as sentences, and the ring in words.

Everything is derived from the public history and from the layouts that the position holds, so a view tells
nothing that is hidden from its viewer (ruling X12).
"""

from __future__ import annotations

from functools import reduce

from games.core import Event, Seat, Sentence
from games.roboxing.dead_fights import OUT_OF_REACH
from games.roboxing.deduction import target_of
from games.roboxing.misses import why_missed
from games.roboxing.notes import first_shown
from games.roboxing.orders import STAY, legs_of
from games.roboxing.position import Cause
from games.roboxing.ring import OFF, Ring, robot
from games.roboxing.robot import (
    BIT,
    COUNT,
    IN_MASK,
    PART_NAMES,
    SLOT_NAMES,
    SLOTS,
    Layout,
    boosted,
    power,
)
from games.roboxing.rules import Position


def events(state: Position) -> list[Event]:
    """Returns the events that led to this position.

    A turn's first step has the moves, its second step the shots and their consequences. `by` is the robot
    that acts or is hit, except where stated. The `kind` of an event is one of these:

    - `built`: `by` is the seat that has built its robots.
    - `moved` (`move`, `from`, `to`) or `stayed` (`at`).
    - `shot`: `at` is the target robot, `letter` the target letter, and `hit` is True for a hit.
    - `destroyed` (`letter`) or `knocked out` (`from`, the robot's last square).
    - `out`: `by` is a seat that has lost its last robot.
    - `out of reach`: the fight ends by ruling X13. There is no `by`.

    A step without a fight may have events that occur in all games, such as `resigned`.
    """
    if state.news or not state.past:
        return [dict(event) for event in state.news]
    cause = state.past[-1]
    return _damage(state, cause) if state.tick else _moves(state.ring, cause)


def _moves(ring: Ring, cause: Cause) -> list[Event]:
    happened: list[Event] = []
    for name, act, before, after in zip(ring.names, cause.acts, cause.before, cause.after, strict=True):
        move = act.partition(" ")[0]
        if move == STAY:
            happened.append({"kind": "stayed", "by": name, "at": str(ring.square(before))})
        elif move:
            way = {"from": str(ring.square(before)), "to": str(ring.square(after))}
            happened.append({"kind": "moved", "by": name, "move": move, **way})
    return happened


def _damage(state: Position, cause: Cause) -> list[Event]:
    ring, happened = state.ring, []
    hurt: dict[tuple[int, str], None] = {}
    for i, hit in enumerate(cause.hits):
        if hit is None:
            continue
        shot = cause.acts[i].partition(" ")[2]
        target, letter = target_of(ring, i, shot), shot[-1]
        at, by = ring.names[target], ring.names[i]
        happened.append({"kind": "shot", "by": by, "at": at, "letter": letter, "hit": hit})
        if hit:
            hurt[target, letter] = None
    happened += [
        {"kind": "destroyed", "by": ring.names[target], "letter": letter} for target, letter in sorted(hurt)
    ]
    fallen = [i for i, at in enumerate(cause.after) if at != OFF == state.squares[i]]
    happened += [
        {"kind": "knocked out", "by": ring.names[i], "from": str(ring.square(cause.after[i]))} for i in fallen
    ]
    for seat in dict.fromkeys(ring.owners[i] for i in fallen):
        if not state.robots(seat):
            happened.append({"kind": "out", "by": seat})
    if state.ended and state.ended.reason == OUT_OF_REACH:
        happened.append({"kind": OUT_OF_REACH})
    return happened


HIGHLIGHTS = {"knocked out": 12, OUT_OF_REACH: 12, "out": 2, "destroyed": 1}


def highlight(event: Event) -> int:
    """Rates how remarkable an event is, from 0 to 12.

    A knockout and the end by ruling X13 get 12, a hit gets 5, and all other events get 0 to 2.
    """
    if event["kind"] == "shot":
        return 5 if event["hit"] else 1
    return HIGHLIGHTS.get(event["kind"], 0)


def in_words(move: str) -> Sentence:
    """Returns a move in canonical form, such as `b2+a1`, in words.

    The move must have at least one leg, which is a number of spaces with one engine.
    """
    legs = [
        Sentence(
            "engine {letter}, one space" if n == 1 else "engine {letter}, {n} spaces", letter=letter, n=n
        )
        for letter, n in legs_of(move)
    ]
    return reduce(lambda said, leg: Sentence("{said}, then {leg}", said=said, leg=leg), legs)


def tell(state: Position, event: Event) -> Sentence:
    if event["kind"] == OUT_OF_REACH:
        return Sentence(
            "With the engines and lasers that are left, no robot can ever hit an enemy again, so the fight "
            "ends. Everybody still in it shares the point."
        )
    by = Seat(event["by"]) if event["kind"] in ("built", "out") else robot(state.ring, event["by"])
    match event:
        case {"kind": "built"}:
            if state.options.robots == 1:
                return Sentence("{by} has built a robot.", by=by)
            return Sentence("{by} has built {n} robots.", by=by, n=state.options.robots)
        case {"kind": "moved", "move": move, "from": square, "to": to}:
            facts = {"by": by, "at": square, "to": to, "way": in_words(move)}
            return _with_news(state, event, Sentence("{by} moves from {at} to {to}: {way}.", **facts))
        case {"kind": "stayed", "at": square}:
            return Sentence("{by} stays on {at}.", by=by, at=square)
        case {"kind": "shot", "at": at, "letter": letter}:
            facts = {"by": by, "at": robot(state.ring, at), "letter": letter, "turret": _turret(state, event)}
            return _with_news(state, event, _told_shot(state, event, facts))
        case {"kind": "destroyed", "letter": letter}:
            return Sentence("Slot {letter} of {by} is destroyed.", by=by, letter=letter)
        case {"kind": "knocked out", "from": square}:
            return Sentence("{by} is knocked out on {at}!", by=by, at=square)
        case {"kind": "out"}:
            return Sentence("{by} has no robot left.", by=by)
    raise ValueError(f"no sentence for {event}")


def _told_shot(state: Position, event: Event, facts: dict[str, object]) -> Sentence:
    if event["hit"]:
        return Sentence("{by} fires laser {turret} at {at}’s slot {letter} and hits!", **facts)
    why = why_missed(state, state.ring.index[event["by"]])
    return Sentence("{by} fires laser {turret} at {at}’s slot {letter} and misses: {why}", **facts, why=why)


def _with_news(state: Position, event: Event, sentence: Sentence) -> Sentence:
    """Returns a sentence on an event, with what the event has revealed about the robot that acted (X12).

    If the viewer knows this robot's layout anyway, `sentence` is returned unchanged.
    """
    i = state.ring.index[event["by"]]
    if state.layouts[i]:
        return sentence
    part = "engine" if event["kind"] == "moved" else "laser"
    shown = [note.inference for note in first_shown(state, i) if note.part == part]
    return reduce(lambda told, more: Sentence("{told} {more}", told=told, more=more), shown, sentence)


def _turret(state: Position, event: Event) -> str:
    """Returns the letter of the laser that fired; `event` is a shot."""
    return state.past[-1].acts[state.ring.index[event["by"]]].split(" ")[1]


def words(state: Position) -> list[Sentence]:
    """Returns sentences on all robots, followed by sentences on the layouts that the viewer may know.

    Layouts of robots that have left the ring are left out.
    """
    sentences, inside = [], []
    for i, name in enumerate(state.ring.names):
        by, at, gone = robot(state.ring, name), state.squares[i], state.gone[i]
        if at == OFF:
            sentences.append(Sentence("{by} is out of the ring.", by=by))
            continue
        here = str(state.ring.square(at))
        if gone:
            lost = ", ".join(IN_MASK[gone])
            sentences.append(Sentence("{by} stands on {at}; destroyed: {lost}.", by=by, at=here, lost=lost))
        else:
            sentences.append(Sentence("{by} stands on {at}, undamaged.", by=by, at=here))
        if state.layouts and (layout := state.layouts[i]):
            inside += _inside(layout, gone, by)
    return sentences + inside


def _inside(layout: Layout, gone: int, by: Seat | Sentence) -> list[Sentence]:
    """Returns sentences on the intact parts of a robot, and on its slots, row by row.

    `by` is the robot's name, and `gone` are the letters of its destroyed slots.
    """
    sentences = [
        Sentence(
            "{by}: lasers {lasers}, engines {engines}, and a booster."
            if boosted(layout, gone)
            else "{by}: lasers {lasers}, engines {engines}, no booster.",
            by=by,
            lasers=COUNT[layout.lasers & ~gone],
            engines=power(layout, gone),
        )
    ]
    for slot, letter, part in zip(SLOTS, layout.letters, layout.parts, strict=True):
        facts = {"slot": Sentence(SLOT_NAMES[slot]), "part": Sentence(PART_NAMES[part]), "letter": letter}
        lost = BIT[letter] & gone
        sentences.append(
            Sentence("{slot}: {part} {letter}, destroyed." if lost else "{slot}: {part} {letter}.", **facts)
        )
    return sentences
