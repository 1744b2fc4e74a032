"""Long matches, leagues and guests with many matches, made at once, since to play them takes minutes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from django.db import transaction
from django.utils import timezone

from games import newest, record
from games.core import State, play_turn
from robosite.leagues import flow as leagues
from robosite.leagues.arithmetic.table import Decided
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches import locks
from robosite.matches.flow import arbiter
from robosite.matches.models import Match, Program, Seat
from robosite.matches.seals import new_nonce
from robosite.people.models import Guest, GuestFlag
from robosite.web import later
from robosite.web.link_secrets import hash_secret, new_secret


def make(places: int, organiser: Guest | None = None, **terms: Any) -> leagues.Made:
    """A league with so many places, all taken by guests, the first by the organiser."""
    game = newest("pigs")
    times = {"deadline_hours": 24, "ends_days": 60, "every_days": None, "legs": 2, **terms}
    terms = {"plays": False, "guest": organiser, "most_places": places, **times}
    made = leagues.create("Large", game, game.read_options({}), "", **terms)
    secret, names = new_secret(), [f"Dora {number}" for number in range(1, places + 1)]
    taken = Place.objects.bulk_create(
        Place(
            league=made.league,
            number=number,
            name=name,
            taken_at=timezone.now(),
            link_hash=hash_secret(secret if number == 1 else f"{made.league.key} {number}"),
        )
        for number, name in enumerate(names, 1)
    )
    guests = Guest.objects.bulk_create(Guest(name=name, flags=GuestFlag.PLACES) for name in names)
    if organiser:
        organiser.set_flag(GuestFlag.PLACES)
        guests[0] = organiser
    PlaceHold.objects.bulk_create(
        PlaceHold(place=place, guest=guest) for place, guest in zip(taken, guests, strict=True)
    )
    return replace(made, place=taken[0], token=secret)


def steps() -> Iterator[int]:
    """Does one step of the clock after the other; yields the number of matches after each."""
    while leagues.settle_some():
        yield Match.objects.count()


def begin(league: League) -> None:
    """Starts a league, and makes all matches that begin with it."""
    leagues.start(league)
    list(steps())


def sealed(seat: int, match: str, turn: int, letter: str, nonce: str, order: str) -> Program:
    seal = record.seal(match, turn, letter, nonce=nonce, order=order)
    return Program(seat_id=seat, turn=turn, order=order, nonce=nonce, seal=seal)


def end(league: League) -> None:
    """Ends a league of two at a table: in each match, A wins since B has resigned."""
    matches = Match.objects.filter(fixture__league=league)
    nonce, outcome = new_nonce(), {"scores": {"A": 1, "B": 0}, "reason": "resign"}
    leaving = Seat.objects.filter(match__in=matches, letter="B").values_list("pk", "match__key")
    with locks.all_locked(list(matches.values_list("pk", flat=True))):
        Program.objects.bulk_create(sealed(pk, key, 0, "B", nonce, "resign") for pk, key in leaving)
        matches.update(status=Match.Status.OVER, turn=1, to_act="", deadline=None, outcome_json=outcome)
    league.fixtures.update(decided=Decided.PLAY)
    League.objects.filter(pk=league.pk).update(
        status=League.Status.OVER, over_at=timezone.now(), next_round_at=None
    )


def seat(count: int, *guests: Guest) -> None:
    """Has these guests play in so many matches, all for the same seat of each."""
    game, batch = newest("pigs"), arbiter.Batch()
    entrants = [arbiter.Entrant("Zoe", Seat.Kind.HUMAN, guests), arbiter.Entrant("Yan", Seat.Kind.HUMAN, [])]
    with transaction.atomic():
        for _ in range(count):
            arbiter.begin_together(game, game.read_options({}), entrants, batch=batch)
        batch.store()
        keys = [match.pk for match in batch.matches]
        with locks.all_locked(keys):
            Match.objects.filter(pk__in=keys).update(flags=0)


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
            sealed(seats[at].pk, match.key, n, at, nonce, order)
            for n, turn in enumerate(played)
            for at, order in turn.items()
        )
    Match.objects.filter(pk=match.pk).update(turn=turns)
    match.refresh_from_db()
    match.replayed = None


def calls(work: Callable[[], object]) -> int:
    """The number of functions, Python's and C's, that `work` calls; Later counts as the end."""
    count = 0

    def note(frame: Any, event: str, what: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        with suppress(later.Later):
            work()
    finally:
        sys.setprofile(before)
    return count
