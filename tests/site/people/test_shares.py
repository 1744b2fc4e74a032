"""One Wi-Fi, one address: guests who have played do not wait for the others there, nor anybody for ever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from robosite.matches import flow
from robosite.people import cost, shares
from robosite.people.models import Guest
from robosite.web import bounds, limits, rate_windows
from robosite.web.bounds import Bucket
from tests.site.browsers import FIRST, Browser
from tests.site.conftest import Seconds

pytestmark = pytest.mark.django_db


@pytest.fixture
def limited(settings: Any, seconds: Seconds) -> Iterator[Seconds]:
    """The limits as they are where the site is served, but narrow ones on mails and guesses."""
    rate_windows.reset()
    cost.reset()
    settings.LIMITS = "on"
    narrow = {row: Bucket(6, 0.2) for row in ("mail", "phrase")}
    settings.BUCKETS = {**settings.BUCKETS, **narrow}
    yield seconds
    rate_windows.reset()
    cost.reset()


def guest(name: str, *, plays: bool) -> Browser:
    browser = Browser(name)
    match = browser.make_by_page()
    if plays:
        flow.seal(match.seats.get(letter="A"), 0, FIRST)
        shares.reset()  # half a minute later
    return browser


def asks_for_a_mail(browser: Browser, to: str) -> int:
    status: int = browser.post("/me/mail/", {"email": to}).status_code
    return status


def test_a_club_on_one_wi_fi_gets_its_mails(limited: Seconds) -> None:
    club = [guest(f"Ann {n}", plays=True) for n in range(20)]
    assert [asks_for_a_mail(one, f"g{n}@example.org") for n, one in enumerate(club)] == [302] * 20


def test_whoever_has_not_played_is_one_with_all_others_there(limited: Seconds) -> None:
    new = [guest(f"Ann {n}", plays=False) for n in range(7)]
    asked = [asks_for_a_mail(one, f"g{n}@example.org") for n, one in enumerate(new)]
    assert asked == [302] * 6 + [429]
    assert asks_for_a_mail(guest("Dora", plays=True), "player@example.org") == 302


def test_a_player_has_no_more_than_an_address(limited: Seconds) -> None:
    one, other = guest("Otto", plays=True), guest("Olga", plays=True)
    assert [asks_for_a_mail(one, f"a{n}@example.org") for n in range(7)] == [302] * 6 + [429]
    assert asks_for_a_mail(other, "b@example.org") == 302


def test_all_players_of_an_address_have_a_bound_together(limited: Seconds, settings: Any) -> None:
    settings.BUCKETS = {**settings.BUCKETS, "mail": Bucket(1, 0.1)}
    club = [guest(f"Ann {n}", plays=True) for n in range(bounds.PLAYERS + 1)]
    asked = [asks_for_a_mail(one, f"g{n}@example.org") for n, one in enumerate(club)]
    assert asked == [302] * bounds.PLAYERS + [429]


def test_playing_counts_soon_after_the_first_order(limited: Seconds) -> None:
    new = guest("Nell", plays=False)
    assert asks_for_a_mail(new, "new@example.org") == 302
    for n in range(5):
        asks_for_a_mail(guest(f"Ann {n}", plays=False), f"g{n}@example.org")
    assert asks_for_a_mail(new, "newer@example.org") == 429
    flow.seal(Guest.objects.get(name="Nell").holds.get().seat, 0, FIRST)
    limited.at += 31
    assert asks_for_a_mail(new, "newer@example.org") == 302


def test_guesses_are_limited_for_players_too(limited: Seconds) -> None:
    one, other = guest("Otto", plays=True), guest("Olga", plays=True)
    wrong = {"phrase": "acorn banjo cabin delta eagle fabric"}
    tried = [who.post("/back/phrase/", wrong).status_code for who in (one, other) * 4]
    assert tried == [422] * 6 + [429] * 2


@pytest.mark.parametrize("row", ["cost", "post"])
def test_an_address_that_has_used_its_share_does_not_stop_its_players(limited: Seconds, row: str) -> None:
    player, new = guest("Dora", plays=True), guest("Nell", plays=False)
    for browser in (player, new):
        browser.get("/mine/")
    limited.at += 31
    player.get("/mine/")
    if row == "cost":
        cost.charge("cost", "127.0.0.1", 31)
    else:
        while not limits.wait("post", "127.0.0.1"):
            pass
    assert player.post("/me/name/", {"name": "Ada"}).status_code == 302
    assert new.post("/me/name/", {"name": "Bea"}).status_code == 429


def test_players_use_up_what_an_address_may_have_at_most_threefold(limited: Seconds) -> None:
    player = guest("Dora", plays=True)
    player.get("/mine/")
    cost.charge("cost/players", "127.0.0.1", 3 * bounds.BUCKETS["cost"].capacity + 1)
    assert player.get("/mine/").status_code == 429 and Browser("Nell").get("/").status_code == 200
