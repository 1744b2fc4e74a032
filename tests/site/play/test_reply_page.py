"""The page on which replies are planned with the planner, with and without a script, for their seat alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from robosite.matches import flow
from robosite.matches.flow import replies, replying
from robosite.matches.models import Replies
from tests.site.browsers import Browser, Table, sit_down
from tests.site.browsers import text as html

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Target": "plan"}


@pytest.fixture
def stones(robble: Table) -> Table:
    """A match of Robble: Alice has placed on d4, so Bob is to move, and Alice may plan replies."""
    flow.seal(robble.a, 0, "d4")
    return robble


def text(page: Any) -> str:
    """The words of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", "", html(page)).split()).replace(" .", ".")


def at(table: Table, letter: str) -> str:
    return f"/m/{table.key}/{letter}/replies/"


def hidden(page: Any) -> dict[str, str]:
    """The hidden fields of the planner's form on a page."""
    form = page.content.decode().partition('id="plan"')[2].partition("</form>")[0]
    found = re.findall(r'<input type="hidden" name="([\w-]+)"\s+value="([^"]*)"', form)
    return {name: value for name, value in found if name != "csrfmiddlewaretoken"}


def press(browser: Browser, page: Any, path: str, **more: Any) -> Any:
    """Presses a button of the planner on this page, as a browser without a script does."""
    return browser.post(path, {**hidden(page), **more})


def lines_of(table: Table, letter: str) -> list[list[str]]:
    found = replying.planned_by(table.match, table.seat(letter))
    return [list(line) for line in found.lines] if found else []


def test_a_line_is_planned_without_a_script_by_playing_on(stones: Table) -> None:
    alice, path = stones.alice, at(stones, "A")
    page = alice.get(path)
    assert "If Bob plays" in text(page) and "You haven’t planned any yet" in text(page)
    page = press(alice, page, path, choose="c4")
    assert hidden(page)["guess-draft"] == "c4"
    page = press(alice, page, path, seal="1")
    assert "If Bob plays c4, you play" in text(page) and not lines_of(stones, "A")
    page = press(alice, page, path, typed="d5", seal="1")
    assert "Saved." in text(page) and lines_of(stones, "A") == [["c4", "d5"]]
    page = press(alice, page, path, choose="e6")
    page = press(alice, page, path, seal="1")
    page = press(alice, page, path, choose="f3")
    page = press(alice, page, path, seal="1")
    assert lines_of(stones, "A") == [["c4", "d5", "e6", "f3"]]
    assert "If Bob plays c4, you play d5. If they then play e6, you play f3." in text(page)
    flow.seal(stones.b, 1, "c4")
    assert stones.match.turn == 3


def test_a_tap_with_a_script_changes_the_planner_alone(stones: Table) -> None:
    alice, path = stones.alice, at(stones, "A")
    first = hidden(alice.get(path))
    answer = alice.post(path, {**first, "choose": "c4", "once": "abc.3"}, headers=HTMX)
    assert answer.content.lstrip().startswith(b"<form") or b'<form id="plan"' in answer.content
    assert b"<html" not in answer.content and answer["Robosite-Taps"] == "3"
    assert b'name="guess-draft" value="c4"' in answer.content
    answer = alice.post(path, {**first, "guess-draft": "c4", "seal": "1"}, headers=HTMX)
    assert answer["HX-Retarget"] == "#lesson" and b"you play" in answer.content


def test_one_goes_on_from_a_line_and_removes_it(stones: Table) -> None:
    replies.put(stones.a, 1, [["c4", "d5"], ["a1", "b2"]])
    alice, path = stones.alice, at(stones, "A")
    page = alice.get(path)
    page = press(alice, page, path, go="c4;d5")
    assert hidden(page)["guess-1"] == "d5" and "After your d5: if Bob plays" in text(page)
    press(alice, page, path, remove="c4;d5")
    assert lines_of(stones, "A") == [["a1", "b2"]]
    press(alice, alice.get(path), path, drop="1")
    assert not Replies.objects.exists()


