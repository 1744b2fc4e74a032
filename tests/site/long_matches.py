"""Long matches, as programs play them: made at once, since playing them takes minutes."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from games import newest, record
from games.core import State, play_turn
from robosite.matches import locks
from robosite.matches.models import Match, Program
from robosite.matches.seals import new_nonce

TURNS = 1314
HARMLESS = {"pigs": "TL TR TL TR TL"}
"""Orders that may be given again and again without an end of the match, where chance soon leads to one."""


@cache
def long_record(slug: str = "pigs", turns: int = TURNS, *, over: bool = True) -> dict[str, Any]:
    """The record of a match between two that takes so many turns; `over` by a resignation after them."""
    game = newest(slug)
    options, rng = game.read_options({}), Random(3)
    state: State = game.state.start(options, 2, game.draw(options, 2, rng, {}))
    played: list[dict[Any, str]] = []
    while len(played) < turns:
        orders = {seat: HARMLESS.get(slug) or state.sample(seat, rng) for seat in sorted(state.to_act())}
        *_, after = play_turn(state, orders)
        if after.outcome() is None:
            state = after
            played.append(orders)
    if over:
        played.append({"A": "resign"})
    return record.write(game, options, 2, setup={}, turns=played)


def lengthen(match: Match, turns: int = TURNS) -> None:
    """Has a match of two that has begun, and in which nobody has moved, played so many turns."""
    nonce = new_nonce()
    seats = {seat.letter: seat for seat in match.seats.all()}
    played = long_record(match.game_slug, turns, over=False)["turns"]
    with locks.locked(match.pk):
        Program.objects.bulk_create(
            Program(
                seat=seats[at],
                turn=n,
                order=order,
                nonce=nonce,
                seal=record.seal(match.key, n, at, nonce=nonce, order=order),
            )
            for n, turn in enumerate(played)
            for at, order in turn.items()
        )
    Match.objects.filter(pk=match.pk).update(turn=turns)
    match.refresh_from_db()
    match.replayed = None
