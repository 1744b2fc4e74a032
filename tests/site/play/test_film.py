"""A played turn as it is kept in memory: for all who see the same one and the same, for others their own."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.core import Seat as Letter
from games.pigs import steps
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.play.film import Film, rendered_turns, show_film
from tests.site.browsers import Browser, Table, sit_down, text

A, B = Letter("A"), Letter("B")


def seen_by(table: Table, viewer: Letter | None, turn: int) -> Film:
    return show_film(table.match, viewer, {A: "Alice", B: "Bob"}, turn=turn, at=None)


@pytest.fixture
def fresh() -> Any:
    rendered_turns.clear()
    yield
    rendered_turns.clear()


def told(film: Film, *but: str) -> list[str]:
    """The content of a film, step by step, without these parts of its drawings."""
    return [
        repr(
            (
                [(key, part) for key, part in step.drawing.items() if key not in but],
                step.sentences,
                step.words,
            )
        )
        for step in film.steps
    ] + [repr(film.rows), repr(film.otherwise)]


@pytest.mark.django_db(transaction=True)  # what is not committed is not kept
def test_a_players_own_plan_is_beside_no_steps_but_his(table: Table, fresh: None) -> None:
    table.play_some(6)
    films = {(who, turn): seen_by(table, who, turn) for turn, who in product(range(6), (A, None, B))}
    planned = {key: [step.drawing.get("planned") for step in film.steps] for key, film in films.items()}
    laid = [key for key, steps in planned.items() if any(steps)]
    assert laid and all(who for who, _turn in laid)
    for (who, turn), film in films.items():
        watched = films[None, turn]
        for mine, other, plan in zip(film.steps, watched.steps, planned[who, turn], strict=True):
            assert (mine.kept is other.kept) is (plan is None)
        assert told(film, "planned")[:-1] == told(watched, "planned")[:-1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("game", ["pigs", "roboxing", "robosoccer", "robble"])
def test_whoever_looked_before_one_sees_the_same(game: str, fresh: None) -> None:
    table = sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie"), game)
    table.play_some(4)
    for turn, who in product(range(table.match.turn), (A, B, None)):
        rendered_turns.clear()
        own = told(seen_by(table, who, turn))
        for other in (A, B, None):
            rendered_turns.clear()
            seen_by(table, other, turn)
            assert told(seen_by(table, who, turn)) == own


@pytest.mark.django_db
def test_what_is_secret_from_watchers_is_in_no_step_of_theirs(fresh: None) -> None:
    """In a fight each sees the own robot, and neither that of the other."""
    table = sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie"), "roboxing")
    rng = Random(1)
    for _ in range(3):
        match = table.match
        for letter in flow.owing(match):
            flow.seal(table.seat(letter), match.turn, state_of(match).view(letter).sample(letter, rng))
    a, b, watched = (seen_by(table, who, 1) for who in (A, B, None))
    drawings = [repr([step.drawing for step in film.steps]) for film in (a, b, watched)]
    assert len(set(drawings)) == 3
    assert not {id(step.kept) for step in a.steps} & {id(step.kept) for step in [*b.steps, *watched.steps]}


@pytest.mark.django_db
def test_the_timeline_has_what_both_did_at_each_step(table: Table) -> None:
    table.alice.seal(table.a, "F TL ^ H F")
    table.bob.seal(table.b, "TR F ^ ^ v")
    page = text(table.charlie.get(f"/m/{table.key}/"))
    (timeline,) = re.findall(r'<ol class="ticks">.*?</ol>', page, re.DOTALL)
    ticks = re.findall(r'<span class="did" aria-hidden="true">(.*?)</span> *</a>', timeline, re.DOTALL)
    told = [re.findall(r'class="side-(\w)">(?:<svg.*?href="#([\w-]+)"|(\w))', tick) for tick in ticks]
    signs = (
        ["fire", "turn-left", "forward", "punch", "fire"],
        ["turn-right", "fire", "forward", "forward", "back"],
    )
    assert told == [[("a", f"cmd-{a}", ""), ("b", f"cmd-{b}", "")] for a, b in zip(*signs, strict=True)]


def test_each_command_of_a_pig_has_its_sign() -> None:
    drawn = Path("templates/games/pigs/symbols.svg").read_text()
    named = {name.replace(" ", "-") for name in steps.NAMES.values()}
    assert set(re.findall(r'id="cmd-([\w-]+)"', drawn)) == named


@pytest.mark.django_db
def test_a_timeline_of_turns_or_of_more_than_two_has_no_symbols(
    table: Table, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    of_turns = sit_down(alice, bob, charlie, "robble")
    of_turns.play_some(2)
    assert not seen_by(of_turns, None, 1).commands
    table.play_some(1)
    two = seen_by(table, None, 0)
    assert two.commands and not replace(two, rows=[*two.rows, two.rows[0]]).commands
