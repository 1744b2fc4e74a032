"""Opponents, and starting again from a turn."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.forms import model_to_dict
from django.test.utils import CaptureQueriesContext

from games import GAMES, newest
from games.core import Seat as Letter
from games.fairness import check
from games.players import USUAL
from games.record import replay
from robosite.matches import figures, flow
from robosite.matches.flow import takeback
from robosite.matches.flow.continuation import play_again
from robosite.matches.history import _kept, state_of, states_of
from robosite.matches.models import Match, MatchFlag, Program, Seat
from robosite.matches.records import record_of
from robosite.matches.site_models import Figures
from robosite.moderation.models import Salt
from robosite.people.models import Guest
from robosite.play.opponents import next_opponent, offered
from tests import at_once
from tests.site.browsers import Browser, Table, seat_at, text


@pytest.mark.parametrize(
    ("results", "player"),
    [
        ([], USUAL),
        ([("quick", 1)], "quick"),
        ([("quick", 1), ("quick", 1)], "thorough"),
        ([("quick", 0), ("quick", 0), ("quick", 1)], "hasty"),
        ([("quick", 0), ("quick", 1)], "quick"),
        ([("quick", 0.5), ("quick", 1)], "quick"),
        ([("thorough", 1), ("thorough", 1)], "thorough"),
        ([("random", 0), ("random", 0)], "random"),
        ([("hasty", 1), ("quick", 1), ("quick", 1)], "hasty"),
        ([("gone", 1), ("gone", 1)], USUAL),
        ([("thorough", None), ("quick", 1), ("quick", 1)], "thorough"),
        ([("quick", None), ("quick", 1), ("quick", 1)], "quick"),
    ],
)
def test_two_results_alike_lead_to_the_next_program(
    results: list[tuple[str, float | None]], player: str
) -> None:
    assert next_opponent(results) == player


def play(browser: Browser, slug: str, player: str, *, won: bool) -> None:
    """A match against a program that ends at once."""
    browser.post("/play/", {"game": slug, "player": player})
    match = Match.objects.latest("pk")
    flow.resign(match.seats.get(kind=Seat.Kind.BOT if won else Seat.Kind.HUMAN))


def test_the_pages_offer_a_stronger_program_after_two_wins_in_that_game(alice: Browser) -> None:
    for _ in range(2):
        play(alice, "robble", "quick", won=True)
        play(alice, "pigs", "quick", won=False)
    home = re.sub(r"<[^>]*>", " ", text(alice.get("/")))
    assert "Play now Robo Battle Pigs, easy bot" in " ".join(home.split())
    for slug, player in (("robble", "thorough"), ("pigs", "hasty"), ("robosoccer", USUAL)):
        page = alice.get(f"/new/{slug}/").content.decode()
        assert f'value="{player}" checked' in " ".join(page.split())
        alice.post("/play/", {"game": slug})
        assert Match.objects.latest("pk").seats.get(kind=Seat.Kind.BOT).player == player


def test_it_is_the_guest_s_own_result_and_costs_one_query(alice: Browser, bob: Browser) -> None:
    for _ in range(2):
        play(alice, "robble", "quick", won=True)
    own = Guest.objects.get()
    bob.make()
    for guest, player in ((own, "thorough"), (Guest.objects.latest("pk"), USUAL), (None, USUAL)):
        with CaptureQueriesContext(connection) as asked:
            assert offered(guest, ["robble", "pigs"]) == {"robble": player, "pigs": USUAL}
        assert len(asked) == (guest is not None)


def test_a_match_that_goes_on_is_remembered_but_none_of_a_league(alice: Browser) -> None:
    alice.post("/play/", {"game": "robble", "player": "thorough"})
    guest = Guest.objects.get()
    assert offered(guest, ["robble", "pigs"]) == {"robble": "thorough", "pigs": USUAL}
    Match.objects.get().set_flag(MatchFlag.BINDING)
    assert offered(guest, ["robble"]) == {"robble": USUAL}


def test_matches_of_people_and_a_bot_beside_a_friend_do_not_count(table: Table) -> None:
    alice = Guest.objects.get(name="Alice")
    match = table.match
    Seat.objects.create(match=match, letter="C", kind=Seat.Kind.BOT, player="quick", name="Gizmo")
    assert offered(alice, ["pigs"]) == {"pigs": USUAL}
    flow.resign(match.seats.get(letter="A"))
    assert offered(alice, ["pigs"]) == {"pigs": USUAL}
    match.seats.get(letter="C").delete()
    assert offered(alice, ["pigs"]) == {"pigs": USUAL}


def test_who_gave_no_name_is_asked_for_one_when_making_a_match(alice: Browser) -> None:
    alice.post("/play/", {"game": "robble"})
    assert Match.objects.get().seats.get(kind=Seat.Kind.HUMAN).name == "Guest"
    field = re.search(r'<input[^>]* name="name"[^>]*>', text(alice.get("/new/pigs/")))
    assert field and "Guest" not in field[0]
    alice.post("/play/", {"game": "robble", "name": "Zoe"})
    field = re.search(r'<input[^>]* name="name"[^>]*>', text(alice.get("/new/pigs/")))
    assert field and 'value="Zoe"' in field[0]


def finished(slug: str, turns: int = 4) -> Match:
    """A match against a bot that A has resigned after so many turns."""
    game, rng = newest(slug), Random(7)
    match = flow.create(game, game.read_options({}), 2, "Alice", bots={"B": "random"})[0]
    while match.turn < turns and match.status == "playing":
        at_once.answer_all()
        match.refresh_from_db()
        state = state_of(match)
        if match.status == "playing" and "A" in state.to_act():
            flow.seal(seat_at(match, "A"), match.turn, state.view(Letter("A")).sample(Letter("A"), rng))
            match.refresh_from_db()
    if match.status == "over":  # the bot's dice have ended it so early: that counts for nothing here
        return finished(slug, turns)
    flow.resign(seat_at(match, "A"))
    match.refresh_from_db()
    assert match.status == "over"
    return match


def go_on(before: Match, turns: int, at: str = "A") -> Match:
    guest = Guest.objects.create(name="Zoe")
    made = play_again(before, turns, at, "Zoe", "random", guest=guest).seat.match
    return Match.objects.get(pk=made.pk)


@pytest.mark.parametrize("at", "AB")
@pytest.mark.parametrize("slug", GAMES)
def test_it_goes_on_from_the_same_position_and_its_record_replays(slug: str, at: str) -> None:
    before = finished(slug)
    match = go_on(before, 3, at)
    assert (match.status, match.turn) == ("playing", 3)
    _kept.clear()
    assert state_of(match).position() == states_of(before)[3].position()
    at_once.answer_all()
    match.refresh_from_db()
    flow.resign(seat_at(match, at))
    match.refresh_from_db()
    record = record_of(match)
    assert replay(record).fault is None and record["turns"][:3] == record_of(before)["turns"][:3]
    assert [told["by"] for turn in record["seals"][:3] for told in turn.values()].count("record") >= 3
    assert "checked" in next(check(record))


def test_a_robot_that_was_built_in_secret_is_secret_again() -> None:
    match = go_on(finished("roboxing"), 2)
    built = Program.objects.filter(seat__match=match, turn=0)
    assert {(one.order, one.nonce) for one in built} == {("", "")}
    assert "?" in state_of(match).view(Letter("A")).position().split("B1@")[1]
    with pytest.raises(flow.Refused):
        record_of(match)
    match.refresh_from_db()
    assert match.status == "playing"
    with pytest.raises(flow.Refused):  # only a match that is over can be played again
        go_on(match, 0)


def test_turns_that_were_taken_over_are_never_taken_back() -> None:
    match = go_on(finished("robble"), 2)
    assert takeback.mover(match) is None
    flow.seal(seat_at(match, "A"), 2, state_of(match).sample(Letter("A"), Random(1)))
    match.refresh_from_db()
    assert takeback.mover(match) == "A"
    takeback.ask(seat_at(match, "A"), 3, 0)
    match.refresh_from_db()
    assert match.turn == 2 and takeback.mover(match) is None


def test_it_counts_neither_in_the_figures_nor_for_the_next_bot() -> None:
    before = finished("robble")
    match = go_on(before, 2)
    holder = match.seats.get(letter="A").holds.get().guest
    flow.resign(seat_at(match, "A"))
    for _ in range(2):
        again = play_again(before, 1, "A", "Zoe", "random", guest=holder).seat
        flow.resign(again)
    assert offered(holder, ["robble"])["robble"] == USUAL
    figures.count_all()
    counted = Figures.objects.get(name=figures.TOLD).data
    assert len(counted) == 1 and "'matches': 3" not in str(counted)


def test_the_page_offers_it_refuses_what_there_is_not_and_begins_it(alice: Browser) -> None:
    before = finished("pigs")
    at = f"/m/{before.key}/again/"
    assert f"{at}?turn=2" in text(alice.get(f"/m/{before.key}/?at=2"))
    assert "Round 3" in text(alice.get(f"{at}?turn=3"))
    given = {"turn": "3", "seat": "B", "player": "hasty"}
    for wrong in ({"turn": "99"}, {"turn": "0"}, {"seat": "H"}, {"seat": ""}, {"player": "clever"}):
        assert alice.post(at, {**given, **wrong}).status_code == 409, wrong
    assert Match.objects.count() == 1
    answer = alice.post(at, given)
    match = Match.objects.latest("pk")
    assert answer["Location"] == f"/m/{match.key}/B/" and match.turn == 2
    assert seat_at(match, "A").player == "hasty"
    assert "Its first 2 turns come from another match." in text(alice.get(answer["Location"]))


LANGUAGE = {"HTTP_ACCEPT_LANGUAGE": "de", "REMOTE_ADDR": "192.0.2.7"}
CHANCE = {"id", "key", "match", "guest", "seat", "invite_hash", "link_hash", "taken_at", "setup"}
"""The facts that differ in every match."""


def rows() -> Counter[str]:
    """The number of rows of each model, but for the tally of requests, which pages alone make."""
    models = [model for model in apps.get_models() if model._meta.label != "trail.Tally"]
    return Counter({model._meta.label: model._default_manager.count() for model in models})


def facts(match: Match) -> list[dict[str, Any]]:
    """The match, its seats, holds and guests, without what is another one in every match."""
    seats = list(match.seats.order_by("letter"))
    guests = list(Guest.objects.order_by("pk"))
    holds = [hold for seat in seats for hold in seat.holds.all()]
    match.late = match.if_late
    return [
        {name: value for name, value in model_to_dict(row).items() if name not in CHANCE}
        for row in (match, *seats, *guests, *holds)
    ]


@pytest.mark.parametrize("slug", GAMES)
def test_a_table_through_the_flow_is_one_through_the_pages(db: Any, slug: str) -> None:
    made = []
    for by_page in (True, False):
        Match.objects.all().delete()
        Guest.objects.all().delete()
        Salt.objects.all().delete()
        before = rows()
        alice, bob = Browser("Alice", **LANGUAGE), Browser("Bob", **LANGUAGE)
        alice.cookies["zone"] = "Asia/Tokyo"
        match = (alice.make_by_page if by_page else alice.make)(game=slug)
        seat = match.seats.get(letter="A")
        invite = alice.own_links(seat)["invite"]
        assert alice.links(seat) == alice.own_links(seat)
        if by_page:
            assert bob.accept(invite).status_code == 302
        else:
            bob.join(invite)
        match.refresh_from_db()
        kept = [dict(browser.session.items()) for browser in (alice, bob)]
        assert [session["guest"] for session in kept] == [
            Guest.objects.get(name=name).pk for name in ("Alice", "Bob")
        ]
        names = [sorted(session) for session in kept]
        made.append((facts(match), rows() - before, names, sorted(bob.cookies)))
    assert made[0] == made[1]
