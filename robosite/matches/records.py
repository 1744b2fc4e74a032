"""The record of a match on this site: what anybody may take away and check."""

from __future__ import annotations

from typing import Any

from games import record
from games.core import seat_letters
from robosite.matches.flow import Refused
from robosite.matches.history import state_of, turns_of
from robosite.matches.models import Match, Program


def record_of(match: Match) -> dict[str, Any]:
    """The record of all revealed turns with their seals; Refused while something played is secret still."""
    turns = turns_of(match)[: match.turn]
    state = state_of(match)
    if any(state.conceals(n, seat) for n, turn in enumerate(turns) for seat in turn):
        raise Refused("Some of what was played is secret until the match is over. The record is here then.")
    seals: list[dict[str, Any]] = [{} for _ in turns]
    programs = Program.objects.filter(seat__match=match, turn__lt=match.turn).exclude(seal="")
    for program in programs.select_related("seat").order_by("seat__letter"):
        shown = {"seal": program.seal, "nonce": program.nonce}
        seals[program.turn][program.seat.letter] = {**shown, "by": program.by} if program.by else shown
    rest: dict[str, Any] = {
        "match": match.key,
        "names": {seat.letter: seat.name for seat in match.seats.all()},
        "seals": seals,
    }
    if match.outcome_json:
        rest["result"] = match.outcome_json
    letters = seat_letters(match.seats.count())
    return record.write(match.game, match.options, len(letters), match.setup, turns, **rest)
