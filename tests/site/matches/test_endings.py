"""Ending a match together: draws and calling off, accepted or declined; what follows is said before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.test import Client

from games import newest
from games.pigs.options import Options
from games.roboxing.robot import PLAIN
from robosite.matches import flow
from robosite.matches.flow import Ending, Refused
from robosite.matches.models import Match, Seat
from robosite.play.match_stages import IDLE
from tests.site.browsers import FIRST, OTHER, Browser, Table, text

pytestmark = pytest.mark.django_db


def seen(browser: Browser, seat: Seat, more: str = "") -> str:
    return text(browser.get(f"{seat.get_absolute_url()}{more}"))


def test_a_fight_in_which_nothing_happens_says_so_beside_a_draw(alice: Browser, bob: Browser) -> None:
    match = alice.make(game="roboxing")
    bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    table = Table(match.key, alice, bob, alice, "")
    table.play((PLAIN, PLAIN), *[("-", "-")] * (IDLE - 1))
    assert "No lasting change" not in seen(alice, table.a)
    table.play(("-", "-"))
    assert f"No lasting change in {IDLE} turns" in seen(alice, table.a)
    alice.do(table.a, "draw", offer="1")
    assert "No lasting change" not in seen(alice, table.a)
    assert "Alice offers a draw" in (asked := seen(bob, table.b)) and "No lasting change" not in asked


def test_among_three_other_words_are_true(three: Table) -> None:
    shown = seen(three.alice, three.a, "more/")
    for words in (
        "If Bob and Dora agree, it’s a draw, and you share the point.",
        "If you resign, you’re out at once, and Bob and Dora play on.",
    ):
        assert words in shown
    flow.resign(three.seat("C"))
    flow.seal(three.a, 0, FIRST)
    flow.seal(three.b, 0, FIRST)
    assert "If you resign, Bob wins at once." in seen(three.alice, three.a, "more/")
    assert "Resign" not in text(Browser("Dora").get(f"{three.a.get_absolute_url()}more/"))


@pytest.mark.parametrize(
    ("deed", "heading"), [("draw", "Alice offers a draw"), ("call-off", "Alice asks to cancel")]
)
def test_an_offer_is_a_box_for_the_other_and_nobody_else(table: Table, deed: str, heading: str) -> None:
    assert heading not in seen(table.bob, table.b)
    table.alice.do(table.a, deed, offer="1")
    assert heading in seen(table.bob, table.b) and heading not in seen(table.alice, table.a)
    watched = text(table.charlie.get(f"/m/{table.key}/"))
    assert heading not in watched
    assert ("offers a draw" if deed == "draw" else "asks to cancel") in watched


def test_g3_resignations_and_offers_of_a_draw_are_public_at_once(three: Table) -> None:
    """The others have sealed nothing yet, and what Alice has sealed stays secret."""
    flow.seal(three.a, 0, FIRST)
    flow.offer_draw(three.a, offer=True)
    flow.resign(three.seat("C"))
    assert three.match.turn == 0
    for shown in (seen(three.bob, three.b), text(three.charlie.get(f"/m/{three.key}/"))):
        assert "offers a draw" in shown and "resigns" in shown and FIRST not in shown


def test_called_off_by_all_it_ends_and_nobody_has_won(table: Table) -> None:
    flow.seal(table.b, 0, OTHER)
    table.alice.do(table.a, "call-off", offer="1")
    assert table.match.status == "playing"
    table.bob.do(table.b, "call-off", offer="1")
    assert (table.match.status, table.match.outcome) == ("aborted", None)
    assert "cancelled" in seen(table.alice, table.a)
    assert flow.draft_of(table.match, table.b) == OTHER  # what was sealed stays Bob's own


@pytest.mark.parametrize("ending", Ending)
def test_declined_it_goes_on_and_the_offer_stands(table: Table, ending: Ending) -> None:
    flow.offer_ending(table.a, ending, offer=True)
    version = table.match.version
    flow.decline_ending(table.b, ending)
    flow.decline_ending(table.b, ending)
    assert table.match.version == version + 1
    deed = {"draw": "draw", "off": "call-off"}[ending]
    assert f'offer-{deed}"' not in seen(table.bob, table.b)
    assert "Bob declined." in seen(table.alice, table.a)
    menu = seen(table.alice, table.a, "more/")
    assert menu.count("Bob declined, but can still agree.") == 1 and menu.count("If Bob agrees, it") == 1
    assert flow.offer_stands(table.a, table.match, ending)
    table.play((FIRST, OTHER))
    flow.offer_ending(table.a, ending, offer=True)  # asked again in another round, it is asked again
    assert f'offer-{deed}"' in seen(table.bob, table.b)
    flow.decline_ending(table.b, ending)
    flow.offer_ending(table.b, ending, offer=True)  # Bob may still come to agree
    assert table.match.status in ("over", "aborted")


def test_nothing_can_be_declined_that_nobody_offers(table: Table) -> None:
    flow.offer_draw(table.a, offer=True)
    for seat, ending in ((table.a, Ending.DRAW), (table.b, Ending.OFF)):
        with pytest.raises(Refused, match="No one is offering"):
            flow.decline_ending(seat, ending)


@pytest.mark.parametrize("ending", Ending)
def test_an_offer_stands_until_the_next_turn_has_been_played(table: Table, ending: Ending) -> None:
    flow.offer_ending(table.a, ending, offer=True)
    table.play((FIRST, OTHER))
    assert flow.offer_stands(table.a, table.match, ending)
    table.play((OTHER, OTHER))
    assert not flow.offer_stands(table.a, table.match, ending)
    flow.offer_ending(table.b, ending, offer=True)
    assert table.match.status == "playing"


def test_it_takes_all_who_are_still_in(three: Table) -> None:
    flow.offer_ending(three.a, Ending.OFF, offer=True)
    flow.offer_ending(three.b, Ending.OFF, offer=True)
    assert three.match.status == "playing"
    flow.resign(three.seat("C"))  # who goes is not asked
    assert three.match.status == "aborted"


def test_bots_are_not_asked(alice: Browser) -> None:
    alice.post("/play/", {"game": "pigs", "name": "Alice"})
    seat = Seat.objects.select_related("match").get(letter="B")
    alice.do(seat, "call-off", offer="1")
    assert Match.objects.get().status == "aborted"


def test_before_the_start_and_after_the_end_there_is_nothing_to_agree_on(
    alice: Browser, table: Table
) -> None:
    seat: Any = alice.make().seats.get(letter="A")
    with pytest.raises(Refused, match="hasn’t begun"):
        flow.offer_ending(seat, Ending.OFF, offer=True)
    flow.resign(table.a)
    with pytest.raises(Refused, match="is over"):
        flow.offer_ending(table.b, Ending.OFF, offer=True)


class Ends(NamedTuple):
    """A case: what stands before somebody leaves, and the result: "playing", "aborted", or the winner."""

    wishes: str
    """The wishes, each after its seat: `A off B draw`."""
    go: str
    """The seats that leave, one after the other."""
    end: str


OF_TWO = [
    Ends("", "B", "A"),
    Ends("A off", "B", "A"),
    Ends("B off", "B", "A"),
    Ends("A draw", "B", "A"),
    Ends("B draw", "B", "A"),
    Ends("A off A draw", "B", "A"),
    Ends("A off B draw", "B", "A"),
    Ends("A draw B off", "B", "A"),
    Ends("A off B no", "B", "A"),
]
OF_THREE = [
    Ends("", "C", "playing"),
    Ends("A off", "C", "playing"),
    Ends("A draw", "C", "playing"),
    Ends("A draw B draw", "C", "playing"),  # G2: a draw by some only is none
    Ends("A off B off", "C", "aborted"),  # all who are left want it, and there are two of them
    Ends("A off C off", "C", "playing"),
    Ends("A off", "CB", "A"),
    Ends("A draw", "CB", "A"),
    Ends("A off A draw B draw", "CB", "A"),
    Ends("B off C off", "CB", "A"),
]


def wish(seats: Callable[[str], Seat], wishes: str) -> None:
    words = wishes.split()
    for letter, what in zip(words[::2], words[1::2], strict=True):
        if what == "no":
            flow.decline_ending(seats(letter), Ending.OFF)
        else:
            flow.offer_ending(seats(letter), Ending(what), offer=True)


def ended(match: Match) -> str:
    """The match's status, or its winner."""
    if match.outcome is None:
        return str(match.status)
    return "".join(seat for seat, share in match.outcome.scores.items() if share == 1)


