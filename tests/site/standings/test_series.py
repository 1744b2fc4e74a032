"""Series: best of three or five with sides changed, pairs at once, and rematches that know the score."""

from __future__ import annotations

import re
from typing import Any

import pytest

from games import newest
from robosite.matches import flow
from robosite.matches.flow import Ending, listing, series
from robosite.matches.models import Hold, Match, Seat
from robosite.people.models import Guest
from robosite.play.match_stages import points_text
from robosite.web.link_secrets import first_secret, hash_secret, secret_behind
from tests.site.browsers import Browser, text


def begun(kind: str, alice: Browser, bob: Browser, game: str = "pigs", **more: Any) -> Match:
    """A first match of a series, made and joined by the pages: Alice on A, Bob on B."""
    match = alice.make_by_page(game=game, series=kind, **more)
    if match.status == Match.Status.OPEN:
        assert bob.accept(alice.own_links(match.seats.get(letter="A"))["invite"]).status_code == 302
    match.refresh_from_db()
    return match


def seat_of(match: Match, name: str) -> Seat:
    return Seat.objects.select_related("match").get(match=match, name=name)


def lose(match: Match, name: str) -> None:
    flow.resign(seat_of(match, name))
    match.refresh_from_db()


def draw(match: Match) -> None:
    for name in ("Alice", "Bob"):
        flow.offer_draw(seat_of(match, name), offer=True)
    match.refresh_from_db()


def go_on(browser: Browser, match: Match) -> Match:
    answer = browser.do(seat_of(match, browser.name), "rematch")
    assert answer.status_code == 302, text(answer)
    return Match.objects.get(key=answer["Location"].split("/")[2])


def page(browser: Browser, match: Match) -> str:
    return " ".join(text(browser.get(seat_of(match, browser.name).get_absolute_url())).split())


def test_best_of_three_goes_on_by_one_tap_with_sides_changed(alice: Browser, bob: Browser) -> None:
    first = begun("3", alice, bob)
    assert "Match 1 of 3." in page(alice, first)
    lose(first, "Bob")
    assert "Alice 1 : 0 Bob, after 1 of 3." in page(alice, first)
    assert "Bob 0 : 1 Alice, after 1 of 3." in page(bob, first)
    second = go_on(bob, first)
    assert second.status == Match.Status.PLAYING  # nobody has to sit down first
    assert [seat.name for seat in second.seats.all()] == ["Bob", "Alice"]
    assert go_on(alice, first) == second
    assert "Match 2 of 3. So far: Alice 1 : 0 Bob." in page(alice, second)
    lose(second, "Alice")
    assert "Alice 1 : 1 Bob, after 2 of 3." in page(alice, second)
    third = go_on(alice, second)
    assert [seat.name for seat in third.seats.all()] == ["Alice", "Bob"]
    lose(third, "Bob")
    assert "You won the series 2 : 1." in page(alice, third)
    assert "New series" in page(alice, third)


def test_a_series_ends_when_nobody_can_catch_up(alice: Browser, bob: Browser) -> None:
    first = begun("3", alice, bob)
    lose(first, "Bob")
    second = go_on(alice, first)
    lose(second, "Bob")
    assert "You won the series 2 : 0." in page(alice, second)
    assert "Alice has won the series: Bob 0 : 2 Alice." in page(bob, second)
    again = go_on(alice, second)  # a new series is asked for, as any rematch
    assert again.status == Match.Status.OPEN
    assert again.series == {"of": 3, "number": 1, "points": {}}


def test_draws_are_half_a_point_and_a_series_may_be_drawn(alice: Browser, bob: Browser) -> None:
    match = begun("3", alice, bob)
    draw(match)
    assert "Alice ½ : ½ Bob, after 1 of 3." in page(alice, match)
    match = go_on(alice, match)
    lose(match, "Bob")
    assert "Alice 1½ : ½ Bob, after 2 of 3." in page(alice, match)  # Bob may still draw level
    match = go_on(alice, match)
    lose(match, "Alice")
    assert "The series is drawn: Alice 1½ : 1½ Bob." in page(alice, match)


