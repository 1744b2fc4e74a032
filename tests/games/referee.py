"""The second referee (static/js/referee), in V8, and records to hold it against the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from py_mini_racer import MiniRacer

from games import newest, record
from games.core import IllegalOrder, Seat, check_turn, play_turn
from robosite.share.referee import bundle

JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 8, 8.0, 1.5, 2**70, "", "A", "B", "draw", "resign", "swap", "d4", "-"),
    *("X X X X X", "R R R R R", "c2-c3", "ga(d)/(e)[i]h/c(b)(f)", "a1", "a10", "robosite/1", [], {}, ["A"]),
    *(["a1", "a2"], ["a1", "f1"], ["a1", "a3"], {"A": "draw"}, {"seal": "0" * 64, "nonce": "0" * 64}),
)
POSITIONS = Path(__file__).with_name("positions.js")
SIGNS = ("", "x", " ", "a", "1", "9", "F", "^", "+", "-", ";", "/", "(", ".", "L", "h", "\u0663")


@cache
def _v8() -> MiniRacer:
    return second_referee(bundle())


def second_referee(script: str) -> MiniRacer:
    """An engine with the second referee, from its bundled script, and with `positions.js`."""
    racer = MiniRacer()
    racer.eval(script.replace("return $record;", "return { ...$rules, ...$record };"))
    racer.eval(POSITIONS.read_text(encoding="utf-8"))
    return racer


class Case:
    """A position from which both referees play on, and what the rules make of it.

    `play` and `expect` note what the second referee is to find; `agree` asks it for many cases at once.
    """

    def __init__(self, slug: str, state: Any, options: Mapping[str, Any], setup: Any = None) -> None:
        self.state = state
        self.asked: dict[str, Any] = {
            "game": slug,
            "options": options,
            "seats": state.seats,
            "setup": setup or {},
            "position": state.position(),
            "questions": [],
            "turns": [],
        }
        self.found: dict[str, Any] = {"start": state.position(), "answers": [], "played": [], "outcome": None}

    def expect(self, answer: Any, question: str, *given: Any) -> None:
        """Notes the answer to one of the questions of `positions.js`, about the position before the turns."""
        self.asked["questions"].append([question, *given])
        self.found["answers"].append(answer)

    def play(self, orders: Mapping[Any, str]) -> Any:
        """The state after this turn, which must be legal."""
        check_turn(self.state, orders)
        states = list(play_turn(self.state, {Seat(seat): order for seat, order in orders.items()}))
        self.state = states[-1]
        positions = [state.position() for state in states if state.tick]
        shots = [event for event in self.state.events if event["kind"] == "shot"]  # only Roboxing has any
        hits = {event["by"]: event["hit"] for event in shots}
        self.asked["turns"].append(orders)
        self.found["played"].append({"positions": positions, "hits": hits})
        if outcome := self.state.outcome():
            self.found["outcome"] = {"scores": outcome.scores, "reason": outcome.reason}
        return self.state


def agree_on(cases: Iterable[Case]) -> None:
    left = iter(cases)
    while some := list(islice(left, 100)):
        answers = found_by(_v8(), "from", [case.asked for case in some])
        for case, answer in zip(some, answers, strict=True):
            assert answer == json.loads(json.dumps(case.found)), json.dumps(case.asked)


def found_by(racer: MiniRacer, function: str, given: Sequence[Any], *, seconds: float = 120) -> list[Any]:
    """What a function of the second referee or of `positions.js` returns for each of these."""
    texts = json.dumps(json.dumps(given))
    script = f"JSON.stringify(JSON.parse({texts}).map((one) => {function}(one)))"
    said = racer.eval(script, timeout_sec=seconds)
    return list(json.loads(str(said)))


def is_legal(state: Any, seat: Any, order: str) -> bool:
    try:
        return bool(state.check(seat, order) == order)
    except IllegalOrder:
        return False


def call(function: str, data: dict[str, Any]) -> dict[str, Any]:
    """The result of `replay` or `check` for this record, without the message of an error."""
    return call_text(function, json.dumps(data))


def call_text(function: str, text: str) -> dict[str, Any]:
    said = _v8().eval(f"Promise.resolve(referee.{function}({json.dumps(text)})).then(JSON.stringify)")
    found: dict[str, Any] = json.loads(str(said.get(timeout=60)))
    found.get("error", {}).pop("message", None)
    return found


def by_the_rules(data: dict[str, Any]) -> dict[str, Any]:
    """The same of `manage.py replay`."""
    shown = record.replay(data).as_json()
    if "error" in shown:
        shown["error"].pop("message")
    return json.loads(json.dumps(shown))


def match(slug: str, rng: Random, most: int) -> dict[str, Any]:
    """The record of a random match with options by chance, resignations and draws; half of them sealed."""
    game = newest(slug)
    given = {
        one.name: rng.choice(one.metadata["values"]) for one in fields(game.options) if rng.random() < 0.5
    }
    options = game.read_options(given)
    seats = rng.choice(list(game.seats(options)))
    setup = game.draw(options, seats, rng, {})
    if slug == "robosoccer" and rng.random() < 0.3:
        setup = board(rng, custom=bool(setup))
    state = game.state.start(options, seats, setup)
    turns: list[dict[str, str]] = []
    while state.outcome() is None and len(turns) < most:
        turns.append(_turn(state, rng))
        *_, state = [state, *play_turn(state, turns[-1])]  # type: ignore[arg-type]
    data: dict[str, Any] = json.loads(json.dumps(record.write(game, options, seats, setup, turns)))  # type: ignore[arg-type]
    return sealed(data, rng) if rng.random() < 0.5 else data


def board(rng: Random, *, custom: bool) -> dict[str, Any]:
    columns, rows = rng.randint(6, 9), rng.randint(4, 9)
    names = [[f"{'abcdefghi'[x]}{y + 1}" for y in range(rows)] for x in range(columns)]
    edges = [[names[x][y], names[(x + 1) % columns][y]] for x in range(columns) for y in range(rows)]
    edges += [[names[x][y], names[x][y + 1]] for x in range(columns) for y in range(rows - 1)]
    edges = [rng.sample(edge, 2) for edge in rng.sample(edges, 24)]
    given = {"name": "", "columns": columns, "rows": rows, "lines": edges[:8], "arrows": edges[8:18]}
    fixed = {"fixed_arrows": edges[18:]} if rng.random() < 0.5 else {}
    return {"board": given | fixed} | ({"arrows": "".join(rng.choices("+-", k=10))} if custom else {})


def _turn(state: Any, rng: Random) -> dict[str, str]:
    turn = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
    still_in = sorted(state.still_in())
    if rng.random() < 0.01:
        return dict.fromkeys(still_in, "draw")
    leaving = [seat for seat in still_in if rng.random() < 0.01]
    if len(still_in) - len(leaving) < 2 and leaving:
        return dict.fromkeys(leaving, "resign")
    return turn | dict.fromkeys(leaving, "resign")


def sealed(data: dict[str, Any], rng: Random) -> dict[str, Any]:
    seals = []
    for number, turn in enumerate(data["turns"]):
        nonces = {
            seat: f"{rng.getrandbits(256):064x}" for seat in turn if turn[seat] not in ("resign", "draw")
        }
        seals.append(
            {
                seat: {"seal": record.seal("abcdefghjkmn", number, seat, nonce, turn[seat]), "nonce": nonce}
                for seat, nonce in nonces.items()
            }
        )
    return {**data, "match": "abcdefghjkmn", "seals": seals}


def broken(data: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The record with one or two values taken out, replaced or misspelt."""
    data = json.loads(json.dumps(data))
    for _ in range(rng.choice((1, 1, 2))):
        holders = list(_holders(data))
        shallow = [one for one in holders if one[2] < 2]
        holder, key, _depth = rng.choice(shallow if rng.random() < 0.4 else holders)
        rng.choice((_drop, _replace, _misspell, _shuffle, _add))(holder, key, rng)
    return data


def _holders(value: Any, depth: int = 0) -> Iterator[tuple[Any, Any, int]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key, depth
        yield from _holders(value[key], depth + 1)


def _drop(holder: Any, key: Any, rng: Random) -> None:
    holder.pop(key)


def _replace(holder: Any, key: Any, rng: Random) -> None:
    holder[key] = rng.choice(JUNK)


def _misspell(holder: Any, key: Any, rng: Random) -> None:
    if isinstance(text := holder[key], str) and text:
        at = rng.randrange(len(text))
        holder[key] = text[:at] + rng.choice(SIGNS) + text[at + 1 :]


def _shuffle(holder: Any, key: Any, rng: Random) -> None:
    if isinstance(text := holder[key], str):
        words = text.split(" ")
        rng.shuffle(words)
        holder[key] = " ".join(words)


def _add(holder: Any, key: Any, rng: Random) -> None:
    if isinstance(holder, dict):
        holder[rng.choice(("A", "C", "Z", "name", "board", "arrows", "rules", "result"))] = rng.choice(JUNK)
    else:
        holder.insert(key, rng.choice(holder))
