"""Leagues of tables by their pages: the form, what is told before the start, the table, feed, leaving."""

from __future__ import annotations

import re
from random import Random

import pytest

from robosite.leagues import flow as leagues
from robosite.leagues.league_talk import only_phrases
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.pages.shown import written_points
from robosite.matches import flow
from robosite.matches.flow import arbiter
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.ops.verification import league_faults
from tests.site.browsers import Browser, text
from tests.site.leagues import test_league_pages
from tests.site.leagues.test_league_pages import join, make, page

pytestmark = pytest.mark.django_db
MORE = ("Dora", "Emil", "Flora", "Gus")


def begun(*browsers: Browser, **given: str) -> League:
    """A league of tables that has started, in which these sit; the first one organises it."""
    return test_league_pages.begun(*browsers, **{"seats": "3", **given})


def resign(match: Match, *letters: str) -> None:
    for letter in letters:
        flow.resign(match.seats.select_related("match").get(letter=letter))


def test_from_the_form_to_the_table(alice: Browser, bob: Browser, charlie: Browser) -> None:
    form = text(alice.get("/l/new/"))
    assert "Players per match" in form and "2–4 per match" in " ".join(form.split())
    league, invite = make(alice, seats="3")
    assert (league.table_seats, league.scoring, league.most_places) == (3, "shares", 16)
    told = "With 3 players, each plays 3 matches and meets each of the others 3 times."
    assert told in page(alice, league)
    shown = " ".join(text(bob.get(invite)).split())
    assert "3 players per match." in shown and told in shown
    most = "With 16 players, each plays 9 matches and meets each of the others once or twice."
    assert most in shown
    join(bob, invite)
    join(charlie, invite)
    join(Browser("Dora"), invite)
    shown = page(alice, league)
    assert "With 4 players, each plays 3 matches and meets each of the others 2 times." in shown
    assert alice.post(f"/l/{league.key}/start/").status_code == 302
    shown = page(bob, league)
    mine = Match.objects.filter(seats__name="Bob").order_by("pk")
    others = [seat.name for seat in mine[0].seats.order_by("letter") if seat.name != "Bob"]
    assert f"Your turn against {others[0]} and {others[1]}" in shown and shown.count('class="going"') == 4
    assert "Match 4" in shown and shown.count('class="mine"') == 4, "one row of the standings, three matches"
    for match in Match.objects.all():
        resign(match, "B", "C")
    shown = page(alice, league)
    assert "The league is over." in shown and "Shared" in shown and ">SB<" not in shown
    assert '<td>1</td><th scope="row">Alice</th><td>3</td><td class="points">3</td>' in shown
    assert alice.get(f"/l/{league.key}/record/").json()["table_seats"] == 3


def test_a_melee_needs_no_choice_of_seats(alice: Browser) -> None:
    league, _invite = make(alice, plays="roboxing/melee", scoring="places")
    assert (league.table_seats, league.scoring) == (3, "places")
    shown = page(alice, league)
    assert "Melee" in shown and "The last one standing gets two points" in shown
    assert "It can start as soon as there are 3 players." in shown


def test_too_few_for_a_table_are_told(alice: Browser) -> None:
    assert "as soon as there are 4 players" in page(alice, make(alice, seats="4")[0])


def test_leaving_a_table(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie, *map(Browser, MORE))
    assert "the others play on" in page(bob, league)
    assert bob.post(f"/l/{league.key}/leave/").status_code == 302
    assert Match.objects.filter(status="playing").count() == 7
    shown = page(alice, league)
    assert "withdrawn" in shown and shown.count("has left") >= 3
    owing = re.findall(r'class="seat[^"]*">(\w+) <span aria-hidden="true">●', shown)
    assert "Alice" in owing and "Bob" not in owing, "nobody waits for somebody who has left"
    assert Fixture.objects.exclude(forfeit="").count() == 3


def test_the_feed_tells_of_tables(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie)
    first, second, third = Match.objects.order_by("pk")
    resign(first, "B", "C")
    for letter in "ABC":
        flow.offer_ending(second.seats.get(letter=letter), flow.Ending.DRAW, True)
    names = {letter: first.seats.get(letter=letter).name for letter in "ABC"}
    feed = " ".join(text(alice.get(f"/l/{league.key}/feed/")).split())
    assert f"{names['A']} beat {names['B']} and {names['C']}" in feed
    assert ": draw" in feed
    picture = text(alice.get(f"/l/{league.key}/table-1.svg"))
    assert "Our spring" in picture
    assert third.status == "playing"


def test_a_moderator_closes_a_league_of_tables(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"), plays="pigs/bash", scoring="places", ends="")
    first = Match.objects.order_by("pk")[0]
    resign(first, "A", "B")
    leagues.close(league)
    assert sorted(Fixture.objects.values_list("decided", flat=True)) == ["play", "void", "void", "void"]
    assert "doesn’t count" in page(alice, league) and list(league_faults()) == []


def test_verify_knows_tables(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"))
    fixture = league.fixtures.order_by("pk")[0]
    fixture.b, fixture.c = fixture.c, fixture.b
    fixture.save()
    assert list(league_faults())


def test_a_stranger_types_nothing_until_all_have_sealed_twice(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    Place.objects.filter(name="Charlie").update(stranger=True)
    for match in Match.objects.all():
        for _ in range(2):
            for letter in "ABC":
                assert only_phrases(league) or match.pk != Match.objects.order_by("pk")[0].pk
                seat = match.seats.get(letter=letter)
                flow.seal(seat, match.turn, state_of(match).sample(seat.at, Random(1)))
            match.refresh_from_db()
        break
    assert not only_phrases(league)


def test_points_are_written_with_fractions() -> None:
    told = {0: "0", 1.5: "1½", 4 / 3: "1⅓", 2 / 3: "⅔", 12 / 7: "1.71", 3 * (1 / 3): "1", 2.25: "2¼"}
    assert {points: written_points(points) for points in told} == told


def test_all_sit_at_one_table(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"), seats="4")
    seats = [tuple(one.seats.values()) for one in Fixture.objects.order_by("pk")]
    assert len(seats) == 4 and {len(set(at)) for at in zip(*seats, strict=True)} == {4}
    assert "With 4 players, each plays 4 matches and meets each of the others 4 times." in page(alice, league)
    match = Match.objects.order_by("pk")[0]
    assert arbiter.still_in(match) == (["A", "B", "C", "D"], [])
