"""Plans that are kept for a while belong to one player of one match."""

from __future__ import annotations

import pytest

from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.play import planning
from robosite.web.caches import made_once
from tests.site.browsers import Browser, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    made_once.clear()


def kept() -> list[tuple[object, ...]]:
    """The keys of the plans that are kept."""
    return [key for key in made_once if key[0] == "plan"]


def test_the_same_position_in_another_match_finds_no_plan_of_the_first(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    first = sit_down(alice, bob, charlie)
    other = Match.objects.get(pk=sit_down(alice, bob, charlie).match.pk)
    Match.objects.filter(pk=other.pk).update(setup=first.match.setup, given_options=first.match.given_options)
    for key in (first.match.pk, other.pk):
        seat = Seat.objects.select_related("match").get(match=key, letter="A")
        for _ in range(2):
            planning.show_plan(state_of(seat.match), seat, "F . . . .")
    assert len(kept()) == 2
    assert len({key[3:] for key in kept()}) == 1  # the same position, seat and text


def test_a_new_player_of_a_seat_finds_no_plan_of_the_one_before(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    seat = sit_down(alice, bob, charlie).a
    planning.show_plan(state_of(seat.match), seat, "F . . . .")
    seat.sitting += 1
    planning.show_plan(state_of(seat.match), seat, "F . . . .")
    assert len(kept()) == 2
