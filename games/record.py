"""A match as text: reading, checking, replaying and writing the record (docs/record.md).

A record is one JSON object. `replay` returns the positions of the match, the outcome, and the first fault if
there is one; it raises no exception for a faulty record.

>>> match = {"format": "robosite/1", "game": "robble", "seats": ["A", "B"]}
>>> shown = replay({**match, "turns": [{"A": "c4"}, {"B": "c4"}]})
>>> len(shown.positions), str(shown.fault), shown.fault.turn
(2, 'There’s a stone on c4 already. Choose an empty square.', 1)
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from string import hexdigits
from typing import Any, NoReturn

from games import GAMES
from games.core import (
    DRAW,
    RESIGN,
    SEATS,
    Game,
    IllegalOption,
    IllegalOrder,
    Order,
    Outcome,
    Seat,
    Sentence,
    Setup,
    State,
    check_turn,
    play_turn,
    seat_letters,
)

FORMAT = "robosite/1"
REQUIRED = ("format", "game", "seats", "turns")
LONGEST = 4_000_000
"""The maximum length, in characters, of a single record that is spread over several lines."""

MARK = "\ufeff"
"""The byte-order mark that some editors put at the beginning of a text file."""


class Fault(Exception):
    """Raised for a fault in a record.

    `turn` counts from 0, and is None for a fault in the head; `seat` is the seat at fault, if there is one.
    """

    def __init__(
        self, template: str | Sentence, turn: int | None = None, seat: str | None = None, **facts: object
    ) -> None:
        self.sentence = template if isinstance(template, Sentence) else Sentence(template, **facts)
        self.turn, self.seat = turn, seat
        super().__init__(str(self.sentence))

    def as_json(self) -> dict[str, Any]:
        return {"turn": self.turn, "seat": self.seat, "message": str(self)}


@dataclass(frozen=True, slots=True)
class Record:
    """A record of which all but the turns has been checked; `rest` is the whole record as it was given."""

    game: Game
    options: Any
    seats: tuple[Seat, ...]
    setup: Setup
    turns: list[Any]
    rest: Mapping[str, Any] = field(default_factory=dict)

    def start(self) -> State:
        return self.game.state.start(self.options, len(self.seats), self.setup)


@dataclass(slots=True)
class Replay:
    """The result of replaying a record; `positions` are texts up to the first fault, if asked for."""

    positions: list[str] = field(default_factory=list)
    outcome: Outcome | None = None
    fault: Fault | None = None
    record: Record | None = field(default=None, compare=False, repr=False)
    """The record with its head checked; None if the head is faulty."""
    states: list[State] = field(default_factory=list, compare=False, repr=False)
    """The position at the start of each turn that was replayed, and the last position."""

    def as_json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "positions": self.positions,
            "outcome": self.outcome and self.outcome.as_json(),
        }
        if self.fault:
            shown["error"] = self.fault.as_json()
        return shown


def seal(match: str, turn: int, seat: str, nonce: str, order: Order) -> str:
    """Returns the seal of an order (docs/record.md) in lower-case hexadecimal digits."""
    text = f"robosite-seal/1\n{match}\n{turn}\n{seat}\n{nonce}\n{order}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def write(
    game: Game, options: Any, seats: int, setup: Setup, turns: list[dict[Seat, Order]], **rest: Any
) -> dict[str, Any]:
    """Returns a match's record as JSON data, with further keys in `rest`."""
    return {
        "format": FORMAT,
        "game": game.slug,
        "rules": game.rules,
        "options": game.write_options(options),
        "seats": list(seat_letters(seats)),
        "setup": setup,
        "turns": turns,
        **rest,
    }


def load(text: str) -> Any:
    """Parses a JSON text, which may begin with a byte-order mark; raises Fault if it is not JSON."""
    try:
        return json.loads(text.removeprefix(MARK), parse_constant=refuse_constant)
    except RecursionError:
        raise Fault("This is not JSON that can be read: it is nested too deeply.") from None
    except ValueError as fault:
        raise Fault("This is not JSON: {fault}.", fault=str(fault)) from None


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def read(data: Any) -> Record:
    """Checks all of a record but its turns, and returns it; raises Fault for the first fault."""
    if not isinstance(data, dict):
        raise Fault("A match file is a JSON object.")
    for key in REQUIRED:
        if key not in data:
            raise Fault("The match file has no “{key}”.", key=key)
    if data["format"] != FORMAT:
        raise Fault("The match file’s format is not “{format}”.", format=FORMAT)
    game = _game(data["game"], data.get("rules", 1))
    options, setup = data.get("options", {}), data.get("setup", {})
    for name, value in (("options", options), ("setup", setup)):
        if not isinstance(value, dict):
            raise Fault("“{key}” is not an object.", key=name)
    seats = data["seats"]
    if not isinstance(seats, list) or not seats or seats != list(SEATS[: len(seats)]):
        raise Fault("“seats” is not the list of seat letters from A on.")
    if not isinstance(data["turns"], list):
        raise Fault("“turns” is not a list.")
    try:
        chosen = game.read_options(options)
        game.check_seats(chosen, len(seats))
        game.check_setup(chosen, len(seats), setup)
    except IllegalOption as fault:
        raise Fault(fault.sentence) from None
    return Record(
        game=game,
        options=chosen,
        seats=seat_letters(len(seats)),
        setup=setup,
        turns=data["turns"],
        rest=data,
    )


