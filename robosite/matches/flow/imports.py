"""The import of records as matches: replayed, checked, shown like others, but without links or holds."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cachetools import LRUCache
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import Model
from django.utils import timezone

from games.core import Seat as Letter
from games.core import Sentence
from games.record import Fault, Record, Replay, load, replay, replay_turns
from robosite.matches import history, locks
from robosite.matches.models import Match, Program, Seat
from robosite.people.names import RefusedName, clean_name, given_by_site
from robosite.web import later

LONGEST = 60_000
"""The most characters of a record that is pasted to be imported (of bytes over the API)."""
MOST_TURNS = 2_000
MOST_ORDERS = 4_000
"""The most orders of a record, each of which becomes a table row."""

STEP = 200
"""Turns that are replayed in one step, if a request waits for a replay (`web/later.py`)."""
AS_THEY_ARE = frozenset((str, int))
"""Types whose values are passed to the database unchanged, whatever the column."""
AHEAD = 4
"""The most replays of records that a process caches until the records are imported."""

_ahead: LRUCache[str, Replay] = LRUCache(AHEAD)


def read_text(text: str) -> Any:
    """Parses a pasted record; raises Fault if too long (CR LF counts once), no JSON, or not encodable."""
    text = text.replace("\r\n", "\n")
    if len(text) > LONGEST:
        raise Fault(
            "This file has {n} characters; at most {most} can be imported. It may fit without its “seals”.",
            n=len(text),
            most=LONGEST,
        )
    data = load(text)
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Fault("This file has characters that aren’t text.") from None
    return data


def import_record(data: Any) -> Match:
    """Creates a match from a record, whose seals are checked, but not stored; raises its first Fault."""
    _check_size(data)
    shown = _ahead.pop(_digest(data), None) or replay(data, told=False)
    if shown.fault:
        raise shown.fault
    assert shown.record
    return _keep(shown, shown.record, _names(shown.record))


def should_replay_ahead(data: Any) -> bool:
    turns = data.get("turns") if isinstance(data, dict) else None
    long = isinstance(turns, list) and STEP < len(turns) <= MOST_TURNS
    return long and later.can_wait() and _digest(data) not in _ahead


def replay_ahead(data: Any) -> None:
    """Replays a record in steps, before its import (by raising Later), and caches the result."""
    later.do_in_steps(_steps(data, _digest(data)))


def _steps(data: Any, digest: str) -> Iterator[None]:
    shown = Replay()
    for number, _ in enumerate(replay_turns(data, shown, told=False), 1):
        if number % STEP == 0:
            yield
    _ahead[digest] = shown


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


def _check_size(data: Any) -> None:
    turns = data.get("turns") if isinstance(data, dict) else None
    if isinstance(turns, list) and len(turns) > MOST_TURNS:
        raise Fault("This file has {n} turns; at most {most} can be imported.", n=len(turns), most=MOST_TURNS)
    orders = sum(len(turn) for turn in turns or () if isinstance(turn, dict))
    if orders > MOST_ORDERS:
        raise Fault("This file has {n} orders; at most {most} can be imported.", n=orders, most=MOST_ORDERS)


def _names(record: Record) -> dict[str, str]:
    """The names in a record by seat, normalized; an empty one stays empty. Raises Fault."""
    given = record.rest.get("names", {})
    if not isinstance(given, dict) or not set(given) <= set(record.seats):
        raise Fault("“names” isn’t an object that maps seats to names.")
    names: dict[str, str] = {}
    for seat, name in sorted(given.items()):
        if not isinstance(name, str):
            raise Fault("A name must be text.", None, seat)
        try:
            names[seat] = _name(name, seat, names.values()) if name else ""
        except RefusedName as refusal:
            raise Fault(Sentence("{why}", why=str(refusal)), None, seat) from None
    return names


def _name(name: str, seat: str, others: Iterable[str]) -> str:
    return given_by_site(name, others) if name == f"Player {seat}" else clean_name(name, others)


def _keep(shown: Replay, record: Record, names: dict[str, str]) -> Match:
    now, outcome = timezone.now(), shown.outcome
    with transaction.atomic():
        match = Match.objects.create(
            game_slug=record.game.slug,
            rules=record.game.rules,
            given_options=record.game.write_options(record.options),
            setup=record.setup,
            status=Match.Status.OVER if outcome else Match.Status.ABORTED,
            turn=len(record.turns),
            outcome_json=outcome.as_json() if outcome else None,
            to_act="",
            imported=True,
        )
        with locks.inside(match.pk):  # nobody else can see it yet
            seats = {
                seat: Seat(match=match, letter=seat, name=names.get(seat, ""), taken_at=now)
                for seat in record.seats
            }
            Seat.objects.bulk_create(seats.values())
            keys = {letter: seat.pk for letter, seat in seats.items()}
            insert_rows(
                Program,
                ("seat_id", "turn", "order"),
                [
                    (keys[letter], number, order)
                    for number, turn in enumerate(record.turns)
                    for letter, order in turn.items()
                ],
            )
            history.keep(match, [_turn(turn) for turn in record.turns], shown.states)
    return match


def _turn(turn: dict[str, str]) -> history.Turn:
    return {Letter(letter): order for letter, order in turn.items()}


def insert_rows(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Inserts many rows at once, without instances and signals; columns not in `names` get their defaults."""
    if model._meta.parents:
        raise TypeError(f"{model.__name__} has parents: save it plainly.")
    here = connections[DEFAULT_DB_ALIAS]
    fields: dict[str, Any] = {
        field.attname: field for field in model._meta.concrete_fields if not field.primary_key
    }
    usual = {name: field.get_db_prep_save(field.get_default(), here) for name, field in fields.items()}
    given = [fields[name] for name in names]
    rest = [value for name, value in usual.items() if name not in names]
    columns = [*names, *(name for name in usual if name not in names)]
    values = [
        [
            value if value is None or type(value) in AS_THEY_ARE else field.get_db_prep_save(value, here)
            for field, value in zip(given, row, strict=True)
        ]
        + rest
        for row in rows
    ]
    quote: Any = here.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(quote(fields[name].column) for name in columns)})"
    with here.cursor() as cursor:
        marks = ", ".join(["%s"] * len(columns))
        cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", values)  # noqa: S608
