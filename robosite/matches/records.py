"""The record of a match on this site (docs/record.md), which anybody can download and check."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

from games import record
from games.core import State, seat_letters
from robosite.matches.flow import Refused
from robosite.matches.history import state_of, turns_of
from robosite.matches.models import Match, Program
from robosite.web.caches import once_made
from robosite.web.written_names import FORGOTTEN


class Ready(NamedTuple):
    """Marks `text` as JSON that is already serialized, so that it is not encoded again."""

    text: str


Style = Callable[[dict[str, Any]], str]


def record_text(match: Match, style: Style) -> Ready:
    key = ("record", match.key, style, match.taken_back, match.turn, match.status, repr(_rest(match)))
    return once_made(key, lambda: Ready(style(record_of(match))), lambda ready: len(ready.text))


def record_of(match: Match) -> dict[str, Any]:
    """All turns with their seals, as JSON data; raises Refused while the rules still hide a played order."""
    turns = turns_of(match)[: match.turn]
    if is_hidden(match):
        raise Refused(
            "Some of what was played stays secret until the match is over. The match file will be here then."
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


def is_hidden(match: Match) -> bool:
    """Returns True while the rules of the game still hide a played order, so that there is no record."""
    state = state_of(match)
    return any(
        state.conceals(n, seat) for n, turn in enumerate(turns_of(match)[: match.turn]) for seat in turn
    )


def digest_of(match: Match, state: State) -> str:
    """A hash of position and result, as `referee/worker.js` computes it; "" while there is no record."""
    if is_hidden(match):
        return ""
    outcome = match.outcome
    scores = sorted(outcome.scores.items()) if outcome else []
    line = " ".join([outcome.reason, *(f"{seat}={score:.6f}" for seat, score in scores)]) if outcome else ""
    return sha256(f"{state.view(None).position()}\n{line}".encode()).hexdigest()[:32]


def _rest(match: Match) -> dict[str, Any]:
    names = {seat.letter: "" if seat.name == FORGOTTEN else seat.name for seat in match.seats.all()}
    imported = {"imported": True} if match.imported else {}
    return {"names": names, **imported, **({"result": match.outcome_json} if match.outcome_json else {})}
