"""Players and friends."""

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
from robosite.people.current_guest import merge
from robosite.people.models import Guest
from robosite.play.highlights import Highlight, best
from robosite.share import comic
from robosite.standings import friends
from robosite.standings.player import record_of
from robosite.standings.results import Score
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, sit_down, text
from tests.site.standings.test_results import end, guest_at, watch

pytestmark = pytest.mark.django_db


def where(table: Table, letter: str) -> str:
    return f"/mine/results/?with={table.key}&seat={letter}"


def page_of(table: Table, browser: Browser, letter: str) -> str:
    answer = browser.get(where(table, letter))
    return " ".join(text(answer).split()) if answer.status_code == 200 else str(answer.status_code)


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_each_of_the_two_sees_his_own_side(alice: Browser, bob: Browser, charlie: Browser) -> None:
    for winner in ("B", "", "A", "A"):
        end(last := sit_down(alice, bob, charlie), winner)
    end(sit_down(bob, alice, charlie, "robble"), "B")  # here Alice sits on B
    running = sit_down(alice, bob, charlie, "robosoccer")
    alone = alice.make()
    mine, his = page_of(last, alice, "B"), page_of(last, bob, "A")
    assert "You and Bob" in mine and "You and Alice" in his
    assert "Alice 3 – Bob 1 , one draw" in words(mine) and "Bob 1 – Alice 3 , one draw" in words(his)
    assert "You’ve won the last 3 matches." in mine and "Alice has won the last 3 matches." in his
    for page in (mine, his):
        assert "Robo Battle Pigs" in page and "Robble" in page
        assert f"/m/{running.key}/" in page and alone.key not in page


def test_once_more_in_one_tap(alice: Browser, bob: Browser, charlie: Browser) -> None:
    end(first := sit_down(alice, bob, charlie), "A")
    end(last := sit_down(alice, bob, charlie, "robble"), "B")
    page = page_of(first, alice, "B")  # the page is the same, by whichever match one comes
    form, other = re.findall(r'action="(/m/[^"]*/rematch/)"', page)
    assert form == other == f"{last.a.get_absolute_url()}rematch/" and "Rematch: Robble" in page
    assert 'name="another" value="pigs"' in page and 'name="another" value="robble"' not in page
    assert alice.post(form).status_code == 302
    assert "Go to the rematch" in page_of(first, bob, "A")
    after = Match.objects.get(rematch_of=last.match)
    for seat in after.seats.select_related("match").filter(host=True):
        flow.leave(seat)
    assert f'action="{form}"' in page_of(first, alice, "B")  # it was called off, so there may be another