def test_a_match_that_is_called_off_is_played_again(alice: Browser, bob: Browser) -> None:
    first = begun("5", alice, bob)
    lose(first, "Bob")
    second = go_on(alice, first)
    for name in ("Alice", "Bob"):
        flow.offer_ending(seat_of(second, name), Ending.OFF, offer=True)
    again = go_on(bob, first)
    assert again != second and again.series == {"of": 5, "number": 2, "points": {"A": 0, "B": 1}}
    assert [seat.name for seat in again.seats.all()] == ["Bob", "Alice"]


def test_a_pair_is_played_at_once_one_from_each_side(alice: Browser, bob: Browser) -> None:
    first = begun("pair", alice, bob, game="robosoccer", preset="custom")
    second = Match.objects.get(rematch_of=first)
    assert {first.status, second.status} == {Match.Status.PLAYING}
    assert [seat.name for seat in second.seats.all()] == ["Bob", "Alice"]
    assert first.setup == second.setup and first.setup["arrows"]  # the same board for both sides
    at = seat_of(second, "Alice").get_absolute_url()
    assert f'side. <a href="{at}">' in page(alice, first)
    assert alice.get(at).status_code == 200
    lose(second, "Alice")
    assert "So far: Alice 0 : 1 Bob." in page(alice, first)
    assert "Alice 0 : 1 Bob, after 1 of 2." in page(alice, second)
    lose(first, "Bob")
    for match in (first, second):
        assert "The pair is drawn: Alice 1 : 1 Bob." in page(alice, match)
    assert go_on(alice, first) == second


def test_a_pair_against_a_bot_begins_at_once_and_is_for_two(alice: Browser, bob: Browser) -> None:
    given = {"game": "pigs", "seats": 3, "name": "Alice", "series": "pair"}
    answer = alice.post("/matches/", given)
    assert answer.status_code == 422 and "A pair of matches is for two players." in text(answer)
    assert not Match.objects.exists()
    first = begun("pair", alice, bob, **{"with": "bot", "bot": "random"})
    second = Match.objects.get(rematch_of=first)
    assert second.status == Match.Status.PLAYING and second.seats.get(letter="A").is_bot


def test_who_has_no_browser_gets_a_seat_kept() -> None:
    """A program with a token alone cannot be given the token of another seat."""
    pigs = newest("pigs")
    guest = Guest.objects.create(name="Alice")
    first, _, invite = flow.create(
        pigs, pigs.read_options({}), 2, "Alice", guest=guest, series=series.first_series_entry("pair")
    )
    flow.join(first, "Program", invite=invite)
    first.refresh_from_db()
    assert first.status == Match.Status.PLAYING
    assert not Match.objects.filter(rematch_of=first).exists()
    flow.resign(seat_of(first, "Program"))
    made = flow.rematch(first, seat_of(first, "Alice"), guest)
    assert made and made[0].status == Match.Status.OPEN
    assert flow.kept_for(made[0])["A"] == "Program"
    assert made[0].series == {"of": 2, "pair": True, "number": 2, "points": {}}


