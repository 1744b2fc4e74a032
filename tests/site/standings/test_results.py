"""Results of players and between friends, and figures of all finished matches."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import GAMES, newest
from games.core import Outcome
from games.core import Seat as Letter
from games.figures import LEAST, Finished, Tally, wilson
from robosite.matches import clock, figures, flow
from robosite.matches.flow import Ending
from robosite.matches.models import Hold, Match, MatchFlag, Program, Seat
from robosite.matches.site_models import Figures
from robosite.people.current_guest import merge
from robosite.people.models import Guest
from robosite.play.highlights import Highlight, best
from robosite.share import comic
from robosite.standings import friends, game_figures, player, results
from robosite.standings.player import record_of
from robosite.standings.results import Score, friends_of, score_lines
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, sit_down, text


def guest_at(seat: Seat) -> Guest:
    return Hold.objects.get(seat=seat).guest


def end(table: Table, winner: str) -> None:
    """Ends a match for two, and both watch it: A or B wins, "" is a draw."""
    if winner:
        flow.resign(table.seat("B" if winner == "A" else "A"))
    else:
        flow.offer_draw(table.a, offer=True)
        flow.offer_draw(table.b, offer=True)
    watch(table.match)


def opponents(browser: Browser, address: str) -> dict[str, str]:
    """The results on the page You, by opponent."""
    section = text(browser.get(address)).partition('id="against-title"')[2].partition("</section>")[0]
    entries = re.findall(r'class="who"[^>]*>\s*(.*?)</a>(.*?)</li>', section, re.DOTALL)
    return {name.strip(): re.sub("<.*?>", "", score).strip() for name, score in entries}


def watch(match: Match) -> None:
    """All who sit in the match watch it to its end."""
    match.refresh_from_db()
    Hold.every.filter(seat__match=match).update(seen_turn=match.turn)


def test_the_same_friends_results(alice: Browser, bob: Browser, charlie: Browser) -> None:
    for winner in ("A", "A", "", "B", "A"):
        end(table := sit_down(alice, bob, charlie), winner)
    stones = sit_down(bob, alice, charlie, "robble")  # here Bob sits on A
    end(stones, "A")
    off = sit_down(alice, bob, charlie)
    for seat in (off.a, off.b):
        flow.offer_ending(seat, Ending.OFF, offer=True)
    (friend,) = friends_of(guest_at(table.a))
    assert (friend.name, friend.score) == ("Bob", Score(won=3, lost=2, drawn=1))
    assert {(line.game, line.score) for line in friend.lines} == {
        ("Robo Battle Pigs", Score(3, 1, 1)),
        ("Robble", Score(0, 1, 0)),
    }
    (friend,) = friends_of(guest_at(table.b))
    assert (friend.name, friend.score) == ("Alice", Score(2, 3, 1))
    shown = " ".join(text(alice.get(f"/mine/results/?with={table.key}&seat=B")).split())
    assert "Alice 3 – Bob 2</strong>, one draw" in shown and "Robble" in shown
    for address in ("/me/", f"/me/?with={table.key}"):
        assert "3 won, 2 lost, 1 drawn" in opponents(alice, address)["Bob"]
    assert opponents(charlie, f"/me/?with={table.key}") == {}
    assert (alice.get("/mine/results/").status_code, alice.get("/mine/results/")["Location"]) == (301, "/me/")
    assert "Head-to-head" not in text(alice.get(table.a.get_absolute_url()))
    moved = alice.get(f"{table.a.get_absolute_url()}results/")
    assert (moved.status_code, moved["Location"]) == (301, f"/me/?with={table.key}")


def test_presets_are_told_apart(alice: Browser, bob: Browser, charlie: Browser) -> None:
    for _ in range(2):
        end(table := sit_down(alice, bob, charlie), "A")
    kids = table.match.game.presets["kids"]
    Match.objects.filter(pk=table.match.pk).update(given_options=dict(kids.options))
    (friend,) = friends_of(guest_at(table.a))
    assert [line.preset.name for line in friend.lines] == [kids.name, "Standard"]
    assert all(line.score == Score(1, 0, 0) for line in friend.lines)


def test_no_two_rows_read_alike() -> None:
    """Matches of two and of three players in the same variant are one row."""
    kind = {"match__game_slug": "pigs", "match__rules": 1, "match__given_options": {}, "last": timezone.now()}
    rows = [
        {**kind, "seats": 2, "won": 1, "lost": 0, "drawn": 0, "together": 0},
        {**kind, "seats": 3, "won": 1, "lost": 2, "drawn": 0, "together": 1},
    ]
    assert [line.score for line in score_lines(rows)] == [Score(2, 2, 0, together=1)]


def test_friends_of_one_name_are_numbered(alice: Browser, bob: Browser, charlie: Browser) -> None:
    for friend in (bob, Browser("Bob"), Browser("bob"), bob):
        end(table := sit_down(alice, friend, charlie), "A")
    assert [one.name for one in friends_of(guest_at(table.a))] == ["Bob", "bob (3)", "Bob (2)"]


def test_to_lose_together_to_a_bot_is_no_draw_and_a_second_device_no_friend(table: Table) -> None:
    phone = Hold.objects.create(seat=table.b, guest=Guest.objects.create(name="Bob's phone"))
    end(table, "A")
    (friend,) = friends_of(guest_at(table.a))
    assert friend.score == Score(1, 0, 0), "another device of a friend counts nothing twice"
    phone.delete()
    lost = {"scores": {"A": 0, "B": 0, "C": 1}, "reason": "last"}
    Match.objects.filter(pk=table.match.pk).update(outcome_json=lost)
    for seat in (table.a, table.b):
        (friend,) = friends_of(guest_at(seat))
        assert friend.score == Score(0, 0, 0, together=1)
    shown = " ".join(text(table.alice.get(f"/mine/results/?with={table.key}&seat=B")).split())
    assert "one lost together" in shown and "one draw" not in shown


def test_two_friends_read_the_same_though_one_has_not_opened_an_end(table: Table) -> None:
    table.play_some(1)
    flow.resign(table.b)
    table.alice.get(table.a.get_absolute_url())  # Bob has yet to look
    hers = text(table.alice.get(f"/mine/results/?with={table.key}&seat=B"))
    his = text(table.bob.get(f"/mine/results/?with={table.key}&seat=A"))
    assert "Alice 1 – Bob 0" in hers and "Bob 0 – Alice 1" in his
    assert "Includes one ending" in his and "Includes one" not in hers
    assert "Includes one ending" in text(table.bob.get("/me/"))
    (hers_of,), (his_of,) = (friends_of(guest_at(seat)) for seat in (table.a, table.b))
    assert (hers_of.score, his_of.score) == (Score(1, 0, 0), Score(0, 1, 0))
    assert ">lost" not in text(table.bob.get("/mine/")), "a list of matches tells no end"
    table.bob.get(table.b.get_absolute_url())
    assert "Includes one" not in text(table.bob.get(f"/mine/results/?with={table.key}&seat=A"))


def test_among_three_each_pair_has_its_score(three: Table, dora: Browser) -> None:
    flow.resign(three.seat("C"))
    for letter in "AB":
        flow.seal(three.seat(letter), 0, "H H H H H")
    for letter in "AB":
        flow.offer_draw(three.seat(letter), offer=True)
    watch(three.match)
    scores = {friend.name: friend.score for friend in friends_of(guest_at(three.a))}
    assert scores == {"Bob": Score(0, 0, 1), "Dora": Score(1, 0, 0)}
    end(sit_down(three.alice, Browser("Erin"), dora), "B")
    assert friends_of(guest_at(three.a))[0].name == "Erin"
    assert {friend.name for friend in friends_of(guest_at(three.a), three.match)} == {"Bob", "Dora"}


def test_friends_come_in_pages_the_last_ones_first(
    alice: Browser, charlie: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (results, player):
        monkeypatch.setattr(module, "LISTED", 2)
    for name in ("Erin", "Finn", "Gus", "Hal", "Ina"):
        end(sit_down(alice, Browser(name), charlie), "A")

    def shown(page: int) -> list[str]:
        section = text(alice.get(f"/me/?page={page}")).partition('id="against-title"')[2]
        ways = ("All opponents", "Older")
        return [*opponents(alice, f"/me/?page={page}"), *(way for way in ways if way in section)]

    assert shown(1) == ["Ina", "Hal", "Older"]
    assert shown(2) == ["Gus", "Finn", "All opponents", "Older"]
    assert shown(3) == ["Erin", "All opponents"]
    assert shown(4) == ["All opponents"]


def test_the_others_are_asked_and_sit_down_with_one_tap(table: Table) -> None:
    flow.resign(table.b)
    table.alice.do(table.a, "rematch")
    after = Match.objects.get(rematch_of=table.match)
    assert "Rematch: " in text(table.bob.get("/mine/"))
    assert "Rematch: " not in text(table.alice.get("/mine/"))
    for browser, path in ((table.alice, table.a.get_absolute_url()), (table.charlie, f"/m/{table.key}/")):
        assert "asks for a rematch" not in text(browser.get(path))
    assert table.bob.do(table.b, "rematch")["Location"] == f"/m/{after.key}/A/"
    assert "Rematch: " not in text(table.bob.get("/mine/"))
    shown = text(table.bob.get(table.b.get_absolute_url()))
    assert "asks for a rematch" not in shown and "Go to the rematch" in shown


def test_in_a_rematch_free_seats_are_kept_for_who_played_before(table: Table) -> None:
    flow.resign(table.b)
    answer: Any = table.alice.do(table.a, "rematch")
    shown = text(table.alice.get(answer["Location"]))
    assert "Free seats are kept for them." in shown and "awaited" in shown and "/s/invite/" not in shown
    assert re.findall(r'class="who">(\w+)', shown) == ["Bob", "Alice"]
    own = Match.objects.get(rematch_of=table.match).seats.select_related("match").get(letter="B")
    table.alice.do(own, "invite")  # unless she asks somebody else
    invite = table.alice.own_links(own)["invite"]
    table.charlie.join(invite)
    assert table.bob.do(table.b, "rematch").status_code == 409


A, B = Letter("A"), Letter("B")
real_balance = figures.balance


def matches(count: int, winner: str = "A", *, bot: bool = False, swap: bool = False, **more: Any) -> None:
    """Finished matches of Robble, of two turns."""
    scores = {letter: int(letter == winner) for letter in "AB"}
    given = {"outcome_json": {"scores": scores, "reason": "resigned"}, "game_slug": "robble", **more}
    for _ in range(count):
        match = Match.objects.create(rules=1, status=Match.Status.OVER, turn=2, **given)
        seats = [
            Seat(match=match, letter="A", name="Zaphod"),
            Seat(match=match, letter="B", name="Trillian", kind="bot" if bot else "human"),
        ]
        Seat.objects.bulk_create(seats)
        Program.objects.create(seat=seats[0], turn=0, order="d4")
        Program.objects.create(seat=seats[1], turn=1, order="swap" if swap else "d5")


@pytest.fixture(autouse=True)
def no_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_figures, "balance", dict)


@pytest.mark.parametrize(
    ("won", "of", "low", "high"),
    [(50, 100, 0.404, 0.596), (0, 30, 0.0, 0.114), (30, 30, 0.886, 1.0), (1, 2, 0.095, 0.905), (0, 0, 0, 1)],
)
def test_wilsons_intervals(won: int, of: int, low: float, high: float) -> None:
    """Against the values of R's `binom::binom.wilson`."""
    share = wilson(won, of)
    assert abs(share.low - low) < 1e-3 and abs(share.high - high) < 1e-3
    assert share.low <= share.share <= share.high


