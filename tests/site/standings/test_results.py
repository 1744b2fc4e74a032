"""Results between friends, and figures of all finished matches."""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from games import GAMES, newest
from games.core import Outcome
from games.core import Seat as Letter
from games.figures import LEAST, Finished, Tally, wilson
from robosite.matches import clock, figures, flow
from robosite.matches.flow import Ending
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.matches.site_models import Figures
from robosite.people.models import Guest
from robosite.standings import game_figures as page
from robosite.standings import player, results
from robosite.standings.results import Score, friends_of, score_lines
from tests.site.browsers import Browser, Table, sit_down, text

pytestmark = pytest.mark.django_db


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


def test_among_three_each_pair_has_its_score(alice: Browser, bob: Browser) -> None:
    match = alice.make(3)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    dora = Browser("Dora")
    bob.join(invite)
    dora.join(invite)
    seats = {seat.letter: seat for seat in Seat.objects.filter(match=match).select_related("match")}
    flow.resign(seats["C"])
    for letter in "AB":
        flow.seal(seats[letter], 0, "H H H H H")
    for letter in "AB":
        flow.offer_draw(seats[letter], offer=True)
    watch(match)
    scores = {friend.name: friend.score for friend in friends_of(guest_at(seats["A"]))}
    assert scores == {"Bob": Score(0, 0, 1), "Dora": Score(1, 0, 0)}
    erin = sit_down(alice, Browser("Erin"), dora)
    end(erin, "B")
    assert friends_of(guest_at(seats["A"]))[0].name == "Erin"
    assert {friend.name for friend in friends_of(guest_at(seats["A"]), match)} == {"Bob", "Dora"}


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


def test_bots_and_oneself_are_no_friends(alice: Browser) -> None:
    alice.post("/play/", {"game": "pigs", "name": "Alice"})
    flow.resign(Seat.objects.select_related("match").get(letter="A"))
    alice.post("/matches/", {"game": "robble", "name": "Alice", "with": "here", "here": "Yan"})
    here = Seat.objects.select_related("match").get(letter="A", match__game_slug="robble")
    flow.resign(here)
    Hold.every.update(seen_turn=9)
    assert friends_of(guest_at(here)) == []


def test_the_others_are_asked_on_top_and_sit_down_with_one_tap(table: Table) -> None:
    flow.resign(table.b)
    bobs = table.b.get_absolute_url()
    assert "asks for a rematch" not in text(table.bob.get(bobs))
    table.alice.do(table.a, "rematch")
    after = Match.objects.get(rematch_of=table.match)
    assert "Rematch: " in text(table.bob.get("/mine/"))
    assert "Rematch: " not in text(table.alice.get("/mine/"))
    shown = text(table.bob.get(bobs))
    assert "Alice asks for a rematch" in shown and shown.count("Accept rematch") == 1
    assert "asks for a rematch" not in text(table.alice.get(table.a.get_absolute_url()))
    assert "asks for a rematch" not in text(table.charlie.get(f"/m/{table.key}/"))
    assert table.bob.do(table.b, "rematch")["Location"] == f"/m/{after.key}/A/"
    assert "Rematch: " not in text(table.bob.get("/mine/"))
    shown = text(table.bob.get(bobs))
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
    monkeypatch.setattr(page, "balance", dict)


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


@pytest.mark.django_db
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


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_what_is_not_of_a_preset_or_was_imported_is_left_out() -> None:
    matches(LEAST, given_options={"pie": False})
    matches(LEAST, imported=True)
    matches(LEAST, watched=False)
    figures.count_all()
    assert figures.published() == {}


@pytest.mark.django_db
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


@pytest.mark.django_db
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


@pytest.mark.django_db
@pytest.mark.parametrize("slug", GAMES)
def test_what_programs_played_is_shown(alice: Browser, monkeypatch: pytest.MonkeyPatch, slug: str) -> None:
    """`make balance` has written figures of every preset."""
    monkeypatch.setattr(page, "balance", real_balance)
    told = {kind: tally for kind, tally in real_balance().items() if kind.game == slug}
    assert {kind.preset for kind in told} == set(newest(slug).presets)
    assert all(tally.is_publishable for tally in told.values())
    assert all(sum(tally.reasons.values()) == tally.matches for tally in told.values())
    assert all(sum(tally.seats.values()) + tally.shared == tally.matches for tally in told.values())
    shown = " ".join(text(alice.get(f"/rules/{slug}/figures/")).split())
    assert all(f"{tally.matches} matches." in shown for tally in told.values())