@pytest.mark.parametrize("why", ["forgotten", "banned"])
def test_who_was_forgotten_or_may_not_play_is_not_seated(
    alice: Browser, bob: Browser, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    first = begun("3", alice, bob)
    lose(first, "Bob")
    if why == "forgotten":
        Guest.objects.filter(name="Bob").update(leaving_at=first.changed_at)
    else:
        monkeypatch.setattr(
            "robosite.matches.flow.series.restriction_on",
            lambda action, guest, address: "barred" if guest.name == "Bob" else None,
        )
    second = go_on(alice, first)
    assert second.status == Match.Status.OPEN
    assert not Hold.objects.filter(seat__match=second, guest__name="Bob").exists()


def test_the_next_pair_counts_as_two_matches(alice: Browser, bob: Browser) -> None:
    first = begun("pair", alice, bob)
    second = series.other_of_pair(first)
    assert second
    lose(first, "Bob")
    lose(second, "Bob")
    second.refresh_from_db()
    assert series.matches_created_by_rematch(second) == 2
    for kind in ("3", ""):
        assert series.matches_created_by_rematch(begun(kind, alice, bob)) == 1


def test_a_rematch_knows_the_score(alice: Browser, bob: Browser) -> None:
    first = begun("", alice, bob)
    assert first.series is None
    lose(first, "Bob")
    second = go_on(alice, first)
    assert go_on(bob, first) == second
    assert "So far: Alice 1 : 0 Bob." in page(alice, second)
    lose(second, "Bob")
    assert "Alice 2 : 0 Bob, after 2 matches." in page(alice, second)


def test_a_newcomer_gets_nobody_elses_points(alice: Browser, bob: Browser, charlie: Browser) -> None:
    first = begun("", alice, bob)
    lose(first, "Bob")
    second = go_on(alice, first)
    invite = flow.new_invite(seat_of(second, "Alice"))
    assert charlie.accept(invite).status_code == 302
    second.refresh_from_db()
    assert second.status == Match.Status.PLAYING and second.series is None


def test_with_fewer_players_the_score_ends(alice: Browser, bob: Browser) -> None:
    first = alice.make_by_page(3, series="3")
    invite = alice.own_links(first.seats.get(letter="A"))["invite"]
    bob.accept(invite)
    listing.start_with_fewer(seat_of(first, "Alice"))
    first.refresh_from_db()
    assert first.series == {"of": 3, "number": 1, "points": {}}
    lose(first, "Bob")
    assert "Alice 1 : 0 Bob, after 1 of 3." in page(alice, first)


def test_three_share_a_series(alice: Browser, bob: Browser, charlie: Browser) -> None:
    first = alice.make_by_page(3, series="3")
    invite = alice.own_links(first.seats.get(letter="A"))["invite"]
    for browser in (bob, charlie):
        assert browser.accept(invite).status_code == 302
    flow.resign(seat_of(first, "Charlie"))
    for name in ("Alice", "Bob"):
        flow.seal(seat_of(first, name), 0, "H H H H H")
    flow.resign(seat_of(first, "Bob"))
    second = go_on(charlie, first)
    assert [seat.name for seat in second.seats.all()] == ["Charlie", "Alice", "Bob"]
    assert "So far: Alice 1, Charlie 0, Bob 0." in page(alice, second)


@pytest.mark.parametrize(
    ("points", "shown"), [(0, "0"), (0.5, "½"), (1, "1"), (2.5, "2½"), (1 / 3, "0.33"), (2 / 3 + 1 / 3, "1")]
)
def test_points_as_people_write_them(points: float, shown: str) -> None:
    assert points_text(points) == shown


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("3", "Best of 3 matches; sides swap after each."),
        ("5", "Best of 5 matches; sides swap after each."),
        ("pair", "Two matches at once"),
    ],
)
def test_the_invite_says_how_many_matches(alice: Browser, bob: Browser, kind: str, told: str) -> None:
    match = alice.make_by_page(series=kind)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    shown = text(bob.get(f"/s/invite/{invite}/"))
    assert told in shown and "Your name" in shown


def test_a_later_match_has_each_players_own_link_until_it_is_replaced(alice: Browser, bob: Browser) -> None:
    first = begun("3", alice, bob)
    lose(first, "Bob")
    second = go_on(alice, first)
    shown = {}
    for who, browser in (("Alice", alice), ("Bob", bob)):
        seat = seat_of(second, who)
        (shown[who],) = set(
            re.findall(r"/s/seat/([\w-]{32})/", text(browser.get(f"{seat.get_absolute_url()}more/")))
        )
        assert hash_secret(shown[who]) == seat.link_hash
        assert Browser(who).get(f"/s/seat/{shown[who]}/").status_code == 200
    assert shown["Alice"] != shown["Bob"]
    seat = seat_of(second, "Bob")
    bob.do(seat, "link")
    assert shown["Bob"] not in page(bob, second)
    assert Browser("Mallory").get(f"/s/seat/{shown['Bob']}/").status_code == 404


def test_a_first_link_is_known_after_the_key_was_changed(settings: Any) -> None:
    secret = first_secret("abc", "A")
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another" * 8
    assert secret_behind(hash_secret(secret), "abc", "A") == secret != first_secret("abc", "A")
    assert secret_behind(hash_secret(secret), "abc", "B") is None
