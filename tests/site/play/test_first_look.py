"""A player's first look at a match in which somebody else has moved already."""

from __future__ import annotations

import pytest

from robosite.matches import flow
from robosite.matches.models import Seat
from tests.site.browsers import Browser, Table, sit_down, text


@pytest.fixture
def moved(db: None, alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """A match of Robble in which the first player has placed a stone."""
    table = sit_down(alice, bob, charlie, "robble")
    table.play_some(1)
    return table


def second(table: Table) -> tuple[Browser, Seat]:
    """The player who is to move now, and their seat."""
    (letter,) = flow.owing(table.match)
    seat = table.seat(letter)
    return (table.alice if seat == table.a else table.bob), seat


def test_it_opens_at_their_own_turn_with_the_film_one_tap_away(moved: Table) -> None:
    browser, seat = second(moved)
    page = text(browser.get(seat.get_absolute_url()))
    assert "data-since" not in page and "at-last" in page and 'id="planner"' in page
    assert "data-play" in page, "the film of what was before"


def test_later_turns_are_shown_as_news(moved: Table) -> None:
    browser, seat = second(moved)
    moved.play_some(2)
    assert "data-since" in text(browser.get(seat.get_absolute_url()))


def test_a_page_that_is_open_shows_the_move_as_news(moved: Table) -> None:
    browser, seat = second(moved)
    page = text(browser.get(seat.get_absolute_url(), headers={"HX-Request": "true"}))
    assert "data-since" in page