def test_another_answer_takes_the_place_of_the_old_one(stones: Table) -> None:
    replies.put(stones.a, 1, [["c4", "d5"], ["a1", "b2"]])
    replies.add(stones.a, 1, ["c4", "g7"], base="")
    assert lines_of(stones, "A") == [["a1", "b2"], ["c4", "g7"]]


def test_on_ones_own_turn_they_follow_the_planned_one(stones: Table) -> None:
    bob, path = stones.bob, at(stones, "B")
    assert "plan it first" in text(bob.get(path))
    flow.draft(stones.b, 1, "c4")
    page = bob.get(path)
    assert "This comes after your planned turn c4" in text(page)
    page = press(bob, page, path, typed="d5", seal="1")
    page = press(bob, page, path, typed="e6", seal="1")
    assert replying.planned_by(stones.match, stones.b) == replying.Planned((("d5", "e6"),), "c4")
    flow.draft(stones.b, 1, "a1")
    assert "has changed" in text(press(bob, page, path, typed="g7", seal="1"))


def test_what_the_rules_refuse_is_said(stones: Table) -> None:
    alice, path = stones.alice, at(stones, "A")
    page = press(alice, alice.get(path), path, typed="d4", seal="1")
    assert page.status_code == 422 and "There’s a stone on d4 already" in text(page)
    page = press(alice, alice.get(path), path, seal="1")
    assert page.status_code == 422 and not lines_of(stones, "A")
    first = hidden(alice.get(path))
    for odd in ("x" * 3_000, "d4", "♥", ";", "c4;"):
        for name in ("guess-0", "guess-draft", "guess-base", "go", "remove", "typed", "choose"):
            assert alice.post(path, {**first, name: odd}).status_code in (200, 302, 422)


def test_a_turn_that_was_played_meanwhile_changes_nothing(stones: Table) -> None:
    alice, path = stones.alice, at(stones, "A")
    page = press(alice, alice.get(path), path, typed="c4", seal="1")
    flow.seal(stones.b, 1, "a1")
    page = press(alice, page, path, typed="d5", seal="1")
    assert "already been played" in text(page) and not Replies.objects.exists()


def test_the_seat_page_shows_them_to_their_player_alone(stones: Table) -> None:
    replies.put(stones.a, 1, [["c4", "d5"]])
    assert "If Bob plays c4, you play d5." in text(stones.alice.get(stones.a.get_absolute_url()))
    for browser, path in ((stones.bob, stones.b.get_absolute_url()), (stones.charlie, f"/m/{stones.key}/")):
        assert "you play d5" not in text(browser.get(path))
    for browser in (stones.bob, stones.charlie):
        assert browser.get(at(stones, "A")).status_code == 403
    flow.seal(stones.b, 1, "a1")
    assert "None of your planned replies fits" in text(stones.alice.get(stones.a.get_absolute_url()))
    assert "None of your planned" not in text(stones.bob.get(stones.b.get_absolute_url()))


def test_where_all_act_at_once_there_is_no_such_page(table: Table) -> None:
    assert table.alice.get(at(table, "A")).status_code == 302
    assert "Plan a reply" not in text(table.alice.get(table.a.get_absolute_url()))


def test_on_a_shared_device_they_are_neither_offered_nor_shown(stones: Table) -> None:
    from robosite.matches.models import Hold

    replies.put(stones.a, 1, [["c4", "d5"]])
    guest = Hold.objects.get(seat=stones.a).guest
    Hold.objects.create(seat=stones.b, guest=guest, sitting=stones.b.sitting)
    shown = text(stones.alice.get(stones.a.get_absolute_url()))
    assert "you play d5" not in shown and "Plan a reply" not in shown
    assert stones.alice.get(at(stones, "A")).status_code == 302
    assert stones.alice.post(at(stones, "A"), {"drop": "1"}).status_code == 302
    assert Replies.objects.count() == 1


def test_robosoccer_is_planned_there_too(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = sit_down(alice, bob, charlie, "robosoccer")
    path = at(table, "B")
    page = press(bob, bob.get(path), path, typed="LMSSML", seal="1")
    page = press(bob, page, path, typed="LMSSML", seal="1")
    assert lines_of(table, "B") == [["LMSSML", "LMSSML"]]
    assert "Answer with this" not in text(page) and page.status_code == 200
