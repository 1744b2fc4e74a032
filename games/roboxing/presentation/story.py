"""The events of a turn, as data and as sentences, and the ring in words, all from a view (ruling X12)."""

from functools import reduce

from games.core import Event, Seat, Sentence
from games.roboxing.dead_fights import OUT_OF_REACH
from games.roboxing.deduction import target_of
from games.roboxing.notes import first_shown
from games.roboxing.orders import STAY, legs_of
from games.roboxing.presentation.misses import why_missed
from games.roboxing.ring import OFF, Cause, Ring, robot, run_text, runs
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
    reach,
)
from games.roboxing.rules import Position


def events(state: Position) -> list[Event]:
    """Returns the moves, or the shots and what they caused, that led here (see `teaching/described.py`)."""
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
    """Rates an event: 12 for a knockout or the end (X13), 5 for a hit, at most 2 for others."""
    if event["kind"] == "shot":
        return 5 if event["hit"] else 1
    return HIGHLIGHTS.get(event["kind"], 0)


def in_words(move: str) -> Sentence:
    legs = [
        Sentence(
            "engine {letter}, one square" if n == 1 else "engine {letter}, {n} squares", letter=letter, n=n
        )
        for letter, n in legs_of(move)
    ]
    return reduce(lambda said, leg: Sentence("{said}, then {leg}", said=said, leg=leg), legs)


def tell(state: Position, event: Event) -> Sentence:
    if event["kind"] == OUT_OF_REACH:
        return Sentence(
            "With the engines and lasers that are left, no robot can ever hit an opponent again, so "
            "the fight ends. Everyone still in it shares the point."
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
            told = Sentence("{by} fires laser {turret} at {at}’s slot {letter} and hits!", **facts)
            if not event["hit"]:
                facts["why"] = why_missed(state, state.ring.index[event["by"]])
                told = Sentence(
                    "{by} fires laser {turret} at {at}’s slot {letter} and misses: {why}", **facts
                )
            return _with_news(state, event, told)
        case {"kind": "destroyed", "letter": letter}:
            return Sentence("Slot {letter} of {by} is destroyed.", by=by, letter=letter)
        case {"kind": "knocked out", "from": square}:
            return Sentence("{by} is knocked out on {at}!", by=by, at=square)
        case {"kind": "out"}:
            return Sentence("{by} has no robot left.", by=by)
    raise ValueError(f"no sentence for {event}")


def _with_news(state: Position, event: Event, sentence: Sentence) -> Sentence:
    """Returns the sentence, with what the event revealed about a robot whose layout is hidden (X12)."""
    i = state.ring.index[event["by"]]
    if state.layouts[i]:
        return sentence
    part = "engine" if event["kind"] == "moved" else "laser"
    shown = [note.inference for note in first_shown(state, i) if note.part == part]
    return reduce(lambda told, more: Sentence("{told} {more}", told=told, more=more), shown, sentence)


def _turret(state: Position, event: Event) -> str:
    return state.past[-1].acts[state.ring.index[event["by"]]].split(" ")[1]


def words(state: Position) -> list[Sentence]:
    """Returns sentences on all robots, followed by sentences on the layouts that the viewer may know."""
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


def reaches(state: Position) -> list[Sentence]:
    """Returns sentences on the squares that lasers in known places cover, if their robots do not move."""
    sentences = []
    for i, at in enumerate(state.squares):
        layout = state.layouts[i] if state.layouts and at != OFF else None
        for letter in IN_MASK[layout.lasers & ~state.gone[i]] if layout else ():
            assert layout
            covered = state.ring.covered(layout.slot(letter), at, reach(layout, state.gone[i], 0))
            squares = ", ".join(run_text(state.ring, run) for run in runs(state.ring, covered))
            if squares:
                facts = {"by": robot(state.ring, state.ring.names[i]), "at": str(state.ring.square(at))}
                template = "Laser {letter} of {by} covers {squares} from {at}."
                sentences.append(Sentence(template, letter=letter, squares=squares, **facts))
    return sentences


def _inside(layout: Layout, gone: int, by: Seat | Sentence) -> list[Sentence]:
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


SECOND_PERSON = {
    ("{by} has built a robot.", "by"): "You have built a robot.",
    ("{by} has built {n} robots.", "by"): "You have built {n} robots.",
    ("{by} moves from {at} to {to}: {way}.", "by"): "You move from {at} to {to}: {way}.",
    ("{by} stays on {at}.", "by"): "You stay on {at}.",
    ("Slot {letter} of {by} is destroyed.", "by"): "Your slot {letter} is destroyed.",
    ("{by} is knocked out on {at}!", "by"): "You’re knocked out on {at}!",
    ("{by} has no robot left.", "by"): "You have no robot left.",
    ("{by} fires laser {turret} at {at}’s slot {letter} and hits!", "by"): (
        "You fire laser {turret} at {at}’s slot {letter} and hit!"
    ),
    ("{by} fires laser {turret} at {at}’s slot {letter} and hits!", "at"): (
        "{by} fires laser {turret} at your slot {letter} and hits!"
    ),
    ("{by} fires laser {turret} at {at}’s slot {letter} and misses: {why}", "by"): (
        "You fire laser {turret} at {at}’s slot {letter} and miss: {why}"
    ),
    ("{by} fires laser {turret} at {at}’s slot {letter} and misses: {why}", "at"): (
        "{by} fires laser {turret} at your slot {letter} and misses: {why}"
    ),
    ("{at} has left the ring.", "at"): "You have left the ring.",
    ("{at} moved out of the danger zone, from {was} to {square}.", "at"): (
        "You moved out of the danger zone, from {was} to {square}."
    ),
    ("{by} is out of the ring.", "by"): "You’re out of the ring.",
    ("{by} stands on {at}; destroyed: {lost}.", "by"): "You stand on {at}; destroyed: {lost}.",
    ("{by} stands on {at}, undamaged.", "by"): "You stand on {at}, undamaged.",
    ("Laser {letter} of {by} covers {squares} from {at}.", "by"): (
        "Your laser {letter} covers {squares} from {at}."
    ),
    ("{by}: lasers {lasers}, engines {engines}, and a booster.", "by"): (
        "You: lasers {lasers}, engines {engines}, and a booster."
    ),
    ("{by}: lasers {lasers}, engines {engines}, no booster.", "by"): (
        "You: lasers {lasers}, engines {engines}, no booster."
    ),
}
"""The sentences of this module as the player concerned reads them (`Game.second_person`)."""
