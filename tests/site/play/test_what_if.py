"""What if: undoing, looking ahead, plans apart; and the page on which replies are planned."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from html import unescape
from typing import Any

import pytest
from django.db import connection

from robosite.matches import flow
from robosite.matches.flow import replies, replying
from robosite.matches.models import Hold, Match, Replies
from robosite.trail import entries
from tests.browser.looks import UPDATE
from tests.site.browsers import OTHER, SHOTS, Answer, Browser, Table, sit_down, text

HTMX: Any = {"HTTP_HX_REQUEST": "true"}
GUESS = "F F v F F"


def fields(answer: Answer) -> dict[str, str]:
    """The hidden fields of the sheets that lie on the table."""
    return dict(re.findall(r'<input type="hidden" name="(sheet|guess-\w)" value="([^"]*)"', text(answer)))


def tap(browser: Browser, table: Table, at: str = "A", **given: str) -> Answer:
    seat = table.seat(at)
    return browser.post(f"{seat.get_absolute_url()}plan/", {"turn": table.match.turn, **given}, **HTMX)


def everything_kept() -> str:
    with connection.cursor() as cursor:
        return repr(
            [
                cursor.execute(f'SELECT * FROM "{name}"').fetchall()
                for name in connection.introspection.table_names(cursor)
            ]
        )


def test_a_sheet_is_opened_written_on_folded_and_thrown_away(table: Table) -> None:
    for nonsense in ("A", "C", "", "bob"):  # only living opponents can be guessed
        assert fields(tap(table.alice, table, look=nonsense)) == {}
        assert fields(tap(table.alice, table, guess="F", sheet=nonsense, **{f"guess-{nonsense}": "F"})) == {}
    answer = tap(table.alice, table, guess="^", sheet="B", **{"guess-B": "no program at all"})
    assert fields(answer)["guess-B"] == "^ . . . ."
    opened = tap(table.alice, table, look="B")
    assert fields(opened) == {"sheet": "B", "guess-B": ""}
    assert text(opened).count("What if Bob does this?") == 1
    says = "Just a trial: the board shows your plan against this guess, which no one else sees."
    assert says in text(opened)
    written = tap(table.alice, table, guess="F", **fields(opened))
    assert fields(written) == {"sheet": "B", "guess-B": "F . . . ."}
    assert "Bob fires north and misses." in text(written)
    folded = tap(table.alice, table, look="", **fields(written))
    assert fields(folded) == {"sheet": "", "guess-B": "F . . . ."}
    assert "Bob fires north and misses." in text(folded)
    assert fields(tap(table.alice, table, throw="B", **fields(folded))) == {}
    # one's own taps bring the guesses along, and both are played through
    answer = tap(table.alice, table, choose="\\", sheet="B", **{"guess-B": GUESS})
    assert fields(answer) == {"sheet": "B", "guess-B": GUESS}
    answer = tap(table.alice, table, choose="F", **fields(answer))
    assert "You fire south and hit Bob!" in text(answer)
    assert flow.draft_of(table.match, table.a) == "\\ F . . ."


def test_no_guess_is_kept_anywhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "_waiting", Counter())  # answers that failed in tests before this one
    table.alice.draft(table.a, "^ ^ ^ ^ ^")
    before = everything_kept()
    full = tap(table.alice, table, guess="F", sheet="B", **{"guess-B": GUESS.replace("F", "TL", 1)})
    assert "All slots are taken." in text(full), "a choice that cannot be had says why"
    tap(table.alice, table, look="B")
    assert everything_kept() == before
    assert "What if Bob" not in text(table.alice.get(table.a.get_absolute_url()))
    answer = tap(table.alice, table, seal="1", typed=OTHER, sheet="B", **{"guess-B": GUESS})
    assert fields(answer) == {}
    receipt = flow.order_of(table.match, table.a)
    assert receipt and receipt.order == OTHER
    flow.seal(table.b, 0, OTHER)
    path = f"{table.a.get_absolute_url()}plan/"
    answer = table.alice.post(path, {"turn": 0, "guess": "F", "sheet": "B", "guess-B": ""}, **HTMX)
    assert fields(answer) == {}, "a guess of another turn is gone with it"
    assert Match.objects.get(key=table.key).turn == 1


def test_it_works_without_javascript(table: Table) -> None:
    path = f"{table.a.get_absolute_url()}plan/"
    opened = table.alice.post(path, {"turn": 0, "look": "B"})
    assert opened.status_code == 200
    assert "<!doctype html>" in text(opened)
    assert fields(opened) == {"sheet": "B", "guess-B": ""}
    written = table.alice.post(path, {"turn": 0, "guess": "F", **fields(opened)})
    stepped = table.alice.post(path, {"turn": 0, "step": "0", **fields(written)})
    assert '<g class="frame" data-frame="0">' in text(stepped)
    assert '<g class="frame" data-frame="1" display="none">' in text(stepped)
    thrown = table.alice.post(path, {"turn": 0, "throw": "B", **fields(stepped)})
    assert thrown.status_code == 302
    assert "data-told" not in text(table.alice.get(thrown["Location"].partition("#")[0]))


def test_ones_own_plan_lies_beside_what_happened_for_nobody_else(table: Table) -> None:
    table.play(("^ ^ ^ ^ ^", "\\ ^ ^ ^ ^"))  # both walk down the file of d, and meet
    told = "Step 4 was meant to lead to d4; your pig bumped on the way and stayed on d5."
    path = "?at=1.4"
    assert told in text(table.alice.get(table.a.get_absolute_url() + path))
    assert 'data-planned="4"' in text(table.alice.get(table.a.get_absolute_url() + path))
    for browser, page in (
        (table.bob, table.b.get_absolute_url()),
        (table.charlie, table.match.get_absolute_url()),
    ):
        assert told not in text(browser.get(page + path))
    assert "data-planned" not in text(table.charlie.get(table.match.get_absolute_url() + path))


TAP = {"HX-Request": "true", "HX-Target": "plan"}


def shown_on(answer: Answer) -> dict[str, str]:
    return dict(re.findall(r'name="(turn|taken_back|seen)" value="(\w+)"', answer.text))


def former_on(answer: Answer) -> str | None:
    found = re.search(r'name="use" value="([^"]*)">\s*Undo', answer.text)
    return unescape(found[1]) if found else None


class Planner:
    """Bob's planner of a turn of the pigs, in which his pig has four points of damage."""

    def __init__(self, table: Table, headers: dict[str, str]) -> None:
        table.play(SHOTS)
        self.table, self.seat, self.headers = table, table.b, headers
        self.answer: Answer = table.bob.get(self.seat.get_absolute_url())

    def press(self, **values: Any) -> Answer:
        given = {**shown_on(self.answer), **values}
        self.answer = self.table.bob.post(
            f"{self.seat.get_absolute_url()}plan/", given, headers=self.headers, follow=not self.headers
        )
        return self.answer

    @property
    def draft(self) -> str:
        return flow.draft_of(self.table.match, self.seat)