def test_tallies_add_up_and_are_kept_as_json() -> None:
    one, other = Tally(), Tally()
    one.add(Finished(Outcome({A: 1, B: 0}, "goal"), 10, {A: "w", B: "b"}, swapped=True))
    other.add(Finished(Outcome({A: 0.5, B: 0.5}, "agreed"), 30, {A: "b", B: "w"}))
    other.add(Finished(Outcome({A: 0, B: 1}, "goal"), 99_999, {A: "b", B: "w"}))
    one += Tally.from_json(json.loads(json.dumps(other.as_json())))
    assert (one.matches, one.shared, one.swaps) == (3, 1, 1)
    assert one.seats == {"A": 1, "B": 1} and one.sides == {"w": 2}
    assert one.reasons == {"goal": 2, "agreed": 1}
    assert (one.length(0.25), one.length(0.5), one.length(1)) == (10, 30, 2000)


def test_people_and_bots_are_counted_apart_and_swaps_by_colour() -> None:
    matches(LEAST - 10)
    matches(10, winner="B", swap=True)
    matches(LEAST, bot=True)
    figures.count_all()
    told = figures.published()
    assert {kind.who: tally.matches for kind, tally in told.items()} == {"bots": LEAST, "people": LEAST}
    people = next(tally for kind, tally in told.items() if kind.who == "people")
    assert people.seats == {"A": LEAST - 10, "B": 10}
    assert people.sides == {"b": LEAST}  # who swapped won with Black
    assert people.swaps == 10 and people.turns == {2: LEAST}


