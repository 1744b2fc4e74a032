"""Leagues, leagues of tables and cups by their pages: made, joined by link, played, left."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import newest
from robosite.leagues import flow as leagues
from robosite.leagues.arithmetic.bracket import bracket_of
from robosite.leagues.arithmetic.pairing import drawn
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.league_talk import only_phrases
from robosite.leagues.models import Fixture, League, Place, PlaceHold
from robosite.leagues.pages.pictures import drawn_cup
from robosite.leagues.pages.shown import written_points
from robosite.leagues.pages.wording import title_of
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Hold, Match, Nudge, Seat
from robosite.moderation import measures
from robosite.ops.verification import league_faults
from robosite.people.current_guest import forget, merge
from robosite.people.models import Guest
from robosite.people.personal_data import parts
from robosite.web.written_names import Name, without_isolates
from tests.leagues.seasons import faults_of
from tests.site.browsers import FIRST, Browser, text
from tests.site.leagues.conftest import (
    OF_TWO_OR_THREE,
    begin,
    begun,
    join,
    joined,
    link_in,
    mails,
    make,
    page,
    resign_all,
    seats_of,
)
from tests.site.notices.test_notices import by_mail
from tests.site.notices.test_notices_feeds import calendar_at, feed_at

CUP = {"format": "cup"}


def test_from_the_home_page_to_the_table(alice: Browser, bob: Browser, charlie: Browser) -> None:
    assert 'href="/l/new/"' in text(alice.get("/"))
    assert "Robble" in text(alice.get("/l/new/"))
    league, invite = make(alice)
    shown = page(alice, league)
    assert "It can start as soon as there are 3 players." in shown and "Start with" not in shown
    assert (
        "Alice invites you to the league “Our spring”: Robo Battle Pigs, up to a day per turn. http" in shown
    )
    assert "data-main" in shown
    assert "You’re invited to the league" in text(bob.get(invite))
    join(bob, invite)
    join(charlie, invite)
    assert "Start with 3" in (shown := page(alice, league)) and "data-main" not in shown, "one main button"
    assert "Start with" not in page(bob, league) and "/s/league/" not in page(bob, league)
    begin(alice, league)
    shown = page(bob, league)
    assert "Your turn against " in shown and shown.count("has the move</span></a>") == 6
    assert "1 day left" in shown or "24 h left" in shown
    assert re.search(r'class="primary" href="/m/\w+/[AB]/"', shown.split(">Standings<")[0])
    assert bob.seal(seats_of("Bob")[0], FIRST).status_code == 302
    assert page(bob, league).count("has the move</span></a>") == 5
    assert page(bob, league).count("The last day is ") == 2, "where everybody sees it, and in the rules"
    resign_all("Bob")
    assert "has no" not in page(charlie, league)
    resign_all("Charlie")
    shown = page(alice, league)
    assert "The league is over." in shown and "You’ve won the league!" in shown
    assert "Alice has won." in page(bob, league)
    assert '<td class="points">2</td>' in shown
    record = alice.get(f"/l/{league.key}/record/")
    assert record.json()["format"] == "robosite-league/1"


def test_wrong_and_old_invites_are_not_found_alike(alice: Browser, bob: Browser) -> None:
    league, invite = make(alice)
    assert alice.post(f"/l/{league.key}/invite/").status_code == 302
    for path in (invite, "/s/league/no-such-thing/"):
        assert bob.get(path).status_code == 404
        assert bob.post(f"{path}join/", {"name": "Bob"}).status_code == 404


def test_a_written_name_is_claimed_with_one_tap(alice: Browser, bob: Browser) -> None:
    league, invite = make(alice, names="Bob, Dora")
    shown = text(bob.get(invite))
    assert "Which one are you?" in shown and "I’m Bob" in shown and "I’m Dora" in shown
    assert bob.post(f"{invite}join/", {"place": "2"}).status_code == 302
    assert Place.objects.get(league=league, number=2).taken
    assert "I’m Bob" not in text(Browser("Charlie").get(invite))
    assert "You’re already in" in text(bob.get(invite))


def test_only_the_organiser_starts_and_removes(ours: League, alice: Browser, bob: Browser) -> None:
    path = f"/l/{ours.key}/"
    assert bob.post(f"{path}start/").status_code == 404
    assert bob.post(f"{path}leave/", {"place": "3"}).status_code == 302
    assert not Place.objects.get(league=ours, name="Charlie").gone
    assert Place.objects.filter(league=ours, gone=True).get().number == 2, "only his own place"
    assert alice.post(f"{path}leave/", {"place": "3"}).status_code == 302
    assert alice.post(f"{path}start/").status_code == 409


@OF_TWO_OR_THREE
def test_a_league_is_one_entry_in_my_games_and_its_place_a_link_for_another_browser(
    alice: Browser, bob: Browser, charlie: Browser, given: dict[str, str]
) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"), **given)
    shown = " ".join(text(alice.get("/mine/")).split())
    assert league.name in shown and "in 3 matches" in shown
    assert re.search(r'<span class="state"> ?<span class="visually-hidden">your turn</span> <time', shown)
    assert not re.search(r'href="/m/\w+/[ABC]/"', shown), "its matches are not listed one by one"
    link = link_in(page(bob, league))
    phone = Browser("Bob")
    assert "Bob’s spot" in text(phone.get(link))
    assert phone.post(f"{link}take/").status_code == 302
    assert "Your turn against" in page(phone, league)
    for seat in seats_of("Bob"):
        assert phone.get(seat.get_absolute_url()).status_code == 200
        assert leagues.place_of(seat) == league.places.get(name="Bob")
    assert Hold.objects.filter(seat__name="Bob").count() == 6


def test_a_match_leads_to_its_league_and_offers_no_pause_nor_rematch(alice: Browser, league: League) -> None:
    seat = seats_of("Alice")[0]
    shown = text(alice.get(f"{seat.get_absolute_url()}more/"))
    assert "Cancel match" not in shown and f"/l/of/{seat.match.key}/" in shown
    assert alice.get(f"/l/of/{seat.match.key}/")["Location"] == league.get_absolute_url()
    assert 'id="pause-title"' not in text(alice.get(f"{seat.get_absolute_url()}time/"))
    flow.resign(seat)
    shown = text(alice.get(seat.get_absolute_url()))
    assert f"Back to {league.name}" in shown and "Rematch" not in shown
    assert re.search(r">Next match\s*<small>one is waiting</small></span></a>", shown)
    assert f'<option value="{seat.match.key}/{seat.letter}"' in text(alice.get("/new/pigs/"))


def test_whom_the_others_wait_for_is_nudged_from_the_league(
    league: League, bob: Browser, charlie: Browser
) -> None:
    at, nudges = f"/l/{league.key}/nudge/", Nudge.objects.all()
    shown = page(bob, league)
    assert "Waiting for" in shown and "in 2 matches" in shown and "Nudge" not in shown
    for seat in Seat.objects.filter(name="Bob"):
        bob.seal(seat, FIRST)
    number = Place.objects.get(name="Alice").number
    assert "Nudge Alice" in page(bob, league) and "Nudge Alice" not in page(charlie, league)
    assert bob.post(at, {"place": number}).status_code == 302
    assert [one.seat.name for one in nudges] == ["Bob"]
    assert bob.post(at, {"place": number}).status_code == 409 and nudges.count() == 1
    assert charlie.post(at, {"place": number}).status_code == 409
    assert Browser("Dora").post(at, {"place": number}).status_code == 404
    assert "Waiting for" not in page(Browser("Dora"), league)


def test_another_league_is_made_for_the_same_people(bob: Browser, charlie: Browser, league: League) -> None:
    for browser in (bob, charlie):
        browser.post(f"/l/{league.key}/leave/")
    to = f"/l/new/?after={league.key}"
    League.objects.filter(pk=league.pk).update(status=League.Status.OVER)
    assert f'href="{to}"' in page(bob, league) and to not in page(Browser("Zoe"), league)
    Place.objects.update(left_at=None)
    form = text(bob.get(to))
    assert 'value="Alice, Charlie"' in form
    assert "With Alice, Charlie: their names" in form and 'value="pigs/standard" checked' in form
    assert "Charlie" not in text(Browser("Zoe").get(to))


def test_a_bot_plays_instead_of_a_name_that_has_not_come(alice: Browser, bob: Browser) -> None:
    league, invite = make(
        alice, format="cup", cup_size="4", names="Bob, Dora, Emil", plays="robble/standard", ends="180"
    )
    assert bob.post(f"{invite}join/", {"place": "2"}).status_code == 302
    assert "It plays instead of Emil." in page(alice, league)
    for bot in ("random", "hasty"):
        assert alice.post(f"/l/{league.key}/bot/", {"bot": bot}).status_code == 302
    assert [place.player for place in league.places.all()] == ["", "", "hasty", "random"]
    assert "Add a bot" not in page(alice, league)
    assert alice.post(f"/l/{league.key}/bot/", {"bot": "careful"}).status_code in (404, 409)


def test_no_bot_is_offered_after_a_match_of_a_league(alice: Browser, bob: Browser) -> None:
    league, _invite = joined(alice, bob)
    added = alice.post(f"/l/{league.key}/bot/", {"bot": "hasty"})
    assert added.status_code == 302 and added["Location"].endswith("?more=bots#places-title")
    page = alice.get(added["Location"]).content.decode()
    assert re.search(r"<details open>\s*<summary>Add a bot", page)
    assert alice.post(f"/l/{league.key}/start/").status_code == 302
    against = Match.objects.filter(seats__player="hasty")
    seat = Seat.objects.filter(match__in=against, name="Alice").first()
    assert seat
    flow.resign(seat)
    shown = text(alice.get(seat.get_absolute_url()))
    assert "Back to " in shown and "Easier bot" not in shown and 'class="another-bot"' not in shown


@pytest.mark.parametrize(
    ("players", "matches", "given"), [(10, 45, {}), (7, 7, {"seats": "3"}), (8, 8, {**CUP, "ends": ""})]
)
def test_a_league_takes_six_queries(
    alice: Browser, players: int, matches: int, given: dict[str, str]
) -> None:
    names = ("Bob", "Cleo", "Dora", "Emil", "Flora", "Gus", "Ida", "Jo", "Kim")
    league = begun(alice, *map(Browser, names[: players - 1]), **given)
    assert Match.objects.count() == matches
    page(alice, league)
    with CaptureQueriesContext(connection) as asked:
        page(alice, league)
    assert len(asked) <= 6, [query["sql"][:120] for query in asked]


@pytest.mark.parametrize(("given", "playing"), [({}, 3), ({"seats": "3"}, 4)])
def test_personal_data_of_a_place(
    alice: Browser, bob: Browser, charlie: Browser, given: dict[str, str], playing: int
) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"), **given)
    part = parts["leagues"]
    guest = Guest.objects.get(name="Bob")
    exported: Any = part.export(guest, None)  # type: ignore[arg-type]
    assert [one["league_name"] for one in exported] == [league.name]
    other = Guest.objects.create(name="Bob two")
    merge(guest, other)
    assert PlaceHold.objects.get(place__name="Bob").guest == other
    forget(other, at_once=50)
    assert not PlaceHold.objects.filter(place__number=2).exists()
    assert Place.objects.get(league=league, number=2).name == "Somebody"
    assert Seat.objects.filter(name="Bob").count() == 0
    shown = page(alice, league)
    assert ">Bob<" not in shown and "withdrawn" in shown
    assert Match.objects.filter(status="playing").count() == playing, "at tables of three the others play on"


def test_verify_knows_leagues(league: League) -> None:
    assert list(league_faults()) == []
    League.objects.filter(pk=league.pk).update(nonce="0" * 64)
    other = drawn("0" * 64, [1, 2, 3]) != drawn(league.nonce, [1, 2, 3])
    assert bool(list(league_faults())) == other
    league.fixtures.first().delete()
    assert list(league_faults())


def test_moderators_close_and_rename(alice: Browser, staff_groups: None, league: League) -> None:
    desk = Browser("Dora")
    root = User.objects.create(username="root", is_staff=True, is_superuser=True)
    desk.force_login(root)
    chosen = {"_selected_action": [league.pk]}
    assert desk.get("/admin/leagues/league/").status_code == 200
    assert desk.get(f"/admin/leagues/league/{league.pk}/change/").status_code == 200
    assert league.nonce not in text(desk.get(f"/admin/leagues/league/{league.pk}/change/"))
    desk.post("/admin/leagues/league/", {"action": "rename", **chosen})
    assert "Our spring" not in page(alice, league)
    asked = text(desk.post("/admin/leagues/league/", {"action": "close", **chosen}))
    assert "Close these leagues?" in asked and Match.objects.filter(status="playing").count() == 3
    sure = re.search(r'name="sure" value="([^"]+)"', asked)
    desk.post("/admin/leagues/league/", {"action": "close", "sure": sure[1], **chosen})
    assert "A moderator has closed this league." in page(alice, league)
    assert Match.objects.filter(status="aborted").count() == 3


@OF_TWO_OR_THREE
def test_a_name_that_is_taken_away_goes_from_the_league_too(
    alice: Browser, bob: Browser, charlie: Browser, given: dict[str, str]
) -> None:
    league = begun(alice, bob, charlie, **given)
    measures.take("rename", None, seat=seats_of("Bob")[-1], reason="spam")
    assert league.places.get(number=2).name == "Player 2" and not seats_of("Bob")
    assert ">Bob<" not in page(alice, league)


def test_a_page_that_looks_again_gets_what_is_new_and_nothing_else(alice: Browser, bob: Browser) -> None:
    league, invite = make(alice)

    def look(page: str) -> Any:
        found = re.search(r'data-hx-get="([^"]+)"', page)
        return alice.get(found[1], headers={"HX-Request": "true"})

    shown = alice.get(league.get_absolute_url()).content.decode()
    assert look(shown).status_code == 204
    join(bob, invite)
    answer = look(shown)
    assert answer.status_code == 200 and "Bob" in answer.content.decode()
    assert look(answer.content.decode()).status_code == 204


def test_who_share_first_place_can_play_a_decider_that_is_no_match_of_the_league(
    alice: Browser, bob: Browser, league: League
) -> None:
    losers = {("Alice", "Bob"): "Bob", ("Bob", "Charlie"): "Charlie", ("Alice", "Charlie"): "Alice"}
    for match in Match.objects.all():
        names = sorted(match.seats.values_list("name", flat=True))
        flow.resign(match.seats.get(name=losers[names[0], names[1]]))
    shown = page(alice, league)
    rivals = re.findall(r"Decider against (\w+)", shown)
    ways = dict(zip(rivals, re.findall(r"/m/\w+/\w/rematch/", shown), strict=True))
    assert set(ways) == {"Bob", "Charlie"} and len(set(ways.values())) == 2
    assert "Decider against" not in page(Browser("Dora"), league)
    record = alice.get(f"/l/{league.key}/record/").content
    new = text(alice.get(alice.post(ways["Bob"])["Location"]))
    for part in ("title", "h1"):
        assert re.search(r"Decider:\s", new.partition(f"<{part}")[2].partition(f"</{part}>")[0])
    decider = Match.objects.get(rematch_of__key=ways["Bob"].split("/")[2])
    assert decider.rematch_of and decider.rematch_of.seats.get(name="Bob")
    asked = decider.rematch_of.seats.get(name="Bob").get_absolute_url()
    assert "Alice wants to play the decider" in text(bob.get(asked)) and "Go to the decider" in text(
        alice.get(ways["Bob"].removesuffix("rematch/"))
    )
    for browser in (alice, bob):
        mine = text(browser.get("/mine/"))
        assert "Decider" in mine and "Rematch" not in mine
    bob.post(asked + "rematch/")
    assert "Decider against Bob" in page(alice, league), "it leads to the one that is being played"
    flow.resign(decider.seats.get(name="Bob"))
    assert re.findall(r"Decider against (\w+)", page(alice, league)) == ["Charlie"]
    assert alice.get(f"/l/{league.key}/record/").content == record


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


def of_tables(*browsers: Browser, **given: str) -> League:
    """A league of tables that has started."""
    return begun(*browsers, **{"seats": "3", **given})


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
    league = of_tables(alice, bob, charlie, *map(Browser, MORE))
    assert "the others play on" in page(bob, league)
    assert bob.post(f"/l/{league.key}/leave/").status_code == 302
    assert Match.objects.filter(status="playing").count() == 7
    shown = page(alice, league)
    assert "withdrawn" in shown and shown.count("has left") >= 3
    owing = re.findall(r'class="seat[^"]*">(\w+) <span aria-hidden="true">●', shown)
    assert "Alice" in owing and "Bob" not in owing, "nobody waits for somebody who has left"
    assert Fixture.objects.exclude(forfeit="").count() == 3


def test_the_feed_tells_of_tables(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = of_tables(alice, bob, charlie)
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
    league = of_tables(alice, bob, charlie)
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
