"""Pairs of worlds that differ in one sealed order, draft or layout, in all games: the same for all others.

A match is played on by chance, and before each turn one seat's secret is given in two ways. Everybody else,
and who watches, asks for pages and the API in both. A few pairs run with the other tests; PAIRS=10000
compares so many (`make pairs N=10000 SEED=1`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction

from games import GAMES, newest
from games.core import seat_letters
from robosite.matches import flow
from robosite.matches.history import _kept, state_of
from robosite.matches.models import Match, Seat
from robosite.play.film import rendered_turns
from robosite.share.pictures import drawn_files
from tests.games.cases import size
from tests.site.browsers import Browser
from tests.site.fuzzing import note
from tests.site.routes import HTMX

PAIRS = int(os.environ.get("PAIRS", size("4", "12")))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
TURNS = 8
"""The number of turns that are played of a match, before another one comes."""
pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(12 * 3600 if PAIRS > 100 else 900)]

Does = Callable[[Seat, int], None]


@dataclass
class Party:
    """A match with its people, each in a browser, and their tokens."""

    key: str
    browsers: dict[str, Browser]
    tokens: dict[str, str]

    @property
    def match(self) -> Match:
        return Match.objects.get(key=self.key)

    def seat(self, letter: str) -> Seat:
        return Seat.objects.select_related("match").get(match__key=self.key, letter=letter)


def sit_down(game: str, rng: Random) -> Party:
    """A table of this game, in one of its presets or as it is by default."""
    known = newest(game)
    preset = rng.choice([*known.presets.values(), None])
    options = known.read_options(preset.options if preset else {})
    seats = rng.choice(list(preset.seats if preset else known.seats(options)))
    match, taken, invite = flow.create(known, options, seats, "Alice")
    people = {"A": taken.secret}
    names = {"B": "Bob", "C": "Charlie", "D": "Dora", "E": "Erin", "F": "Frank", "G": "Grace", "H": "Heidi"}
    for letter in seat_letters(seats)[1:]:
        people[letter] = flow.join(match, names[letter], invite=invite).secret
    browsers = {"": Browser("")}
    for at, secret in people.items():
        browsers[at] = Browser(at)
        assert browsers[at].post(f"/s/seat/{secret}/take/").status_code == 302
    return Party(match.key, browsers, people)


def told(party: Party, same: Callable[[str], None], whose: str) -> dict[tuple[str, str], Any]:
    """The answers to the others, and to somebody who only watches."""
    heard = {}
    for letter, browser in party.browsers.items():
        if letter == whose:
            continue
        page = f"/m/{party.key}/{letter}/" if letter else f"/m/{party.key}/"
        token = {"Authorization": f"Bearer {party.tokens[letter]}"} if letter else {}
        for path, headers in (
            (page, HTMX),
            (f"/api/v1/matches/{party.key}", token),
            (f"/m/{party.key}/version/", {}),
            *([(page, {}), (f"/m/{party.key}/record/", {})] if not letter else []),
        ):
            same(f"{letter} {path}")
            before = browser.cookies.copy()
            answer = browser.get(path, headers=headers)
            browser.cookies = before  # type: ignore[assignment]
            cookies = sorted(one.OutputString() for one in answer.cookies.values())
            all_of_it = answer.status_code, sorted(answer.items()), cookies, answer.content
            heard[letter, f"{path} {headers}"] = all_of_it
    return heard


def both(party: Party, same: Callable[[str], None], whose: str, ways: tuple[Does, Does]) -> bool:
    """Compares what others are told when a seat's secret is given in the one way and in the other."""
    answers = []
    for does in ways:
        with transaction.atomic():
            same("world")
            does(party.seat(whose), party.match.turn)
            answers.append(told(party, same, whose))
            transaction.set_rollback(True)
        for kept in (_kept, rendered_turns):
            kept.clear()
        drawn_files.clear()
    one, other = answers
    assert one.keys() == other.keys() and len(one) > 5
    for where, answer in one.items():
        assert answer == other[where], (party.match.game_slug, party.match.turn, whose, where)
    assert all(answer[0] in (200, 409) for answer in one.values())
    return True


def pairs(party: Party, rng: Random) -> Iterator[tuple[str, str, tuple[Does, Does]]]:
    """Kinds of secrets of the present turn: the kind, the seat, and two ways to give it."""
    match = party.match
    turn, state = match.turn, state_of(match)
    owing = flow.owing(match)
    if len(owing) < 2:
        whose = owing[0]
        orders = [state.view(whose).sample(whose, rng) for _ in range(2)]
        yield "draft", whose, (drafts(orders[0]), drafts(orders[1] + " " + orders[0]))
        return
    whose = rng.choice(owing)
    one, other = two(state.view(whose), whose, rng)
    yield "order", whose, (seals(one), seals(other))
    yield "draft", whose, (drafts(one), drafts((other + " ") * 3))
    yield "order and draft before it", whose, (seals(one, other), seals(other, one))
    rest: dict[Any, str] = {at: state.view(at).sample(at, rng) for at in owing if at != whose}
    ends = [after(state, {**rest, whose: order}) for order in (one, other)]
    shown = {end.view(None).position() for end in ends}  # where a part of an order is played, that part shows
    if turn == 0 and len(shown) == 1 and all(end.conceals(0, whose) for end in ends):
        yield "layout", whose, (plays(party, rest, one), plays(party, rest, other))


def two(view: Any, whose: str, rng: Random) -> tuple[str, str]:
    one = other = view.sample(whose, rng)
    for _ in range(20):
        other = view.sample(whose, rng)
        if other != one:
            break
    return one, other


def after(state: Any, orders: dict[Any, str]) -> Any:
    *_, last = state.play(orders)
    return last


def drafts(text: str) -> Does:
    return lambda seat, turn: flow.draft(seat, turn, text[: state_of(seat.match).max_order_length(seat.at)])


def seals(order: str, before: str = "") -> Does:
    def does(seat: Seat, turn: int) -> None:
        if before:
            flow.seal(seat, turn, before)
        flow.seal(seat, turn, order)

    return does


def plays(party: Party, rest: dict[Any, str], order: str) -> Does:
    """All seal, so the turn is played; what this seat played stays secret."""

    def does(seat: Seat, turn: int) -> None:
        flow.seal(seat, turn, order)
        for letter, one in rest.items():
            flow.seal(party.seat(letter), turn, one)
        assert party.match.turn == turn + 1

    return does


@pytest.mark.parametrize("game", GAMES)
def test_others_are_told_the_same_whatever_is_sealed(same: Callable[[str], None], game: str) -> None:
    rng = Random(f"{game} {SEED}")
    counted: Counter[str] = Counter()
    wanted = max(1, PAIRS // len(GAMES))
    number = 0
    while counted.total() < wanted:
        number += 1
        with transaction.atomic():
            same(f"{game} {SEED} {number}")
            party = sit_down(game, rng)
            for _ in range(TURNS):
                if party.match.status != Match.Status.PLAYING or counted.total() >= wanted:
                    break
                for kind, whose, ways in pairs(party, rng):
                    counted[kind] += both(party, same, whose, ways)
                match = party.match
                state = state_of(match)
                for letter in flow.owing(match):
                    flow.seal(party.seat(letter), match.turn, state.view(letter).sample(letter, rng))
            transaction.set_rollback(True)
        _kept.clear()
    note(f"pairs of {game} on {connection.vendor}: {counted.total()} in {number} matches: {dict(counted)}")
