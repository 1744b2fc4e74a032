"""Which program is offered: it follows from a guest's last results, and costs no page but those that ask."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.players import USUAL
from robosite.matches import flow
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.people.models import Guest
from robosite.play.opponents import next_opponent, offered
from tests.site.browsers import Browser, Table, text


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
    bob.make()
    other = Guest.objects.exclude(name=Guest.objects.order_by("pk")[0].name).latest("pk")
    for guest, player in ((Guest.objects.order_by("pk")[0], "thorough"), (other, USUAL), (None, USUAL)):
        with CaptureQueriesContext(connection) as asked:
            assert offered(guest, ["robble", "pigs"]) == {"robble": player, "pigs": USUAL}
        assert len(asked) == (guest is not None)


def test_a_match_that_goes_on_is_remembered(alice: Browser) -> None:
    alice.post("/play/", {"game": "robble", "player": "thorough"})
    assert offered(Guest.objects.get(), ["robble", "pigs"]) == {"robble": "thorough", "pigs": USUAL}


def test_a_bot_beside_a_friend_is_no_opponent_to_offer_again(table: Table) -> None:
    alice = Guest.objects.get(name="Alice")
    match = table.match
    Seat.objects.create(match=match, letter="C", kind=Seat.Kind.BOT, player="quick", name="Gizmo")
    assert offered(alice, ["pigs"]) == {"pigs": USUAL}
    flow.resign(match.seats.get(letter="A"))
    assert offered(alice, ["pigs"]) == {"pigs": USUAL}


def test_a_match_of_a_league_says_nothing_of_which_bot_to_offer(alice: Browser) -> None:
    play(alice, "robble", "random", won=True)
    guest = Guest.objects.get()
    assert offered(guest, ["robble"]) == {"robble": "random"}
    Match.objects.get().set_flag(MatchFlag.BINDING)
    assert offered(guest, ["robble"]) == {"robble": USUAL}


def test_who_gave_no_name_is_asked_for_one_when_making_a_match(alice: Browser) -> None:
    alice.post("/play/", {"game": "robble"})
    assert Match.objects.get().seats.get(kind=Seat.Kind.HUMAN).name == "Guest"
    field = re.search(r'<input[^>]* name="name"[^>]*>', text(alice.get("/new/pigs/")))
    assert field and "Guest" not in field[0]
    alice.post("/play/", {"game": "robble", "name": "Zoe"})
    field = re.search(r'<input[^>]* name="name"[^>]*>', text(alice.get("/new/pigs/")))
    assert field and 'value="Zoe"' in field[0]


def test_matches_of_people_do_not_count(table: Table) -> None:
    flow.resign(table.b)
    assert offered(Guest.objects.get(name="Alice"), ["pigs"]) == {"pigs": USUAL}
