"""Large leagues, and leagues of programs."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games import newest
from games.players import PLAYERS
from robosite.leagues import flow as leagues
from robosite.leagues.arithmetic import strength
from robosite.leagues.arithmetic.strength import SCALE, fixed_points, strengths_on
from robosite.leagues.flow.beginning import STEP
from robosite.leagues.flow.endings import AT_ONCE
from robosite.leagues.flow.settling import RULED_AT_ONCE
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.record.record import IN_A_STEP, _record_in_steps, digest_of
from robosite.matches.flow import arbiter
from robosite.matches.models import Match, Seat
from robosite.share.pictures import drawn_files
from tests.games.cases import size
from tests.leagues.seasons import faults_of
from tests.site import large
from tests.site.api.test_api import Api
from tests.site.api.test_programs import Program
from tests.site.browsers import Browser
from tests.site.large import steps
from tests.site.leagues.conftest import Group, letter_of, settle
from tests.site.leagues.conftest import make as make_by_page

MOST_QUERIES = 60
LARGEST = 522
"""The number of matches of 64 places in seven divisions, who play each other twice."""


def make(places: int, **terms: Any) -> tuple[League, str]:
    """A league with so many places, all taken, and its organiser's token."""
    made = large.make(places, **terms)
    return made.league, made.organiser_token


def start(api: Api, league: League, token: str) -> Any:
    return api("POST", f"leagues/{league.key}/start", token=token)


def test_the_largest_league_is_set_up_by_the_clock_in_bounded_steps(api: Api) -> None:
    league, token = make(64)
    with CaptureQueriesContext(connection) as queries:
        told = start(api, league, token)
    assert len(queries) < MOST_QUERIES
    assert Match.objects.count() == STEP and told["matches"] == LARGEST and told["status"] == "playing"
    page: Any = Client().get(league.get_absolute_url())
    assert b'data-due="start"' in page.content
    assert start(api, league, token)["matches"] == LARGEST and Match.objects.count() == STEP
    before = STEP
    for count in steps():
        assert before < count <= before + STEP
        before = count
    assert before == LARGEST == len({(one.a_id, one.b_id) for one in Fixture.objects.all()})
    page = Client().get(league.get_absolute_url())
    assert b"data-due" not in page.content


def test_a_start_in_steps_is_told_once_and_its_matches_are_made_once(
    api: Api, django_capture_on_commit_callbacks: Any
) -> None:
    league, _token = make(22, legs=1)
    with django_capture_on_commit_callbacks() as then:
        leagues.start(league)
    assert Match.objects.count() == STEP == 45 and league.status == "playing"
    pairings = Fixture.objects.count()
    assert pairings == 28 + 21 + 21
    told: list[list[Match]] = []

    def hear(sender: Any, matches: list[Match], **more: Any) -> None:
        told.append(matches)

    leagues.begun.connect(hear)
    try:
        settle()
    finally:
        leagues.begun.disconnect(hear)
    assert Match.objects.count() == pairings and not Fixture.objects.filter(match=None).exists()
    assert [len(matches) for matches in told] == [pairings], "each is told once, of all"
    for one in then:
        one()
    settle()
    assert Match.objects.count() == pairings


def test_a_look_at_the_last_day_of_a_large_league_decides_nothing_and_the_clock_some(
    api: Api, time: Any
) -> None:
    league, _token = make(10)
    large.begin(league)
    time.pass_(days=61)
    for path in (league.get_absolute_url(), f"/api/v1/leagues/{league.key}/table"):
        page: Any = Client().get(path)
        assert page.status_code == 200 and not Fixture.objects.exclude(decided="").exists()
    assert b'data-due="end"' in Client().get(league.get_absolute_url()).content
    before = 0
    while leagues.settle_some():
        decided = Fixture.objects.exclude(decided="").count()
        assert before < decided <= before + (RULED_AT_ONCE if before < 90 - AT_ONCE else AT_ONCE)
        before = decided
    league.refresh_from_db()
    assert before == 90 and league.status == League.Status.OVER


def test_whoever_leaves_has_some_matches_ended_at_once_and_the_clock_ends_the_others(api: Api) -> None:
    league, _token = make(10)
    large.begin(league)
    leagues.leave(league.places.get(number=3))
    assert Fixture.objects.exclude(decided="").count() == AT_ONCE
    list(steps())
    assert Fixture.objects.exclude(decided="").count() == 18
    league.refresh_from_db()
    assert not league.unsettled and league.status == League.Status.PLAYING
    for place in league.places.exclude(number__in=(1, 3)):
        leagues.leave(place)
        list(steps())
    league.refresh_from_db()
    assert not league.unsettled and league.status == League.Status.OVER


def test_a_closed_large_league_is_over_at_once_and_its_matches_are_called_off_by_the_clock(api: Api) -> None:
    league, _token = make(8)
    large.begin(league)
    leagues.close(league)
    assert league.status == League.Status.OVER
    assert Match.objects.filter(status=Match.Status.ABORTED).count() == AT_ONCE
    list(steps())
    assert Match.objects.filter(status=Match.Status.ABORTED).count() == 56 == Fixture.objects.count()
    assert {one.decided for one in Fixture.objects.all()} == {Fixture.VOID}