@pytest.mark.parametrize("case", OF_TWO, ids=str)
@pytest.mark.parametrize("played", [0, 2])
def test_of_two_who_resigns_has_lost_whatever_was_wished(table: Table, case: Ends, played: int) -> None:
    table.play(*[(FIRST, OTHER)] * played)
    wish(table.seat, case.wishes)
    flow.resign(table.seat(case.go))
    assert ended(table.match) == case.end
    assert table.match.outcome and table.match.outcome.reason == "resigned"


@pytest.mark.parametrize("case", OF_THREE, ids=str)
@pytest.mark.parametrize("sealed", [False, True])
def test_of_three_a_wish_ends_it_only_if_two_are_left_who_share_it(
    three: Table, case: Ends, sealed: bool
) -> None:
    wish(three.seat, case.wishes)
    if sealed:
        flow.seal(three.a, 0, OTHER)
    for letter in case.go:
        flow.resign(three.seat(letter))
    assert ended(three.match) == case.end


@pytest.mark.parametrize("late", ["claim", "forfeit"])
@pytest.mark.parametrize("case", [case for case in OF_TWO if "no" not in case.wishes], ids=str)
def test_so_does_who_is_claimed_or_late_in_a_match_with_forfeits(
    alice: Browser, time: Any, late: str, case: Ends
) -> None:
    match, taken, invite = flow.create(newest("pigs"), Options(), 2, "Alice", deadline_hours=24, late=late)
    flow.join(match, "Bob", invite=invite)
    seats = {seat.letter: seat for seat in match.seats.all()}
    wish(lambda letter: match.seats.select_related("match").get(letter=letter), case.wishes)
    flow.seal(taken.seat, 0, OTHER)
    time.pass_(hours=25)
    match = flow.apply_due(Match.objects.get(pk=match.pk))
    if late == "claim":
        flow.claim(seats["A"], seats["B"])
        match.refresh_from_db()
    assert ended(match) == case.end


