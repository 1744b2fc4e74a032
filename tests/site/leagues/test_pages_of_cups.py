"""Cups and leagues of tables by their pages: form, bracket and table, waiting, leaving, notices, feed."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from games import newest
from robosite.leagues import flow as leagues
from robosite.leagues.arithmetic.bracket import bracket_of
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.league_talk import only_phrases
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.pages.pictures import drawn_cup
from robosite.leagues.pages.shown import written_points
from robosite.leagues.pages.wording import title_of
from robosite.matches import flow
from robosite.matches.flow import arbiter
from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.ops.verification import league_faults
from robosite.web.written_names import Name, without_isolates
from tests.leagues.seasons import faults_of
from tests.site.browsers import Browser, text
from tests.site.leagues.conftest import begin, join, joined, mails, make, page, resign_all
from tests.site.leagues.conftest import begun as of_two
from tests.site.notices.test_notices import by_mail
from tests.site.notices.test_notices_feeds import calendar_at, feed_at

pytestmark = pytest.mark.django_db


class Cup:
    """A cup of these players that has started; the first one organises it. `seeds` are in order."""

    def __init__(self, *browsers: Browser, mails: bool = False) -> None:
        self.league, _invite = joined(*browsers, format="cup", ends="")
        for browser in browsers if mails else ():
            by_mail(browser)
        self.path = self.league.get_absolute_url()
        begin(browsers[0], self.league)
        names = {place.number: place.name for place in self.league.places.all()}
        by_name = {browser.name: browser for browser in browsers}
        self.seeds = [by_name[names[number]] for number in standings_of(self.league).bracket.seeds]

    def lose_tie(self, browser: Browser) -> None:
        resign_all(browser.name)
        leagues.settle(self.league.pk)


@pytest.fixture
def five(alice: Browser, bob: Browser, charlie: Browser) -> list[Browser]:
    return [alice, bob, charlie, Browser("Dora"), Browser("Emil")]


def test_from_the_form_to_the_winner(five: list[Browser]) -> None:
    alice = five[0]
    league, invite = make(alice, format="cup", cup_size="4", ends="")
    assert (league.format, league.most_places) == ("cup", 4)
    shown = page(alice, league)
    assert ">Rules<" in shown and "It can start as soon as there are 3 players." in shown
    assert "Two matches at once" in text(five[1].get(invite))

    cup = Cup(*five)
    first, second, third, fourth, fifth = cup.seeds
    shown = page(second, cup.league)
    assert "Semi-finals" in shown and "Quarter-finals" in shown
    assert "Possible rank</th>" in shown and "1–5" in shown
    assert text(second.get("/mine/")).count(cup.path) == 1
    waits = page(first, cup.league)
    assert f"Semi-finals: you’re waiting for the winner of {fourth.name} – {fifth.name}." in waits
    assert f">winner of {fourth.name} – {fifth.name}<" in waits and ">not known yet<" in waits
    assert "Your turn against" not in waits and "table-1.png" in waits
    cup.lose_tie(fourth)
    assert f"Your turn against {fifth.name}" in page(first, cup.league)
    assert "Quarter-finals: you’re out. Your rank is 5." in page(fourth, cup.league)
    cup.lose_tie(fifth)
    cup.lose_tie(third)
    assert f"Your turn against {first.name}" in page(second, cup.league)
    cup.lose_tie(second)
    assert "You’ve won the cup!" in page(first, cup.league)
    shown = page(Browser("Zoe"), cup.league)
    assert f"The cup is over: {first.name} won it." in shown
    assert "Your spot" not in shown and "Possible rank</th>" not in shown and "Rank</th>" in shown
    assert first.get(f"{cup.path}record/").json()["competition"] == "cup"
    assert f'<a href="{cup.path}">' in text(first.get("/me/"))
    assert cup.path not in text(second.get("/me/"))
    League.objects.update(closed=True)
    assert cup.path not in text(first.get("/me/"))


def test_the_bracket_is_a_picture_and_its_results_are_in_feed_and_calendar(five: list[Browser]) -> None:
    cup = Cup(*five)
    first, second, third, fourth, fifth = cup.seeds
    path = f"{cup.path}table-1.svg"
    drawn = text(Browser("Dora").get(path))
    assert "after 0 matches" in drawn and "Semi-finals" in drawn
    assert drawn.count(f">{first.name}<") == 1, "in the tie that they wait for, since a bye is not drawn"
    assert ">–<" not in drawn
    cup.lose_tie(fourth)
    titles = [entry.title for entry in feed_at(second, f"{cup.path}feed/").entries]
    assert titles[-1] == "The cup has begun" and f"{fifth.name} is through to the next round" in titles
    events = calendar_at(second, f"{cup.path}calendar/")["events"]
    assert [event["summary"] for event in events] == ["Our spring: last day"]
    for loser in (fifth, third, second):
        cup.lose_tie(loser)
    drawn = text(Browser("Dora").get(path))
    assert f"{first.name} has won it" in drawn and drawn.count(f">{first.name}<") == 2
    assert f'property="og:image" content="http://testserver{cup.path}table-1.png"' in page(second, cup.league)
    assert first.get(path.replace("-1", "-2")).status_code == 404
    entries = feed_at(second, f"{cup.path}feed/").entries
    assert entries[0].title == f"The cup is over: {first.name} won it."
    assert len({entry.id for entry in entries}) == len(entries)


@pytest.mark.parametrize("players", [4, 8, 17, 32])
def test_bracket_of_any_size_fits_its_picture(players: int) -> None:
    """The whole drawing stays on the picture, and no tie stands over another one."""
    bracket = bracket_of("n", list(range(1, players + 1)), {})
    places = [Place(number=number, name=f"A name that is long {number}") for number in range(1, players + 1)]
    league = League(format="cup", game_slug="pigs", rules=newest("pigs").rules, started_at=timezone.now())
    standings = Standings(league, places, [])
    standings.bracket = bracket
    drawn = drawn_cup(standings)
    assert len(drawn["columns"]) <= 4 and len(drawn["columns"][-1]["boxes"]) == 1
    for column in drawn["columns"]:
        boxes = column["boxes"]
        assert boxes[0].y > 240 and boxes[-1].y + boxes[-1].height < 630
        assert column["x"] + drawn["width"] <= 1200
        for above, below in pairwise(boxes):
            assert above.y + above.height <= below.y


def test_a_level_tie_says_what_decides(alice: Browser, bob: Browser, charlie: Browser) -> None:
    cup = Cup(alice, bob, charlie, Browser("Dora"))
    first, _second, _third, fourth = cup.seeds
    for _ in range(3):
        for match in Match.objects.filter(seats__name=first.name, status=Match.Status.PLAYING):
            for one in match.seats.all():
                flow.offer_ending(one, flow.Ending.DRAW, True)
        leagues.settle(cup.league.pk)
    shown = page(fourth, cup.league)
    assert "Decider: ½–½" in shown and "Replay: ½–½" in shown
    assert "Tied: the higher seed goes through." in shown
    assert "Final: you’re waiting for the winner of" in page(first, cup.league)


def test_leaving_while_one_waits(five: list[Browser]) -> None:
    cup = Cup(*five)
    first, _second, _third, fourth, fifth = cup.seeds
    assert "Then you’re out of the cup" in page(first, cup.league)
    assert first.post(f"{cup.path}leave/").status_code == 302
    cup.lose_tie(fifth)
    assert "Final: you’re waiting for the winner of" in page(fourth, cup.league)
    shown = page(first, cup.league)
    assert "has left" in shown and "by default" in shown and "Leave the cup" not in shown


def test_notices_tell_once_of_each_round(five: list[Browser], time: Any) -> None:
    cup = Cup(*five, mails=True)
    first, second, third, fourth, fifth = cup.seeds

    def told() -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for name, subject in mails(time):
            by_name.setdefault(name, []).append(subject)
        return by_name

    begun = ["The cup “Our spring” has begun for you: it’s your turn"]
    assert told() == {browser.name: begun for browser in (second, third, fourth, fifth)}
    cup.lose_tie(fourth)
    after = told()
    assert after[first.name] == begun, "whose first match it is"
    assert fourth.name not in after, "who has resigned knows it"
    assert "You’re through to the next round of the cup “Our spring”" in after[fifth.name]
    assert "You’re in the next round of the cup “Our spring”: it’s your turn" in after[fifth.name]
    assert "The match is over: Robo Battle Pigs with" in after[fifth.name][0], "the first of the two"
    cup.lose_tie(first)
    cup.lose_tie(second)
    assert "The final of the cup “Our spring” has begun: it’s your turn" in told()[third.name]
    cup.lose_tie(third)
    assert "You won the cup “Our spring”" in told()[fifth.name]
    last = Seat.objects.filter(name=third.name).order_by("-match__changed_at", "-match").first()
    assert last
    title = title_of(cup.league, last.match, last.letter, Name("Our spring"))
    assert without_isolates(title) == "You’re out of the cup “Our spring”"


def test_another_cup_with_the_same_people_takes_one_tap(five: list[Browser], time: Any) -> None:
    cup, organiser = Cup(*five, mails=True), five[0]
    for loser in reversed(cup.seeds[1:]):
        assert "New cup" not in page(organiser, cup.league)
        assert organiser.post(f"{cup.path}next/").status_code == 409
        cup.lose_tie(loser)
    assert "New cup" in page(organiser, cup.league)
    assert "New cup" not in page(five[1], cup.league)
    assert "next season" not in page(five[1], cup.league)
    mails(time)
    answer = organiser.post(f"{cup.path}next/")
    assert organiser.post(f"{cup.path}next/")["Location"] == answer["Location"]
    assert ("Bob", "The next cup “Our spring, no. 2”: in or out?") in mails(time)
    following = League.objects.get(previous=cup.league)
    assert (following.title, following.format) == ("Our spring, no. 2", "cup")
    shown = page(five[1], following)
    assert "In or out?" in shown and "Previous cup" in shown and "season" not in shown
    assert "Next cup" in page(five[1], cup.league)
    changed = f"{following.get_absolute_url()}terms/"
    assert "Matches per pairing" not in text(organiser.get(changed))
    assert "rounds may need" in text(organiser.post(changed, {"pace": "72", "ends_days": "7"}))
    assert organiser.post(changed, {"pace": "12", "ends_days": "120"}).status_code == 302
    five[4].post(f"{following.get_absolute_url()}leave/", {"status": "open"})
    assert "Play as" in page(five[4], following)
    for browser in five[:4]:
        assert browser.post(f"{following.get_absolute_url()}stay/").status_code == 302
    organiser.post(f"{following.get_absolute_url()}start/")
    following.refresh_from_db()
    before, now = standings_of(cup.league), standings_of(following)
    assert sorted(now.bracket.seeds) == sorted(set(before.bracket.seeds) - {5})
    assert list(league_faults()) == []
    while names := list(
        Seat.objects.filter(letter="B", match__status="playing").values_list("name", flat=True)
    ):
        resign_all(names[0])
        leagues.settle(following.pk)
    record = json.loads(json.dumps(organiser.get(f"{following.get_absolute_url()}record/").json()))
    assert faults_of(record) == []


def test_the_rules_of_a_cup_name_the_hour_at_which_its_turns_are_played(alice: Browser) -> None:
    league, _invite = make(alice, format="cup", ends="")
    League.objects.update(reveal_at={"time": "20:00", "zone": "Europe/Madrid", "days": list(range(7))})
    said = page(alice, league)
    assert "20:00" in said and "A turn may take" not in said


MORE = ("Dora", "Emil", "Flora", "Gus")


def begun(*browsers: Browser, **given: str) -> League:
    """A league of tables that has started."""
    return of_two(*browsers, **{"seats": "3", **given})


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


def test_the_page_tells_how_many_a_table_needs(alice: Browser) -> None:
    shown = page(alice, make(alice, plays="roboxing/melee", scoring="places")[0])
    assert "Melee" in shown and "The last one standing gets two points" in shown
    assert "It can start as soon as there are 3 players." in shown
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


def test_a_stranger_types_nothing_until_all_have_sealed_twice(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    Place.objects.filter(name="Charlie").update(stranger=True)
    match = Match.objects.order_by("pk")[0]
    for _ in range(2):
        for letter in "ABC":
            assert only_phrases(league)
            seat = match.seats.get(letter=letter)
            flow.seal(seat, match.turn, state_of(match).sample(seat.at, Random(1)))
        match.refresh_from_db()
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
    fixture = league.fixtures.order_by("pk")[0]
    fixture.b, fixture.c = fixture.c, fixture.b
    fixture.save()
    assert list(league_faults())