@pytest.mark.parametrize("headers", [TAP, {}], ids=["by one tap", "without a script"])
def test_a_repair_can_be_undone(table: Table, headers: dict[str, str]) -> None:
    planner = Planner(table, headers)
    assert former_on(planner.press(choose="F")) is None
    planned = planner.draft
    former = former_on(planner.press(choose="R"))
    assert former == planned and planner.draft == "R R R R R"
    assert former_on(planner.press(use=former, **({} if headers else {"typed": ""}))) is None
    assert planner.draft == planned
    if headers:
        assert planner.press(use="nonsense")["Robosite-Taps"].endswith("refused")
        assert planner.draft == planned


AHEAD = {"HX-Request": "true", "HX-Target": "ahead"}


def look(table: Table, at: Browser | None = None) -> Answer:
    return (at or table.alice).get(table.a.get_absolute_url(), headers=AHEAD)


def drawn(text: str, name: str) -> str:
    """The elements of a group of the board."""
    found = re.search(rf'<g id="{name}"[^>]*>(.*?)\s*</svg>', text.partition('<g id="taps')[0], re.DOTALL)
    assert found, text
    return " ".join(found[1].partition('<g id="badges"')[0].split())


@pytest.mark.parametrize(("game", "turns"), [("pigs", 2), ("roboxing", 0), ("robosoccer", 4), ("robble", 4)])
def test_what_is_shown_ahead_is_what_the_tap_then_brings_and_no_heavier_than_an_update(
    alice: Browser, bob: Browser, charlie: Browser, game: str, turns: int
) -> None:
    table = sit_down(alice, bob, charlie, game)
    table.play_some(turns)
    answer = look(table)
    assert len(gzip.compress(answer.content)) < UPDATE
    if game in ("robosoccer", "robble"):
        return
    plans = dict(re.findall(r'<template data-choose="([^"]+)">(.*?)</template>', answer.text, re.DOTALL))
    assert len(plans) > 5
    seen = re.search(r'data-seen="(\w+)"', answer.text)
    key = list(plans)[2]
    begins = re.search(r'name="ready" value="([^"]*)"', text(table.alice.get(table.a.get_absolute_url())))
    given = {
        "ready": begins[1] if begins else "",  # a newcomer's planner begins with an order
        "turn": table.match.turn,
        "taken_back": "0",
        "seen": seen[1],
        "choose": key.replace("&amp;", "&"),
    }
    tapped = table.alice.post(f"{table.a.get_absolute_url()}plan/", given, headers=TAP)
    assert "data-stale" not in tapped.text
    ghosts = tapped.text[tapped.text.index('<g id="ghosts"') :]
    assert drawn(ghosts, "ghosts") == drawn(plans[key], "ghosts")


