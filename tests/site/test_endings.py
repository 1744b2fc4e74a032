"""Ending a match together: draws and calling off, accepted or declined; what follows is said before."""

from __future__ import annotations

from typing import Any

import pytest

from robosite.matches import flow
from robosite.matches.flow import Ending, Refused
from robosite.matches.models import Match, Seat
from tests.site.browsers import FIRST, OTHER, Browser, Table, text

pytestmark = pytest.mark.django_db


def seen(browser: Browser, seat: Seat) -> str:
    return text(browser.get(seat.get_absolute_url()))


@pytest.fixture
def three(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice, Bob and Dora play, Charlie watches."""
    match = alice.make(3)
    invite = alice.links(match.seats.get(letter="A"))["invite"]
    assert bob.accept(invite).status_code == Browser("Dora").accept(invite).status_code == 302
    return Table(match.key, alice, bob, charlie, invite)


def test_what_follows_is_said_before(table: Table) -> None:
    shown = seen(table.alice, table.a)
    for words in (
        "If Bob agrees, it is a draw: half a point each.",
        "If Bob agrees, it ends here: nobody has won, and it counts for nothing.",
        "If you resign, Bob wins at once.",
    ):
        assert words in shown


def test_among_three_other_words_are_true(three: Table) -> None:
    shown = seen(three.alice, three.a)
    for words in (
        "If Bob and Dora agree, it is a draw, and you share the point.",
        "If you resign, you are out at once, and Bob and Dora play on.",
    ):
        assert words in shown
    flow.resign(three.seat("C"))
    flow.seal(three.a, 0, FIRST)
    flow.seal(three.b, 0, FIRST)
    assert "If you resign, Bob wins at once." in seen(three.alice, three.a)
    assert "Ending it" not in seen(Browser("Dora"), three.a)


@pytest.mark.parametrize(
    ("deed", "heading"), [("draw", "Alice offers a draw"), ("call-off", "Alice asks to call")]
)
def test_an_offer_is_a_box_for_the_other_and_nobody_else(table: Table, deed: str, heading: str) -> None:
    assert heading not in seen(table.bob, table.b)
    table.alice.do(table.a, deed, offer="1")
    assert heading in seen(table.bob, table.b) and heading not in seen(table.alice, table.a)
    watched = text(table.charlie.get(f"/m/{table.key}/"))
    assert heading not in watched
    assert ("offers a draw" if deed == "draw" else "asks to call it off") in watched


def test_accepted_it_is_a_draw(table: Table) -> None:
    table.alice.do(table.a, "draw", offer="1")
    table.bob.do(table.b, "draw", offer="1")
    assert table.match.status == "over" and table.match.outcome
    assert set(table.match.outcome.scores.values()) == {0.5}


def test_called_off_by_all_it_ends_and_nobody_has_won(table: Table) -> None:
    flow.seal(table.b, 0, OTHER)
    table.alice.do(table.a, "call-off", offer="1")
    assert table.match.status == "playing"
    table.bob.do(table.b, "call-off", offer="1")
    assert (table.match.status, table.match.outcome) == ("aborted", None)
    assert "called off" in seen(table.alice, table.a)
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
    assert "Bob would rather play on." in seen(table.alice, table.a)
    assert flow.stands(table.a, table.match, ending)
    table.play((FIRST, OTHER))
    flow.offer_ending(table.a, ending, offer=True)  # asked again in another round, it is asked again
    assert f'offer-{deed}"' in seen(table.bob, table.b)
    flow.decline_ending(table.b, ending)
    flow.offer_ending(table.b, ending, offer=True)  # Bob may still come to agree
    assert table.match.status in ("over", "aborted")


def test_nothing_can_be_declined_that_nobody_offers(table: Table) -> None:
    flow.offer_draw(table.a, offer=True)
    for seat, ending in ((table.a, Ending.DRAW), (table.b, Ending.OFF)):
        with pytest.raises(Refused, match="Nobody offers"):
            flow.decline_ending(seat, ending)


def test_a_request_to_call_off_lapses_as_a_draw_does(table: Table) -> None:
    flow.offer_ending(table.a, Ending.OFF, offer=True)
    table.play((FIRST, OTHER))
    assert flow.stands(table.a, table.match, Ending.OFF)
    table.play((FIRST, OTHER))
    assert not flow.stands(table.a, table.match, Ending.OFF)
    flow.offer_ending(table.b, Ending.OFF, offer=True)
    assert table.match.status == "playing"


def test_it_takes_all_who_are_still_in(three: Table) -> None:
    flow.offer_ending(three.a, Ending.OFF, offer=True)
    flow.offer_ending(three.b, Ending.OFF, offer=True)
    assert three.match.status == "playing"
    flow.resign(three.seat("C"))  # who goes is not asked
    assert three.match.status == "aborted"


def test_bots_are_not_asked(alice: Browser) -> None:
    alice.post("/play/", {"game": "pigs", "name": "Alice"})
    seat = Seat.objects.select_related("match").get(letter="A")
    alice.do(seat, "call-off", offer="1")
    assert Match.objects.get().status == "aborted"


def test_before_the_start_and_after_the_end_there_is_nothing_to_agree_on(
    alice: Browser, table: Table
) -> None:
    seat: Any = alice.make().seats.get(letter="A")
    with pytest.raises(Refused, match="not begun"):
        flow.offer_ending(seat, Ending.OFF, offer=True)
    flow.resign(table.a)
    with pytest.raises(Refused, match="is over"):
        flow.offer_ending(table.b, Ending.OFF, offer=True)