def _game(slug: Any, rules: Any) -> Game:
    if not isinstance(slug, str) or slug not in GAMES:
        raise Fault("“game” is none of {games}.", games=", ".join(GAMES))
    if type(rules) is not int or rules not in GAMES[slug]:
        raise Fault("“rules” is no version of {game} that is known here.", game=slug)
    return GAMES[slug][rules]


def replay(data: Any, *, told: bool = True) -> Replay:
    """Replays a record (JSON data) up to its first fault; positions are written only if `told`."""
    shown = Replay()
    for _ in replay_turns(data, shown, told=told):
        pass
    return shown


def replay_turns(data: Any, shown: Replay, *, told: bool = True) -> Iterator[None]:
    """Replays a record into `shown`, an empty `Replay`, and yields after each turn, to pause the work."""
    try:
        record = shown.record = read(data)
        state = record.start()
        shown.states.append(state)
        if told:
            shown.positions.append(state.position())
        for number, turn in enumerate(record.turns):
            for position_after in _checked(state, number, turn):
                if told and position_after.tick:
                    shown.positions.append(position_after.position())
                state = position_after
            shown.states.append(state)
            shown.outcome = state.outcome()
            yield
        yield from _check_seals(record)
        _check_result(record, shown.outcome)
    except Fault as fault:
        shown.fault = fault


def _checked(state: State, number: int, turn: Any) -> Iterable[State]:
    if state.outcome():
        raise Fault("The match is over before this turn.", number)
    if not isinstance(turn, dict):
        raise Fault("A turn is an object that maps seats to orders.", number)
    try:
        check_turn(state, turn)
    except IllegalOrder as fault:
        raise Fault(fault.sentence, number, fault.seat) from None
    return play_turn(state, {Seat(seat): order for seat, order in turn.items()})


def _check_seals(record: Record) -> Iterator[None]:
    if "seals" not in record.rest:
        return
    seals, match = record.rest["seals"], record.rest.get("match")
    if not isinstance(match, str):
        raise Fault("The match file has “seals”, but “match” is not text.")
    if not isinstance(seals, list) or len(seals) != len(record.turns):
        raise Fault("“seals” is not a list with one object a turn.")
    for number, (sealed, turn) in enumerate(zip(seals, record.turns, strict=True)):
        orders = {seat: order for seat, order in turn.items() if order not in (RESIGN, DRAW)}
        if not _is_seals(sealed, orders):
            raise Fault(
                "The seals of a turn are a seal and a nonce, 64 hex digits each, for every order in it.", None
            )
        for seat in sorted(orders):
            given = sealed[seat]
            order = orders[seat]
            if seal(match, number, seat, nonce=given["nonce"], order=order) != given["seal"]:
                raise Fault("The seal does not open to this order.", number, seat)
        yield


def _is_seals(sealed: Any, orders: Mapping[str, Order]) -> bool:
    return (
        isinstance(sealed, dict)
        and sealed.keys() == orders.keys()
        and all(
            isinstance(one, dict) and _is_hex(one.get("seal")) and _is_hex(one.get("nonce"))
            for one in sealed.values()
        )
    )


def _is_hex(text: Any) -> bool:
    return isinstance(text, str) and len(text) == 64 and set(text) <= set(hexdigits)


def _check_result(record: Record, outcome: Outcome | None) -> None:
    if "result" not in record.rest:
        return
    result, reached = record.rest["result"], outcome.as_json() if outcome else None
    if not _same_result(result, reached):
        raise Fault(
            "The match file’s result is not the one that its turns lead to: {result}.",
            result=json.dumps(reached),
        )


def _same_result(result: Any, reached: dict[str, Any] | None) -> bool:
    if result is None or reached is None:
        return result is reached
    if (
        not isinstance(result, dict)
        or result.keys() != reached.keys()
        or result["reason"] != reached["reason"]
    ):
        return False
    scores, right = result["scores"], reached["scores"]
    return (
        isinstance(scores, dict)
        and scores.keys() == right.keys()
        and all(
            type(s) in (int, float) and -1 < s < 2 and abs(s - right[seat]) <= 1e-9
            for seat, s in scores.items()
        )
    )


def replay_lines(lines: Iterable[str]) -> Iterator[Replay]:
    """Yields the replay of each record in JSON Lines, or of one record of several lines, LONGEST at most."""
    rest = (line for line in lines if line.removeprefix(MARK).strip())
    first = next(rest, None)
    if first is None:
        return
    try:
        load(first)
        held = [first]
    except Fault:
        held, size = [first], len(first)
        for line in rest:
            held.append(line)
            size += len(line)
            if size > LONGEST:
                break
        else:
            if len(held) > 1:
                try:
                    data = load("".join(held))
                except Fault:
                    pass
                else:
                    yield replay(data)
                    return
    for line in held:
        yield _replay_line(line)
    for line in rest:
        yield _replay_line(line)


def _replay_line(line: str) -> Replay:
    try:
        return replay(load(line))
    except Fault as fault:
        return Replay(fault=fault)
