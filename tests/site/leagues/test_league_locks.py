"""The locks of a league: all that its writes depend on is read inside, its matches come in order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.utils import timezone

from robosite.leagues import flow as leagues
from robosite.leagues import next_season
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches import flow, locks
from robosite.matches.flow import arbiter
from robosite.matches.models import Match
from robosite.people.models import Guest
from tests.site.browsers import Browser
from tests.site.leagues.test_league_links import link_in
from tests.site.leagues.test_league_pages import begun, make, page
from tests.site.replaced import replace_in_flow

pytestmark = pytest.mark.django_db


@pytest.fixture
def league(alice: Browser, bob: Browser, charlie: Browser) -> League:
    return begun(alice, bob, charlie)


def before_the_lock(monkeypatch: pytest.MonkeyPatch, happens: Any) -> None:
    """Something happens just before a league is locked."""
    lock = leagues.locked_league

    @contextmanager
    def late(pk: int, *may: Any) -> Iterator[League]:
        happens()
        with lock(pk, *may) as league:
            yield league

    replace_in_flow(monkeypatch, "locked_league", late, flow=leagues.__name__)
    monkeypatch.setattr(next_season, "locked_league", late)


def test_a_place_that_somebody_else_holds_by_now_is_not_given_up(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = PlaceHold.objects.get(place__name="Bob")
    other = Guest.objects.create(name="Dora")
    before_the_lock(monkeypatch, lambda: PlaceHold.objects.get_or_create(place=hold.place, guest=other))
    leagues.forget(hold)
    place = Place.objects.get(pk=hold.place_id)
    assert (place.name, place.left_at) == ("Bob", None) and place.link_hash
    assert [one.guest for one in place.holders.all()] == [other]
    assert Match.objects.filter(status="playing").count() == 3


def test_a_hold_that_is_another_guests_by_now_stays(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = PlaceHold.objects.select_related("place").get(place__name="Bob")
    other = Guest.objects.create(name="Dora")
    before_the_lock(monkeypatch, lambda: PlaceHold.objects.filter(pk=hold.pk).update(guest=other))
    leagues.forget(hold)
    assert PlaceHold.objects.get(pk=hold.pk).guest == other
    assert Place.objects.get(pk=hold.place_id).left_at is None


def test_a_guest_who_is_being_forgotten_gets_no_place(alice: Browser, bob: Browser) -> None:
    league, invite = make(alice)
    guest = Guest.objects.create(name="Dora", leaving_at=timezone.now())
    with pytest.raises(flow.GuestGone):
        leagues.join(league, "Dora", invite=invite.split("/")[3], guest=guest)
    with pytest.raises(flow.GuestGone):
        leagues.take(link_in(page(alice, league)).split("/")[3], guest)
    assert PlaceHold.objects.count() == 1 and Place.objects.count() == 1


@pytest.mark.parametrize("how", ["leave", "close", "last day", "forget"])
def test_all_matches_are_locked_before_the_first_is_ended(
    league: League, how: str, monkeypatch: pytest.MonkeyPatch, time: Any
) -> None:
    keys = set(Match.objects.values_list("pk", flat=True))
    seen: list[set[int]] = []
    for deed in ("resign_for", "draw", "call_off"):
        does = getattr(arbiter, deed)

        def noted(*given: Any, does: Any = does) -> bool:
            seen.append(set(locks._locked.get()))
            return does(*given)

        monkeypatch.setattr(arbiter, deed, noted)
    if how == "leave":
        leagues.leave(Place.objects.get(name="Bob"))
    elif how == "forget":
        leagues.forget(PlaceHold.objects.get(place__name="Bob"))
    elif how == "close":
        leagues.close(league)
    else:
        time.pass_(days=61)
        leagues.settle(league.pk)
    assert len(seen) >= 2 and all(locked >= keys for locked in seen)
