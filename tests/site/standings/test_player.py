"""The page about a player: won, lost and drawn, by game and opponent, and what is told to newcomers."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import Hold, Match, MatchFlag, Seat
from robosite.standings.player import record_of
from robosite.standings.results import Score
from tests.site.browsers import Browser, Table, sit_down, text
from tests.site.standings.test_results import end, guest_at, watch

pytestmark = pytest.mark.django_db


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def against_bot(browser: Browser, game: str, player: str, share: float) -> Seat:
    """A finished match against a program, with this share of the point."""
    browser.post("/play/", {"game": game, "player": player, "name": browser.name})
    seat = Seat.objects.select_related("match").filter(kind=Seat.Kind.HUMAN).latest("pk")
    scores: dict[str, Any] = {one.letter: 1 - share for one in seat.match.seats.all()}
    outcome = {"scores": {**scores, seat.letter: share}, "reason": "goal"}
    Match.objects.filter(pk=seat.match.pk).update(status=Match.Status.OVER, outcome_json=outcome)
    watch(seat.match)
    return seat


def test_won_lost_and_drawn_by_game_and_opponent(alice: Browser, bob: Browser, charlie: Browser) -> None:
    for winner in ("B", "A", "", "A", "A"):
        end(table := sit_down(alice, bob, charlie), winner)
    end(sit_down(alice, bob, charlie, "robble"), "B")
    against_bot(alice, "roboxing", "quick", 1)
    against_bot(alice, "roboxing", "thorough", 0)
    against_bot(alice, "pigs", "quick", 0.5)
    record = record_of(guest_at(table.a))
    assert record.score == Score(4, 3, 2)
    assert {one.table.game.slug: (one.score, one.beaten and one.beaten.key) for one in record.games} == {
        "pigs": (Score(3, 1, 2), None),
        "robble": (Score(0, 1, 0), None),
        "roboxing": (Score(1, 1, 0), "quick"),
        "robosoccer": (Score(0, 0, 0), None),
    }
    assert [(one.player.key, one.score) for one in record.bots] == [
        ("thorough", Score(0, 1, 0)),
        ("quick", Score(1, 0, 1)),
    ]
    assert [(one.name, one.score) for one in record.friends] == [("Bob", Score(3, 2, 1))]
    assert record.best and record.best.player.key == "quick"
    shown = words(text(alice.get("/me/")))
    assert "matches won 4 matches lost 3 matches drawn 2" in shown
    assert "Strongest bot beaten: Medium, Roboxing" in shown and "Bob 3 won, 2 lost, 1 drawn" in shown


def test_rows_of_wins(alice: Browser, bob: Browser, charlie: Browser) -> None:
    for n, winner in enumerate(("A", "A", "A", "B", "A", "A")):
        end(table := sit_down(alice, bob, charlie), winner)
        at = timezone.now() + timedelta(minutes=n)
        Match.objects.filter(pk=table.match.pk).update(changed_at=at)
    record = record_of(guest_at(table.a))
    assert (record.won_now, record.won_most) == (2, 3)
    lost = record_of(guest_at(table.b))
    assert (lost.won_now, lost.won_most) == (0, 1)


def test_what_was_not_watched_to_its_end_counts_and_shows_no_board(table: Table) -> None:
    table.play_some(1)
    flow.resign(table.b)
    record = record_of(guest_at(table.a))
    assert (record.score, record.unseen, record.boards) == (Score(1, 0, 0), 1, [])
    table.alice.get(table.a.get_absolute_url())
    record = record_of(guest_at(table.a))
    assert (record.score, record.unseen, len(record.boards)) == (Score(1, 0, 0), 0, 1)


def test_a_shared_device_and_what_was_played_on_do_not_count(alice: Browser) -> None:
    alice.post("/matches/", {"game": "robble", "name": "Alice", "with": "here", "here": "Yan"})
    here = Seat.objects.select_related("match").get(letter="A")
    flow.resign(here)
    watch(here.match)
    on = against_bot(alice, "pigs", "thorough", 1)
    Match.objects.filter(pk=on.match.pk).update(flags=MatchFlag.TAKEN_OVER)
    record = record_of(guest_at(on))
    assert record.played == 0 and record.best is None and record.bots == []


def test_somebody_who_has_played_nothing_is_told_what_to_do(table: Table) -> None:
    for browser in (table.alice, Browser("Nobody")):
        page = text(browser.get("/me/"))
        assert page.count('form="play-now"') == 4
    assert "Nothing won or lost yet" in text(table.alice.get("/me/"))


def test_settings_are_a_tab_of_rows(table: Table) -> None:
    assert "Create my phrase" not in text(table.alice.get("/me/"))
    page = text(table.alice.get("/me/?settings=1"))
    assert page.index("Create my phrase") < page.index("Download all")
    assert '<details class="row warns" id="recovery">' in page, "it is not set up"
    for address in ("/me/?settings=recovery", "/me/?said=mail"):
        assert 'id="recovery" open>' in text(table.alice.get(address))
    refused = table.alice.post("/me/name/", {"name": "x" * 300})
    assert refused.status_code == 422 and 'id="your-name" open>' in text(refused)


def test_the_last_boards_are_small_pictures(table: Table) -> None:
    table.play_some(2)
    end(table, "A")
    page = text(table.alice.get("/me/"))
    boards = page[page.index('id="boards-title"') : page.index('id="by-game-title"')]
    assert boards.count('<svg class="board') == 1 and f'href="/m/{table.key}/A/"' in boards
    assert "won Bob" in words(boards)


def test_many_matches_cost_no_more_questions(alice: Browser, bob: Browser, charlie: Browser) -> None:
    asked = []
    for _ in range(3):
        end(table := sit_down(alice, bob, charlie), "A")
        against_bot(alice, "pigs", "quick", 1)
        Hold.every.update(seen_turn=9)
        with CaptureQueriesContext(connection) as queries:
            record_of(guest_at(table.a))
        asked.append(len(queries))
    assert asked[0] == asked[2] <= 13