def test_while_a_rematch_runs_an_earlier_match_invites_to_another_game(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    end(first := sit_down(alice, bob, charlie), "A")
    end(last := sit_down(alice, bob, charlie, "robble"), "B")
    alice.do(last.a, "rematch")
    page = page_of(first, alice, "B")
    assert f'action="{first.a.get_absolute_url()}rematch/"' in page and "Or invite" in page
    assert re.findall(r'name="another" value="(\w+)"', page) == ["pigs", "roboxing", "robosoccer"]
    alice.do(first.a, "rematch", another="roboxing")
    assert Match.objects.get(rematch_of=first.match).game_slug == "roboxing"
    page = page_of(first, alice, "B")
    assert "Go to the rematch" in page and 'name="another"' not in page, "both have a match that follows"


def test_the_best_moment_is_shown_after_the_film_with_the_way_to_it(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    assert 'id="moment-title"' not in page_of(table, table.bob, "A")
    table.bob.get(table.b.get_absolute_url())
    page = page_of(table, table.bob, "A")
    moment = page[page.index('id="moment-title"') :]
    assert "Bob is destroyed!" in moment and f'href="/m/{table.key}/?at=2.1"' in moment
    assert f'href="/m/{table.key}/comic/"' in moment and moment.count('<svg class="board') == 1


def test_nobody_else_finds_it(alice: Browser, bob: Browser, charlie: Browser) -> None:
    dora, erin = Browser("Dora"), Browser("Erin")
    end(table := sit_down(alice, bob, charlie), "A")
    end(sit_down(dora, erin, charlie), "A")
    assert page_of(table, alice, "B") != "404" != page_of(table, bob, "A")
    for browser in (dora, erin, charlie, Browser("")):
        for letter in "ABCH":
            assert page_of(table, browser, letter) == "404"
    assert page_of(table, alice, "A") == page_of(table, bob, "B") == "404"  # oneself
    assert "/mine/results/" not in text(charlie.get(f"/m/{table.key}/"))


def test_the_former_addresses_lead_there_and_who_lost_the_seat_finds_it_no_more(table: Table) -> None:
    end(table, "A")
    answer = table.alice.get(f"/mine/friends/{table.key}/B/")
    assert (answer.status_code, answer["Location"]) == (301, where(table, "B"))
    assert table.alice.get(answer["Location"]).status_code == 200
    flow.new_link(table.a, guest_at(table.a))
    Hold.every.filter(seat=table.a).update(sitting=99)
    assert page_of(table, table.alice, "B") == "404"


def test_what_is_between_two_says_nothing_of_a_third(alice: Browser, bob: Browser, charlie: Browser) -> None:
    dora = Browser("Dora")
    end(sit_down(alice, dora, charlie, "robble"), "A")
    other = sit_down(alice, dora, charlie)
    end(table := sit_down(alice, bob, charlie), "B")
    page = page_of(table, alice, "B")
    shown = page[page.index("<main") : page.index("</main")]
    shown = re.sub(r"<button.*?</button>", "", shown, flags=re.DOTALL)  # to which games he can be invited
    assert "Dora" not in page and "Robble" not in shown and other.key not in page


def test_there_is_none_while_the_match_goes_on(table: Table) -> None:
    assert page_of(table, table.alice, "B") == "404"
    assert "/mine/results/" not in text(table.alice.get(table.a.get_absolute_url()))
    flow.resign(table.b)
    link = f"?with={table.key}&seat=B"
    assert f'href="/mine/results/{link}"' in text(table.alice.get(table.a.get_absolute_url()))
    assert f'href="/mine/results/{link}"' in text(table.alice.get("/me/"))


def test_who_was_forgotten_is_nobodys_friend(table: Table) -> None:
    end(table, "A")
    Guest.objects.filter(pk=guest_at(table.b).pk).update(leaving_at="2026-01-01T00:00Z")
    assert page_of(table, table.alice, "B") == "404"
    Guest.objects.update(leaving_at=None)
    assert table.bob.post("/me/forget/", {"sure": "1"}).status_code == 302
    assert page_of(table, table.alice, "B") == "404"
    assert page_of(table, table.bob, "A") == "404"


def test_two_guests_who_became_one_have_one_page(alice: Browser, bob: Browser, charlie: Browser) -> None:
    phone = Browser("Bob")
    end(first := sit_down(alice, bob, charlie), "A")
    end(second := sit_down(alice, phone, charlie), "A")
    assert "Alice 1 – Bob 0" in words(page_of(first, alice, "B"))
    merge(guest_at(second.b), guest_at(first.b))
    for table in (first, second):
        assert "Alice 2 – Bob 0" in words(page_of(table, alice, "B"))
    for browser in (bob, phone):
        assert "Bob 0 – Alice 2" in words(page_of(first, browser, "A"))


def test_its_work_is_bounded(
    alice: Browser, bob: Browser, charlie: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same queries for two matches as for many; only the last matches are replayed."""
    for _ in range(2):
        end(table := sit_down(alice, bob, charlie), "A")

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert page_of(table, alice, "B") != "404"
        return len(asked)

    Hold.every.update(seen_turn=9)
    few = queries()
    for _ in range(5):
        end(table := sit_down(alice, bob, charlie), "A")
        sit_down(alice, bob, charlie)
    Hold.every.update(seen_turn=9)
    page_of(table, alice, "B")
    assert queries() <= few + 2 <= 23  # and two for the running ones
    seen: set[str] = set()

    def noted(match: Match) -> Highlight:
        seen.add(match.key)
        return best(match)

    monkeypatch.setattr(comic, "best", noted)
    page_of(table, alice, "B")
    assert len(seen) == friends.SEEN


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


def test_at_a_shared_device_one_is_no_friend_of_oneself_and_what_was_played_on_does_not_count(
    alice: Browser,
) -> None:
    alice.post("/matches/", {"game": "robble", "name": "Alice", "with": "here", "here": "Yan"})
    here = Seat.objects.select_related("match").get(letter="A")
    flow.resign(here)
    watch(here.match)
    assert alice.get(f"/mine/results/?with={here.match.key}&seat=B").status_code == 404
    assert "/mine/results/" not in text(alice.get(here.get_absolute_url()))
    on = against_bot(alice, "pigs", "thorough", 1)
    Match.objects.filter(pk=on.match.pk).update(flags=MatchFlag.TAKEN_OVER)
    record = record_of(guest_at(on))
    assert record.played == 0 and record.best is None and record.bots == []


def test_somebody_who_has_played_nothing_is_told_what_to_do(table: Table) -> None:
    for browser in (table.alice, Browser("Nobody")):
        page = text(browser.get("/me/"))
        assert page.count('form="play-now"') == 4
    assert "No results yet" in text(table.alice.get("/me/"))


def test_settings_are_a_tab_of_rows(table: Table) -> None:
    assert "Create my phrase" not in text(table.alice.get("/me/"))
    page = text(table.alice.get("/me/?settings=1"))
    assert page.index("Create my phrase") < page.index("Download my data")
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
