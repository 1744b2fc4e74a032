"""What if: undoing, looking ahead, plans apart."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from html import unescape
from typing import Any

import pytest
from django.db import connection

from robosite.matches import flow
from robosite.matches.models import Hold, Match, Program
from robosite.trail import entries
from tests.browser.scales import UPDATE
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
    """All rows of all tables, as text."""
    with connection.cursor() as cursor:
        return repr(
            [
                cursor.execute(f'SELECT * FROM "{name}"').fetchall()
                for name in connection.introspection.table_names(cursor)
            ]
        )


def test_a_sheet_is_opened_written_on_folded_and_thrown_away(table: Table) -> None:
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


def test_ones_own_taps_bring_the_guesses_along_and_both_are_played_through(table: Table) -> None:
    answer = tap(table.alice, table, choose="\\", sheet="B", **{"guess-B": GUESS})
    assert fields(answer) == {"sheet": "B", "guess-B": GUESS}
    answer = tap(table.alice, table, choose="F", **fields(answer))
    assert "You fire south and hit Bob!" in text(answer)
    assert flow.draft_of(table.match, table.a) == "\\ F . . ."


def test_the_draft_stays_as_it_was_while_one_guesses(table: Table) -> None:
    table.alice.draft(table.a, "^ ^ ^ ^ ^")
    kept = bytes(Program.objects.get(seat=table.a).secret or b"")
    tap(table.alice, table, guess="F", sheet="B", **{"guess-B": ""})
    assert bytes(Program.objects.get(seat=table.a).secret or b"") == kept


def test_no_guess_is_kept_anywhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "_waiting", Counter())  # answers that failed in tests before this one
    before = everything_kept()
    tap(table.alice, table, guess="F", sheet="B", **{"guess-B": GUESS.replace("F", "TL", 1)})
    tap(table.alice, table, look="B")
    assert everything_kept() == before
    assert "What if Bob" not in text(table.alice.get(table.a.get_absolute_url()))


def test_nobody_else_sees_a_guess_or_that_there_is_one(table: Table) -> None:
    pages: list[tuple[Browser, str]] = [
        (table.bob, table.b.get_absolute_url()),
        (table.charlie, table.match.get_absolute_url()),
    ]

    def seen() -> list[tuple[Any, ...]]:
        def without_token(answer: Answer) -> str:
            return re.sub(r'csrf[^>]*"|"X-CSRFToken": "[^"]*"', "", answer.content.decode())

        return [(without_token(browser.get(path)), table.match.version) for browser, path in pages]

    seen()  # the first look remembers what was seen
    before = seen()
    tap(table.alice, table, guess="F", sheet="B", **{"guess-B": GUESS})
    assert seen() == before


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


def test_only_living_opponents_can_be_guessed_and_nonsense_is_passed_over(table: Table) -> None:
    for nonsense in ("A", "C", "", "bob"):
        assert fields(tap(table.alice, table, look=nonsense)) == {}
        assert fields(tap(table.alice, table, guess="F", sheet=nonsense, **{f"guess-{nonsense}": "F"})) == {}
    answer = tap(table.alice, table, guess="^", sheet="B", **{"guess-B": "no program at all"})
    assert fields(answer)["guess-B"] == "^ . . . ."


def test_a_choice_that_cannot_be_had_says_why(table: Table) -> None:
    answer = tap(table.alice, table, guess="F", sheet="B", **{"guess-B": GUESS})
    assert "All slots are taken." in text(answer)


def test_guesses_of_another_turn_are_gone_with_it(table: Table) -> None:
    table.play((OTHER, OTHER))
    path = f"{table.a.get_absolute_url()}plan/"
    answer = table.alice.post(path, {"turn": 0, "guess": "F", "sheet": "B", "guess-B": ""}, **HTMX)
    assert fields(answer) == {}
    assert Match.objects.get(key=table.key).turn == 1


def test_sealing_with_guesses_on_the_table_seals_the_real_order_alone(table: Table) -> None:
    answer = tap(table.alice, table, seal="1", typed=OTHER, sheet="B", **{"guess-B": GUESS})
    assert fields(answer) == {}
    receipt = flow.order_of(table.match, table.a)
    assert receipt and receipt.order == OTHER


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


HTMX_UNDO = {"HX-Request": "true", "HX-Target": "plan"}


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


@pytest.mark.parametrize("headers", [HTMX_UNDO, {}], ids=["by one tap", "without a script"])
def test_a_repair_can_be_undone(table: Table, headers: dict[str, str]) -> None:
    planner = Planner(table, headers)
    assert former_on(planner.press(choose="F")) is None
    planned = planner.draft
    former = former_on(planner.press(choose="R"))
    assert former == planned and planner.draft == "R R R R R"
    assert former_on(planner.press(use=former, **({} if headers else {"typed": ""}))) is None
    assert planner.draft == planned


def test_a_former_plan_that_is_none_is_refused(table: Table) -> None:
    planner = Planner(table, HTMX_UNDO)
    planner.press(choose="F")
    planned = planner.draft
    assert planner.press(use="nonsense")["Robosite-Taps"].endswith("refused")
    assert planner.draft == planned


AHEAD = {"HX-Request": "true", "HX-Target": "ahead"}
TAP = {"HX-Request": "true", "HX-Target": "plan"}


def look(table: Table, at: Browser | None = None) -> Answer:
    return (at or table.alice).get(table.a.get_absolute_url(), headers=AHEAD)


def drawn(text: str, name: str) -> str:
    """The elements of a group of the board."""
    found = re.search(rf'<g id="{name}"[^>]*>(.*?)\s*</svg>', text.partition('<g id="taps')[0], re.DOTALL)
    assert found, text
    return " ".join(found[1].partition('<g id="badges"')[0].split())


@pytest.mark.parametrize(("game", "turns"), [("pigs", 2), ("roboxing", 0)])
def test_what_is_shown_ahead_is_what_the_tap_then_brings(
    alice: Browser, bob: Browser, charlie: Browser, game: str, turns: int
) -> None:
    table = sit_down(alice, bob, charlie, game)
    table.play_some(turns)
    answer = look(table)
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


@pytest.mark.parametrize("game", ["pigs", "roboxing", "robosoccer", "robble"])
def test_it_is_no_heavier_than_an_update(alice: Browser, bob: Browser, charlie: Browser, game: str) -> None:
    table = sit_down(alice, bob, charlie, game)
    table.play_some(4)
    size = len(gzip.compress(look(table).content))
    print(game, size)
    assert size < UPDATE


def test_it_counts_as_no_visit(table: Table) -> None:
    table.alice.get(table.a.get_absolute_url())
    table.play(("F F F F F", OTHER))
    before = Hold.objects.get(seat=table.a).seen_turn
    assert look(table).status_code == 200
    assert Hold.objects.get(seat=table.a).seen_turn == before


def test_only_the_seat_itself_is_shown_it_and_only_while_it_plans(table: Table) -> None:
    assert look(table, table.bob).status_code == 403
    flow.seal(table.a, 0, "F F F F F")
    assert look(table).status_code == 204
