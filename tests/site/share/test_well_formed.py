"""Every drawing is XML, as pictures need it: of each game, of each step, on each kind of page."""

from __future__ import annotations

import re
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from games import GAMES, newest
from games.core import play_turn
from robosite.learn.puzzles import puzzles
from robosite.matches import flow
from robosite.play import film
from robosite.play.drawings import is_drawn
from robosite.share.pictures import boards
from tests.site.browsers import Browser, Table, sit_down

DRAWN = [slug for slug in GAMES if is_drawn(slug)]
TURNS = 25


def drawings(page: str) -> list[str]:
    """The outermost drawings of a page."""
    found, depth, began = [], 0, 0
    for tag in re.finditer(r"<svg\b|</svg>", page):
        if tag[0] == "</svg>":
            depth -= 1
            if depth == 0:
                found.append(page[began : tag.end()])
        else:
            began = began if depth else tag.start()
            depth += 1
    return found


def assert_is_xml(page: str, of: str) -> int:
    for drawing in drawings(page):
        try:
            ElementTree.fromstring(drawing.replace("&nbsp;", "&#160;"))
        except ElementTree.ParseError as fault:
            line, column = fault.position
            near = drawing.splitlines()[line - 1][max(column - 60, 0) : column + 20]
            pytest.fail(f"{of}: {fault}: {near}")
    return len(drawings(page))


@pytest.mark.parametrize("slug", DRAWN)
def test_every_step_of_every_phase_can_become_a_picture(slug: str) -> None:
    game, rng = newest(slug), Random(7)
    for preset in game.presets.values():
        options, seats = game.read_options(preset.options), preset.seats[-1]
        state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        for _turn in range(TURNS):
            if state.outcome():
                break
            orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
            positions = [state, *play_turn(state, orders)]
            state = positions[-1]
            views = [position.view(None) for position in positions]
            steps = [film.Step(n, not n, view.drawing(), [], [], view.tick) for n, view in enumerate(views)]
            ElementTree.fromstring(boards.sketch_of(slug, steps, "paper").page)


@pytest.mark.parametrize("slug", DRAWN)
def test_every_page_of_a_match_draws_xml(slug: str, alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = sit_down(alice, bob, charlie, game=slug)
    for _turn in range(3):
        _look_at_the_match(table)
        table.play_some(1)
    if table.match.status == "playing":
        flow.resign(table.a)
    _look_at_the_match(table)
    for path in ("comic/", "embed/"):
        assert_is_xml(charlie.get(f"/m/{table.key}/{path}").content.decode(), path)


def _look_at_the_match(table: Table) -> None:
    for browser, path in ((table.alice, "A/"), (table.bob, "B/"), (table.charlie, "")):
        answer: Any = browser.get(f"/m/{table.key}/{path}")
        assert answer.status_code == 200
        assert assert_is_xml(answer.content.decode(), f"{path} of turn {table.match.turn}")


@pytest.mark.parametrize("slug", DRAWN)
def test_every_lesson_example_and_puzzle_draws_xml(slug: str, client: Client, db: None) -> None:
    game = newest(slug)
    paths = [f"/learn/{slug}/{n}/" for n in range(1, len(game.lesson.exercises) + 1)]
    paths += [f"/rules/{slug}/", f"/rules/{slug}/things/", f"/rules/{slug}/paper/", f"/new/{slug}/", "/"]
    paths += [f"/puzzles/{slug}/{n}/" for n, _one in zip(range(1, 9), puzzles(slug), strict=False)]
    seen = 0
    while paths:
        path = paths.pop()
        answer: Any = client.get(path)
        assert answer.status_code == 200, path
        page = answer.content.decode()
        assert_is_xml(page, path)
        seen += 1
        if path == f"/rules/{slug}/":
            paths += sorted(
                set(re.findall(rf'"(/rules/{slug}/examples/[\w-]+/|/learn/{slug}/[\w-]+/)"', page))
            )
    assert seen > 8