def test_only_the_seat_itself_is_shown_it_while_it_plans_and_it_counts_as_no_visit(table: Table) -> None:
    table.alice.get(table.a.get_absolute_url())
    table.play(("F F F F F", OTHER))
    before = Hold.objects.get(seat=table.a).seen_turn
    assert look(table).status_code == 200
    assert Hold.objects.get(seat=table.a).seen_turn == before
    assert look(table, table.bob).status_code == 403
    flow.seal(table.a, 1, "F F F F F")
    assert look(table).status_code == 204


@pytest.fixture
def stones(robble: Table) -> Table:
    """A match of Robble: Alice has placed on d4, so Bob is to move, and Alice may plan replies."""
    flow.seal(robble.a, 0, "d4")
    return robble


def words(page: Any) -> str:
    """The words of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", "", text(page)).split()).replace(" .", ".")


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
    assert "If Bob plays" in words(page) and "You haven’t planned any yet" in words(page)
    page = press(alice, page, path, typed="d4", seal="1")
    assert page.status_code == 422 and "There’s a stone on d4 already" in words(page)
    page = press(alice, alice.get(path), path, seal="1")
    assert page.status_code == 422 and not lines_of(stones, "A")
    page = press(alice, alice.get(path), path, choose="c4")
    assert hidden(page)["guess-draft"] == "c4"
    page = press(alice, page, path, seal="1")
    assert "If Bob plays c4, you play" in words(page) and not lines_of(stones, "A")
    page = press(alice, page, path, typed="d5", seal="1")
    assert "Saved." in words(page) and lines_of(stones, "A") == [["c4", "d5"]]
    page = press(alice, page, path, choose="e6")
    page = press(alice, page, path, seal="1")
    page = press(alice, page, path, choose="f3")
    page = press(alice, page, path, seal="1")
    assert lines_of(stones, "A") == [["c4", "d5", "e6", "f3"]]
    assert "If Bob plays c4, you play d5. If they then play e6, you play f3." in words(page)
    first = hidden(alice.get(path))
    for odd in ("x" * 3_000, "d4", "♥", ";", "c4;"):
        for name in ("guess-0", "guess-draft", "guess-base", "go", "remove", "typed", "choose"):
            assert alice.post(path, {**first, name: odd}).status_code in (200, 302, 422)
    flow.seal(stones.b, 1, "c4")
    assert stones.match.turn == 3


def test_a_tap_with_a_script_changes_the_planner_alone(stones: Table) -> None:
    alice, path = stones.alice, at(stones, "A")
    first = hidden(alice.get(path))
    answer = alice.post(path, {**first, "choose": "c4", "once": "abc.3"}, headers=TAP)
    assert answer.content.lstrip().startswith(b"<form") or b'<form id="plan"' in answer.content
    assert b"<html" not in answer.content and answer["Robosite-Taps"] == "3"
    assert b'name="guess-draft" value="c4"' in answer.content
    answer = alice.post(path, {**first, "guess-draft": "c4", "seal": "1"}, headers=TAP)
    assert answer["HX-Retarget"] == "#lesson" and b"you play" in answer.content


def test_one_goes_on_from_a_line_replaces_its_answer_and_removes_it(stones: Table) -> None:
    replies.put(stones.a, 1, [["c4", "d5"], ["a1", "b2"]])
    alice, path = stones.alice, at(stones, "A")
    page = alice.get(path)
    page = press(alice, page, path, go="c4;d5")
    assert hidden(page)["guess-1"] == "d5" and "After your d5: if Bob plays" in words(page)
    replies.add(stones.a, 1, ["c4", "g7"], base="")
    assert lines_of(stones, "A") == [["a1", "b2"], ["c4", "g7"]]
    press(alice, page, path, remove="c4;g7")
    assert lines_of(stones, "A") == [["a1", "b2"]]
    press(alice, alice.get(path), path, drop="1")
    assert not Replies.objects.exists()


def test_on_ones_own_turn_they_follow_the_planned_one_where_one_acts_after_the_other(
    stones: Table, table: Table
) -> None:
    bob, path = stones.bob, at(stones, "B")
    assert "plan it first" in words(bob.get(path))
    assert "Plan a reply" not in words(bob.get(stones.b.get_absolute_url()))
    flow.draft(stones.b, 1, "c4")
    assert "Plan a reply" in words(bob.get(stones.b.get_absolute_url()))
    page = bob.get(path)
    assert "This comes after your planned turn c4" in words(page)
    page = press(bob, page, path, typed="d5", seal="1")
    page = press(bob, page, path, typed="e6", seal="1")
    assert replying.planned_by(stones.match, stones.b) == replying.Planned((("d5", "e6"),), "c4")
    flow.draft(stones.b, 1, "a1")
    assert "has changed" in words(press(bob, page, path, typed="g7", seal="1"))
    assert table.alice.get(at(table, "A")).status_code == 302
    assert "Plan a reply" not in words(table.alice.get(table.a.get_absolute_url()))


def test_a_turn_that_was_played_meanwhile_changes_nothing_and_is_told(stones: Table) -> None:
    alice, path = stones.alice, at(stones, "A")
    page = press(alice, alice.get(path), path, typed="c4", seal="1")
    asks = f"{path}?turn=1&taken_back=0"
    assert alice.get(asks, headers={"HX-Request": "true"}).status_code == 204
    flow.seal(stones.b, 1, "a1")
    assert "The match has gone on" in words(alice.get(asks, headers={"HX-Request": "true"}))
    page = press(alice, page, path, typed="d5", seal="1")
    assert "already been played" in words(page) and not Replies.objects.exists()


def test_the_seat_page_shows_them_to_their_player_alone(stones: Table) -> None:
    replies.put(stones.a, 1, [["c4", "d5"]])
    assert "If Bob plays c4, you play d5." in words(stones.alice.get(stones.a.get_absolute_url()))
    for browser, path in ((stones.bob, stones.b.get_absolute_url()), (stones.charlie, f"/m/{stones.key}/")):
        assert "you play d5" not in words(browser.get(path))
    for browser in (stones.bob, stones.charlie):
        assert browser.get(at(stones, "A")).status_code == 403
    flow.seal(stones.b, 1, "a1")
    assert "None of your planned replies fits" in words(stones.alice.get(stones.a.get_absolute_url()))
    assert "None of your planned" not in words(stones.bob.get(stones.b.get_absolute_url()))


def test_on_a_shared_device_they_are_neither_offered_nor_shown(stones: Table) -> None:
    replies.put(stones.a, 1, [["c4", "d5"]])
    guest = Hold.objects.get(seat=stones.a).guest
    Hold.objects.create(seat=stones.b, guest=guest, sitting=stones.b.sitting)
    shown = words(stones.alice.get(stones.a.get_absolute_url()))
    assert "you play d5" not in shown and "Plan a reply" not in shown
    assert stones.alice.get(at(stones, "A")).status_code == 302
    assert stones.alice.post(at(stones, "A"), {"drop": "1"}).status_code == 302
    assert Replies.objects.count() == 1