def test_with_a_bot_left_too_who_is_left_is_not_alone(alice: Browser) -> None:
    """Resigning against a person and a bot is final; the person's own wish then needs no other's yes."""
    match, taken, invite = flow.create(newest("pigs"), Options(), 3, "Alice", bots={"C": "random"})
    bob = flow.join(match, "Bob", invite=invite).seat
    flow.offer_ending(taken.seat, Ending.OFF, offer=True)
    assert Match.objects.get().status == "playing"
    flow.resign(bob)
    assert Match.objects.get().status == "aborted"


def test_a_program_that_sits_there_by_its_token_is_asked_as_people_are(table: Table) -> None:
    """It cannot be called off over its head: it is no bot of the site's own."""
    api = Client()
    made = api.post(
        "/api/v1/matches", {"game": "pigs", "name": "Eve"}, content_type="application/json"
    ).json()
    invited = {"name": "Ben", "invite": made["invite"]}
    path = f"/api/v1/matches/{made['match']}"
    assert api.post(f"{path}/seats", invited, content_type="application/json").status_code == 201
    of_ben = Seat.objects.select_related("match").get(match__key=made["match"], letter="B")
    flow.offer_ending(of_ben, Ending.OFF, offer=True)
    shown = api.get(path, headers={"Authorization": f"Bearer {made['token']}"}).json()
    assert shown["status"] == "playing" and shown["seats"]["A"]["kind"] == "human"
    token = {"Authorization": f"Bearer {made['token']}"}
    assert api.post(f"{path}/resign", "", content_type="application/json", headers=token).json()["outcome"][
        "scores"
    ] == {"A": 0, "B": 1}


def test_what_all_who_are_left_had_offered_ends_it_once_the_others_are_out(three: Table) -> None:
    """An offer stands until the next turn has been played, so it counts when the third is out by a turn."""
    flow.offer_draw(three.a, offer=True)
    flow.offer_draw(three.b, offer=True)
    flow.resign(three.seat("C"))
    flow.seal(three.a, 0, OTHER)
    flow.seal(three.b, 0, OTHER)
    assert three.match.outcome and three.match.outcome.reason == "agreed"
    assert three.match.outcome.scores == {"A": 0.5, "B": 0.5, "C": 0}