@pytest.mark.parametrize("moment", range(0, 100, size(15, 5)))
@pytest.mark.parametrize(("terms", "matches"), [({}, 42), ({"table_seats": 3, "legs": 1}, 7)])
def test_a_start_that_breaks_off_anywhere_makes_each_match_once(
    api: Api, monkeypatch: pytest.MonkeyPatch, moment: int, terms: dict[str, Any], matches: int
) -> None:
    monkeypatch.setattr("robosite.leagues.flow.beginning.STEP", 7)
    league, _token = make(7, **terms)
    makes, left = arbiter.begin_together, [moment * matches // 42]

    def fails(*given: Any, **more: Any) -> Any:
        left[0] -= 1
        if left[0] == -1:
            raise KeyboardInterrupt
        return makes(*given, **more)

    monkeypatch.setattr(arbiter, "begin_together", fails)
    for _ in range(2):
        with suppress(KeyboardInterrupt):
            leagues.start(league)
            list(steps())
        assert Match.objects.count() % 7 == 0, "a step is made as a whole"
    seats = [tuple(one.seats.values()) for one in Fixture.objects.exclude(match=None)]
    assert Match.objects.count() == matches == len(set(seats)) == len(seats)


def test_the_record_is_made_once(api: Api, time: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    league, token = make(4)
    start(api, league, token)
    time.pass_(days=61)
    list(steps())
    drawn_files.clear()
    league.refresh_from_db()
    assert len(list(_record_in_steps(league))) == 2 + -(-12 // IN_A_STEP)
    made = api("GET", f"leagues/{league.key}/record")

    with monkeypatch.context() as patched:
        patched.delattr("robosite.leagues.record.record.record_of")  # it is not made again
        assert api("GET", f"leagues/{league.key}/record") == made
        page: Any = Client().get(f"{league.get_absolute_url()}record/")
        assert page.json() == made
    Place.objects.filter(league=league, number=2).update(name="Emil")
    changed = api("GET", f"leagues/{league.key}/record")
    assert [place["name"] for place in changed["places"]][1] == "Emil"


def test_the_places_that_an_address_starts_are_limited(api: Api, limited: Any) -> None:
    made = [make(64, every_days=7, ends_days=300) for _ in range(5)]
    for league, token in made[:4]:
        start(api, league, token)
    (league, token) = made[4]
    api("POST", f"leagues/{league.key}/start", token=token, status=429)
    league.refresh_from_db()
    assert league.status == League.Status.OPEN
    start(api, *made[0])  # it has started, so nothing is counted


def named(api: Api, *names: str) -> list[str]:
    """Tokens of new programs with these names."""
    return [Program(api, name).token for name in names]


def league_of(api: Api, tokens: list[str], names: list[str], **terms: Any) -> Any:
    given = {"name": "Robots", "game": "robble", "robots": True, "open": True, **terms}
    made = api("POST", "leagues", given, token=tokens[0], status=201)
    for token, name in zip(tokens[1:], names[1:], strict=True):
        api("POST", f"leagues/{made['league']}/places", {"name": name}, token=token, status=201)
    return made


def test_the_list_tells_the_same_times_as_the_league(api: Api) -> None:
    hour = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 2, 4]}
    (token,) = named(api, "Hal")
    by_hours = league_of(api, [token], ["Hal"], deadline_hours=12)["league"]
    by_hour = league_of(api, [token], ["Hal"], reveal_at=hour)["league"]
    listed = {one["league"]: one for one in api("GET", "leagues")["leagues"]}
    for key, times in ((by_hours, (12, None)), (by_hour, (None, hour))):
        for told in (listed[key], api("GET", f"leagues/{key}")):
            assert (told["deadline_hours"], told["reveal_at"]) == times


def test_programs_play_each_other_as_often_by_their_own_tokens(api: Api) -> None:
    names = ["Hal", "Tik-Tok", "Robby"]
    tokens = named(api, *names)
    made = league_of(api, tokens, names, legs=4)
    key = made["league"]
    listed = api("GET", "leagues?game=robble")["leagues"]
    assert [(one["league"], one["taken"], one["legs"]) for one in listed] == [(key, 3, 4)]
    assert api("GET", "leagues?game=pigs")["leagues"] == []
    api("POST", f"leagues/{key}/start", token=tokens[0])
    assert api("GET", "leagues")["leagues"] == []
    matches = api("GET", f"leagues/{key}/matches")["matches"]
    pairs = [tuple(one["seats"].values()) for one in matches]
    assert len(pairs) == 12
    assert {pair: pairs.count(pair) for pair in pairs} == {
        pair: 2 for one in ((1, 2), (1, 3), (2, 3)) for pair in (one, one[::-1])
    }
    for one in matches:
        loser = tokens[max(one["seats"].values()) - 1]
        api("POST", f"matches/{one['match']}/resign", token=loser)
    settle()
    rows = api("GET", f"leagues/{key}/table")["divisions"][0]["rows"]
    assert [(row["name"], row["points"]) for row in rows] == [("Hal", 8), ("Tik-Tok", 4), ("Robby", 0)]
    assert faults_of(api("GET", f"leagues/{key}/record")) == []


def test_a_person_cannot_take_a_place_among_programs(api: Api, alice: Browser) -> None:
    made = api("POST", "leagues", {"name": "R", "game": "pigs", "robots": True, "plays": False}, status=201)
    key, invite = made["league"], made["invite"]
    assert made["place"] is None
    given = {"name": "Ben", "invite": invite}
    assert "POST programs" in api("POST", f"leagues/{key}/places", given, status=403)["detail"]
    (token,) = named(api, "Hal")
    api("POST", f"leagues/{key}/places", {"name": "Hal", "invite": invite}, token=token, status=201)
    page = alice.get(f"/s/league/{invite}/")
    assert "Only API bots play" in page.content.decode()
    assert b'name="name"' not in page.content
    assert alice.post(f"/s/league/{invite}/join/", {"name": "Ann"}).status_code == 409
    assert api("GET", f"leagues/{key}")["places"][0]["kind"] == "bot"


def test_bots_of_the_site_play_in_a_league_and_their_strengths_are_fixed(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = Group(api, 5, bots=["quick", "hasty"])
    by_name = {place["bot"]: place for place in group.get()["places"]}
    assert {"quick", "hasty", None} == by_name.keys()
    assert all(by_name[bot]["kind"] == "bot" and by_name[bot]["taken"] for bot in ("quick", "hasty"))
    group.start()
    bots = {by_name["quick"]["place"]: "quick", by_name["hasty"]["place"]: "hasty"}
    for one in group.matches():
        for letter, place in one["seats"].items():
            seat = Seat.objects.get(match__key=one["match"], letter=letter)
            assert (seat.is_bot, seat.player) == (place in bots, bots.get(place, ""))
            assert place not in bots or not seat.holds.exists()
        people = [place for place in one["seats"].values() if place not in bots]
        if people:
            group.resign(one, letter_of(one, max(people)))
    settle()
    group.remove(max(bots))
    settle()
    rows = group.rows()
    known = {place: strengths_on(SCALE)["pigs", "standard", 2][bot] for place, bot in bots.items()}
    shown = {place: rows[place]["strength"] for place in bots if rows[place]["strength"]}
    assert shown
    assert all(one == {"elo": known[place], "error": 0} for place, one in shown.items())
    assert any(row["strength"] and row["strength"]["error"] > 0 for row in rows.values())
    record = group.get("/record")
    assert faults_of(record) == []
    with monkeypatch.context() as former:
        former.setattr(strength, "SCALE", 1)
        old = group.get("/record")
    assert old["table"] != record["table"] and faults_of(old) == []
    assert faults_of(old | {"scale": 99}) == [
        "Its bots have strengths on a scale that this version does not know."
    ]
    for lie in ({"bot": "thorough"}, {}):
        places = [
            {key: value for key, value in place.items() if key != "bot"} | (lie if "bot" in place else {})
            for place in record["places"]
        ]
        told = json.loads(json.dumps(record | {"places": places}))
        told["digest"] = digest_of(told)
        assert faults_of(told), lie


def test_strengths_are_fixed_only_where_they_were_measured() -> None:
    pigs, melee = newest("pigs"), newest("roboxing").presets["melee"]
    given = dict(newest("roboxing").write_options(newest("roboxing").read_options(dict(melee.options))))
    assert fixed_points(pigs, {}, 2, {3: "quick", 5: "random"}, scale=SCALE)[3] == 0
    assert fixed_points(pigs, {}, 4, {3: "quick"}, scale=SCALE) == {}
    bots = {1: "thorough", 2: "hasty"}
    for seats in (3, 4):
        assert fixed_points(newest("roboxing"), given, seats, bots, scale=SCALE).keys() == {1, 2}
    assert all(kinds.keys() <= PLAYERS.keys() for kinds in strengths_on(SCALE).values())


def test_the_organiser_adds_and_removes_bots_on_the_page(alice: Browser, bob: Browser) -> None:
    league, _invite = make_by_page(alice, plays="robble/standard", ends="")
    page = league.get_absolute_url()
    assert alice.post(f"{page}bot/", {"bot": "hasty"}).status_code == 302
    place = league.places.get(player="hasty")
    shown = alice.get(page).content.decode()
    assert place.name in shown and "Easy" in shown
    assert 'value="hasty"' not in shown and 'value="quick"' in shown
    assert alice.post(f"{page}bot/", {"bot": "hasty"}).status_code == 409
    assert alice.post(f"{page}bot/", {"bot": "clever"}).status_code == 404
    assert bob.post(f"{page}bot/", {"bot": "quick"}).status_code == 404
    alice.post(f"{page}leave/", {"place": place.number, "status": "open"})
    assert not league.places.filter(gone=False, player="hasty").exists()
    robots, _invite = make_by_page(alice, plays="robble/standard", ends="", who="programs")
    assert robots.for_programs and not robots.places.exists(), "somebody made it who does not play"
    assert "Only API bots play" in alice.get(robots.get_absolute_url()).content.decode()