def test_nothing_is_told_below_thirty_and_a_request_counts_nothing(alice: Browser) -> None:
    matches(LEAST - 1)
    figures.count_all()
    assert figures.published() == {}
    assert "29" not in text(alice.get("/rules/robble/figures/")).partition("<main")[2].partition("</main")[0]
    matches(1)
    Figures.objects.all().delete()
    alice.get("/rules/robble/figures/")
    assert not Figures.objects.exists()
    figures.count_all()
    shown = " ".join(text(alice.get("/rules/robble/figures/")).split())
    assert "30 matches." in shown and "100.0%" in shown
    assert "Zaphod" not in shown and "Trillian" not in shown


def test_what_is_not_of_a_preset_or_was_imported_is_left_out() -> None:
    matches(LEAST, given_options={"pie": False})
    matches(LEAST, imported=True)
    matches(LEAST, watched=False)
    figures.count_all()
    assert figures.published() == {}


def test_the_clock_counts_in_steps_once_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "AT_ONCE", 12)
    monkeypatch.setattr(figures, "_next_look", 0.0)
    matches(LEAST)
    steps = 0
    while clock.step():
        steps += 1
        assert steps < 10
        if steps == 2:
            assert Figures.objects.get(name=figures.WALK).data["after"]
    assert steps == 4  # three portions, and the end of the walk
    assert len(figures.published()) == 1 and not Figures.objects.filter(name=figures.WALK).exists()
    monkeypatch.setattr(figures, "_next_look", 0.0)
    matches(5)
    assert not clock.step()  # not before tomorrow


def test_the_command_counts_and_prints() -> None:
    matches(LEAST)
    out = StringIO()
    call_command("figures", stdout=out)
    (line,) = out.getvalue().splitlines()
    told = json.loads(line)
    assert told["players"] == 2 and told["seats"] == {"A": 30}
    assert (told["game"], told["preset"], told["who"], told["matches"]) == (
        "robble",
        "standard",
        "people",
        30,
    )


@pytest.mark.parametrize("slug", GAMES)
def test_what_programs_played_is_shown(alice: Browser, monkeypatch: pytest.MonkeyPatch, slug: str) -> None:
    """`make balance` has written figures of every preset."""
    monkeypatch.setattr(game_figures, "balance", real_balance)
    told = {kind: tally for kind, tally in real_balance().items() if kind.game == slug}
    assert {kind.preset for kind in told} == set(newest(slug).presets)
    assert all(tally.is_publishable for tally in told.values())
    assert all(sum(tally.reasons.values()) == tally.matches for tally in told.values())
    assert all(sum(tally.seats.values()) + tally.shared == tally.matches for tally in told.values())
    shown = " ".join(text(alice.get(f"/rules/{slug}/figures/")).split())
    assert all(f"{tally.matches} matches." in shown for tally in told.values())


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
