"""The record of a match on this site (docs/record.md), which anybody can download and check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from games import record
from games.core import seat_letters
from robosite.matches.flow import Refused
from robosite.matches.history import state_of, turns_of
from robosite.matches.models import FORGOTTEN, Match, Program
from robosite.web.caches import BoundedCache

KEPT_CHARACTERS = 32 * 1024 * 1024
"""The maximum number of characters of JSON text that a process caches, in all records together."""


class Ready(NamedTuple):
    """A wrapper that marks `text` as JSON that is already serialized, so that it is not encoded again."""

    text: str


Style = Callable[[dict[str, Any]], str]
_kept: BoundedCache[tuple[str, Style], tuple[object, Ready]] = BoundedCache(
    KEPT_CHARACTERS, lambda entry: len(entry[1].text)
)


def record_text(match: Match, style: Style) -> Ready:
    """Returns the record (the whole match, for replaying) as JSON text; it is cached until it changes.

    `style` is the function that turns the record into text. Raises Refused while the rules of the game still
    hide a played order.
    """
    rest = _rest(match)
    key = (match.key, style)
    version = (match.taken_back, match.turn, match.status, rest)
    before = _kept.get(key)
    if before and before[0] == version:
        return before[1]
    text = Ready(style(record_of(match)))
    _kept[key] = version, text
    return text


def record_of(match: Match) -> dict[str, Any]:
    """Returns the record (all turns played, with their seals, for replaying the match) as JSON data.

    If the match was imported, the record has no key and no seals. Raises Refused while the rules of the game
    still hide a played order.
    """
    turns = turns_of(match)[: match.turn]
    state = state_of(match)
    if any(state.conceals(n, seat) for n, turn in enumerate(turns) for seat in turn):
        raise Refused(
            "Some of what was played stays secret until the match is over. The record will be here then."
        )
    seals: list[dict[str, Any]] = [{} for _ in turns]
    programs = Program.objects.filter(seat__match=match, turn__lt=match.turn).exclude(seal="")
    rows = programs.order_by("seat__letter").values_list(
        "turn", "seat__letter", "seal", "nonce", "by", "by_version"
    )
    for turn, letter, seal, nonce, by, version in rows:
        given = {key: value for key, value in (("by", by), ("version", version)) if value}
        seals[turn][letter] = {"seal": seal, "nonce": nonce, **given}
    rest = _rest(match)
    if not match.imported:  # the seals of another match open only with its key
        rest = {"match": match.key, "names": rest.pop("names"), "seals": seals, **rest}
    letters = seat_letters(match.seats.count())
    return record.write(match.game, match.options, len(letters), setup=match.setup, turns=turns, **rest)


def _rest(match: Match) -> dict[str, Any]:
    """Returns the entries of a match's record besides its turns: names, result, and a mark if imported.

    The name of a player whose data were erased is empty, so that the record can be imported. A match without
    an outcome has no result in its record.
    """
    names = {seat.letter: "" if seat.name == FORGOTTEN else seat.name for seat in match.seats.all()}
    imported = {"imported": True} if match.imported else {}
    return {"names": names, **imported, **({"result": match.outcome_json} if match.outcome_json else {})}
