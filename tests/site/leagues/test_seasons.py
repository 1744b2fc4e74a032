"""The next season of a league: who is enrolled, who moves up and down, links, notices, and the record."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from math import ceil
from random import Random
from typing import Any

import pytest
from django.core import mail as post
from django.core.management import call_command
from django.utils import timezone

from robosite.leagues import flow as leagues
from robosite.leagues import next_season
from robosite.leagues.arithmetic.pairing import drawn
from robosite.leagues.models import League, Place, PlaceHold, Waiting
from robosite.leagues.record.record import digest_of
from robosite.leagues.record.season_record import came_faults
from robosite.matches import flow
from robosite.matches.models import Program
from robosite.moderation import measures
from robosite.ops.periods import RETENTIONS
from robosite.ops.verification import league_faults
from robosite.people.current_guest import forget
from robosite.people.models import Guest
from robosite.people.personal_data import parts
from robosite.people.zones import date_and_time
from tests import at_once
from tests.leagues.seasons import faults_of
from tests.site.api.test_api import Api
from tests.site.browsers import FIRST, Browser, text
from tests.site.conftest import Time
from tests.site.leagues.conftest import (
    NAMES,
    Group,
    begin,
    begun,
    join,
    joined,
    link_in,
    mails,
    page,
    resign_all,
    seats_of,
    settle,
)
from tests.site.leagues.test_cups import lie, paths_of
from tests.site.leagues.test_league_feeds import titles
from tests.site.notices.test_notices import by_mail


class Seasons(Group):
    """A league by the API, and the seasons after it."""

    def over(self, seed: int = 1) -> dict[str, Any]:
        """The record of the season, after all its matches."""
        self.start()
        while self.get()["status"] == "playing":  # whoever looks brings it up
            self.finish(seed)
        return dict(self.get("/record"))

    def announce(self, status: int = 201, token: str = "", **given: Any) -> Any:
        token = token or self.made["organiser_token"]
        return self.api("POST", f"leagues/{self.key}/next", given or None, token=token, status=status)

    def go_on(self) -> None:
        """The next season, announced, is the present one."""
        self.made = self.announce()
        self.key = self.made["league"]

    def names(self) -> list[str]:
        return [place["name"] for place in self.get()["places"]]


def test_the_next_season_enrols_everybody_with_their_tokens(api: Api) -> None:
    group = Seasons(api, 4, deadline_hours=12, ends_days=30)
    first = group.key
    assert "once this one is over" in group.announce(status=409)["detail"]
    group.over()
    made = group.announce()
    assert made["invite"] in made["join_url"] and made["token"] is None and len(made["lot"]) == 64
    assert group.announce() == made and League.objects.count() == 2
    group.go_on()
    told = group.get()
    assert (told["season"], told["previous"], told["next"], told["status"]) == (2, first, None, "open")
    assert api("GET", f"leagues/{first}")["next"] == group.key != first
    assert (told["deadline_hours"], told["ends_days"], told["name"]) == (12, 30, "Spring")
    assert [(one["place"], one["name"], one["taken"]) for one in told["places"]] == [
        (number, name, True) for number, name in enumerate(NAMES[:4], 1)
    ]
    held = api("GET", "me/leagues", token=group.tokens[2])["leagues"]
    assert [(one["league"], one["place"]) for one in held] == [(first, 2), (group.key, 2)]
    group.join("Emil")
    assert group.start()["status"] == "playing" and len(group.matches()) == 10
    group.announce(status=409)


def test_who_leaves_or_plays_once_is_not_enrolled(api: Api) -> None:
    group = Seasons(api, 4)
    group.join("Emil", once=True)
    group.start()
    group.leave(3)
    group.remove(4)
    assert [one["once"] for one in group.get()["places"]] == [False] * 4 + [True]
    group.finish()
    group.go_on()
    assert group.names() == ["Ada", "Ben"]
    assert group.join("Flora")["place"] == 6  # numbers stay those of the same people
    group.leave(2)
    assert group.names() == ["Ada", "Flora"]


def test_only_the_organiser_announces(api: Api) -> None:
    group, other = Seasons(api, 3), Seasons(api, 3)
    group.over()
    group.announce(token=group.tokens[2], status=403)
    group.announce(token=other.made["organiser_token"], status=403)
    group.announce(token="nobody", status=401)
    api("POST", f"leagues/{group.key}/next", status=401)
    assert group.get()["next"] is None
    leagues.close(other.league)
    assert "closed" in other.announce(status=409)["detail"]
    League.objects.filter(key=other.key).update(format=League.Format.CUP)
    assert "closed this cup" in other.announce(status=409)["detail"]
    made = group.announce()
    league = League.objects.get(key=made["league"])
    leagues.new_invite(league)
    again = group.announce()
    assert again["invite"] is None and again["join_url"] is None and again["league"] == made["league"]
    api("POST", f"leagues/{league.key}/places", {"name": "Zoe", "invite": made["invite"]}, status=403)


@pytest.fixture
def twelve(api: Api) -> tuple[Seasons, dict[str, Any], dict[str, Any]]:
    """Two seasons of twelve players in two divisions, and their records."""
    group = Seasons(api, 12, places=16, game="robble")
    first = group.over()
    group.go_on()
    second = group.over(seed=9)
    return group, json.loads(json.dumps(first)), json.loads(json.dumps(second))


def test_a_sixth_goes_up_and_down_and_lies_are_found(twelve: Any, tmp_path: Any, capsys: Any) -> None:
    group, first, second = twelve
    tables = [[row["place"] for row in one["rows"]] for one in first["table"]["divisions"]]
    n = ceil(6 / 6)
    upper, lower = {*tables[0][:-n], *tables[1][:n]}, {*tables[0][-n:], *tables[1][n:]}
    divisions = group.get()["divisions"]
    assert [set(one) for one in divisions] == [upper, lower]
    assert divisions == [drawn(second["nonce"], upper), drawn(second["nonce"], lower)]
    assert [place["number"] for place in second["places"]] == [
        [*divisions[0], *divisions[1]].index(place["place"]) + 1 for place in second["places"]
    ]
    came = {one["place"]: (one["came"]["division"], one["came"]["row"]) for one in group.get()["places"]}
    assert came[tables[1][2]] == (2, 3)
    assert faults_of(first) == faults_of(second) == list(league_faults()) == []
    files = [tmp_path / "first.json", tmp_path / "second.json"]
    for file, record in zip(files, (first, second), strict=True):
        file.write_text(json.dumps(record))
    call_command("league", str(files[1]), previous=str(files[0]))
    with pytest.raises(SystemExit):
        call_command("league", str(files[0]), previous=str(files[1]))
    assert "there is none before" in capsys.readouterr().out
    Place.objects.filter(league=group.league, number=tables[0][0]).update(came_row=2)
    assert any("comes from another row" in fault for fault in league_faults())
    # a liar who makes the digest anew can lie only about what moves nobody; the record before tells
    paths = [one for one in paths_of(second) if one[0] in ("season", "previous") or "came" in one]
    chance, missed = Random(3), []
    for path in paths:
        changed = lie(second, path, chance)
        if changed == second:
            continue
        changed["digest"] = digest_of(changed)
        if not faults_of(changed):
            missed.append(path)
    assert set(missed) <= {("season",), ("previous", "league")}
    assert list(came_faults(second, first)) == []
    for path in missed:
        assert list(came_faults(lie(second, path, chance), first)), path


@pytest.mark.more
def test_of_a_thousand_lies_about_a_later_season_none_is_accepted(twelve: Any) -> None:
    _group, _first, second = twelve
    chance, paths = Random(5), list(paths_of(second))
    for _ in range(1000):
        changed = lie(second, chance.choice(paths), chance)
        assert changed == second or faults_of(changed)


def over(*browsers: Browser) -> League:
    """A league of these browsers that is over; the first one organises it, and wins."""
    league = begun(*browsers)
    resign_all(*(browser.name for browser in browsers[1:]))
    page(browsers[0], league)  # whoever looks brings it up
    league.refresh_from_db()
    assert league.status == "over"
    return league


def following(league: League) -> League:
    return League.objects.get(previous=league)


def announced(*browsers: Browser, **given: str) -> tuple[League, League]:
    """The same league, and its next season."""
    league = over(*browsers)
    answer = browsers[0].post(f"/l/{league.key}/next/", given)
    made = following(league)
    assert answer["Location"] == made.get_absolute_url()
    return league, made


def playing(season: League) -> list[str]:
    return [place.name for place in season.places.filter(gone=False)]


@pytest.fixture
def seasons(alice: Browser, bob: Browser, charlie: Browser) -> tuple[League, League]:
    """A league of Alice, Bob and Charlie that is over, and its next season; Alice organises it."""
    return announced(alice, bob, charlie)


def say_yes(season: League, *browsers: Browser) -> None:
    for browser in browsers:
        assert browser.post(f"/l/{season.key}/stay/").status_code == 302


def test_a_season_starts_by_itself_at_its_hour_and_waits_a_day_for_too_few(
    alice: Browser, bob: Browser, charlie: Browser, time: Time
) -> None:
    league = over(alice, bob, charlie)
    by_mail(bob)
    start = (time.now() + timedelta(days=3)).replace(microsecond=0, second=0)
    at = f"/l/{league.key}/next/"
    for wrong in (time.now() - timedelta(hours=1), time.now() + timedelta(days=61)):
        refused = alice.post(at, {"starts_at": f"{wrong:%Y-%m-%dT%H:%M}"})
        assert refused.status_code == 422 and "within the next 60 days" in text(refused)
    assert not League.objects.filter(previous=league).exists()
    alice.post(at, {"starts_at": f"{start:%Y-%m-%dT%H:%M}"})
    at_once.send_all()
    assert f"It starts {date_and_time(start)}." in str(post.outbox[-1].body)
    made = following(league)
    assert made.starts_at == start
    shown = page(bob, made)
    assert "It starts" in shown and f'datetime="{start.isoformat()}"' in shown
    assert alice.post(f"/l/{made.key}/start/").status_code == 409
    say_yes(made, bob)
    time.pass_(days=2, hours=23)
    assert not leagues.settle_some()
    time.pass_(hours=2)
    assert leagues.settle_some()
    made.refresh_from_db()
    assert made.status == "open" and made.starts_at == start + timedelta(days=1)
    assert playing(made) == ["Alice", "Bob", "Charlie"]
    join(Browser("Dora"), link_in(page(alice, made), "league"))
    shown = page(alice, made)
    assert "Start with 3" in shown and "Charlie hasn’t joined yet." in shown
    time.pass_(days=1)
    settle()
    made.refresh_from_db()
    assert made.status == "playing" and made.fixtures.exclude(match=None).count() == 3
    assert playing(made) == ["Alice", "Bob", "Dora"] and list(league_faults()) == []
    assert not PlaceHold.objects.filter(place__league=made, place__gone=True).exists()


def test_a_season_that_asks_is_counted_wherever_that_is_said(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    """It stands where one's own turn does, in the header, on home, in My games and behind “Next”."""
    league = over(alice, bob, charlie)
    before = bob.get("/mine/waiting/?list").json()
    assert before["waiting"] == 0 and bob.get("/next/")["Location"] == "/mine/"
    alice.post(f"/l/{league.key}/next/")
    made = following(league)

    def told(browser: Browser) -> set[int]:
        headers = [text(browser.get(at)) for at in ("/", "/mine/", "/puzzles/pigs/1/")]
        counts = {
            int(n)
            for page in headers
            for n in re.findall(r'href="/next/"[^>]*><span class="count">(\d+)<', page)
        }
        return counts | {browser.get("/mine/waiting/").json()["waiting"]}

    assert told(bob) == {1} and told(alice) == {0}, "whoever announces it has said yes"
    after = bob.get("/mine/waiting/?list").json()
    assert after["waiting"] == 1 and after["mark"] != before["mark"], "an open list fetches itself again"
    for at in ("/", "/mine/"):
        waits = text(bob.get(at)).partition("Your turn")[2].partition("</ul>")[0]
        assert f'href="/l/{made.key}/"' in waits and "In or out?" in waits
    assert bob.get("/next/")["Location"] == made.get_absolute_url()

    bob.post(f"/l/{made.key}/stay/")
    charlie.post(f"/l/{made.key}/leave/", {"status": "open"})
    assert told(bob) == told(charlie) == {0}
    assert "Your turn" not in text(bob.get("/")) and bob.get("/next/")["Location"] == "/mine/"


def test_a_seasons_start_is_moved_and_set_by_the_api(
    api: Api, seasons: tuple[League, League], alice: Browser, bob: Browser, time: Time
) -> None:
    made = seasons[1]
    say_yes(made, bob)
    start = (time.now() + timedelta(days=3)).replace(microsecond=0, second=0)
    form = {"pace": "24", "ends_days": "60", "every_days": "", "legs": "1"}
    at = f"/l/{made.key}/terms/"
    moved = alice.post(at, form | {"starts_at": f"{start:%Y-%m-%dT%H:%M}"})
    assert moved.status_code == 302, text(moved)
    assert f'value="{start:%Y-%m-%dT%H:%M}"' in text(alice.get(at))
    told = api("GET", f"leagues/{made.key}")
    assert told["starts_at"] == start.isoformat().replace("+00:00", ".000Z")
    assert "In or out?" in page(bob, made), "the hour is another one, so they are asked again"
    group = Seasons(api, 3)
    group.over()
    for wrong in (start.isoformat()[:-6], "2001-01-01T00:00:00Z"):
        group.announce(starts_at=wrong, status=422)
    key = group.announce(starts_at=start.isoformat())["league"]
    assert League.objects.get(key=key).starts_at == start


def test_a_first_season_starts_at_its_hour_too(
    api: Api, ours: League, alice: Browser, bob: Browser, time: Time
) -> None:
    start = (time.now() + timedelta(days=3)).replace(microsecond=0, second=0)
    new = {"name": "Ours", "game": "pigs", "organiser": "Ann"}
    for wrong, status in (("2001-01-01T00:00:00Z", 422), (start.isoformat(), 201)):
        answer = api("POST", "leagues", new | {"starts_at": wrong}, status=status)
    assert League.objects.get(key=answer["league"]).starts_at == start
    league = ours
    at = f"/l/{league.key}/terms/"
    assert at in page(alice, league) and 'name="pace"' not in text(alice.get(at))
    assert bob.post(at, {"starts_at": f"{start:%Y-%m-%dT%H:%M}"}).status_code == 404
    assert alice.post(at, {"starts_at": f"{start:%Y-%m-%dT%H:%M}", "legs": "2"}).status_code == 302
    assert f'datetime="{start.isoformat()}"' in page(bob, league)
    time.pass_(days=3)
    settle()
    league.refresh_from_db()
    assert league.status == "playing" and league.legs == 1
    assert alice.post(at, {"starts_at": ""}).status_code == 409


def test_whoever_comes_too_late_is_told_of_the_next_season_and_joins_it(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league, invite = joined(alice, bob, charlie)
    begin(alice, league)
    dora, emil, flora = Browser("Dora"), Browser("Emil"), Browser("Flora")
    assert "Let me know" in text(dora.get(invite))
    assert dora.post(f"{invite}join/", {"name": "Bob"}).status_code == 422, "a player has that name"
    for browser in (dora, emil):
        join(browser, invite)
        assert "You’ll hear about the next one" in page(browser, league)
    assert flora.post("/s/league/wrong/join/", {"name": "Flora"}).status_code == 404
    assert alice.post(f"{invite}join/", {"name": "Alicia"}).status_code == 409
    assert "In or out?" not in text(dora.get("/mine/"))
    emil.post(f"/l/{league.key}/leave/")
    assert "You’ll hear" not in page(emil, league) and not Place.objects.filter(name="Dora").exists()
    by_mail(dora)
    resign_all("Bob", "Charlie")
    page(alice, league)
    alice.post(f"/l/{league.key}/next/")
    made = following(league)
    at_once.send_all()
    assert [(one.to, one.subject) for one in post.outbox] == [
        (["dora@example.org"], "Season 2 of “Our spring”: in or out?")
    ]
    mine = text(dora.get("/mine/"))
    assert "In or out?" in mine and f'href="/l/{made.key}/"' in mine
    assert emil.post(f"/l/{made.key}/stay/").status_code == 404
    assert "In or out?" in page(dora, made) and "In or out?" not in page(emil, made)
    assert dora.post(f"/l/{made.key}/stay/").status_code == 302
    assert "You’re in, Dora" in page(dora, made) and link_in(page(dora, made))
    assert not made.places.get(name="Dora").stranger and not Waiting.objects.exists()


def test_a_spot_nobody_plays_any_more_is_for_whoever_waits_and_a_wait_is_personal_data(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league, invite = joined(alice, bob, charlie)
    begin(alice, league)
    dora, phone, emil = Browser("Dora"), Browser("Dora"), Browser("Emil")
    for browser in (dora, phone, emil):
        join(browser, invite)
    own, other = Guest.objects.filter(name="Dora").order_by("pk")
    exported: Any = parts["leagues"].export(own, None)  # type: ignore[arg-type]
    assert {"waits_for": league.key}.items() <= exported[-1].items()
    parts["leagues"].merge(other, own)
    assert Waiting.objects.filter(guest=own).count() == 1 and not other.awaited_seasons.exists()
    assert dora.post(f"/l/{league.key}/stay/", {"place": "2"}).status_code == 409, "Bob plays"
    measures.take("revoke", None, seat=seats_of("Bob")[0], reason="spam")
    assert "Play for Bob" in page(dora, league) and "Play for Bob" not in page(Browser("Flora"), league)
    assert Browser("Flora").post(f"/l/{league.key}/stay/", {"place": "2"}).status_code == 404
    assert dora.post(f"/l/{league.key}/stay/", {"place": "2"}).status_code == 302
    assert league.places.get(number=2).holders.get().guest == own
    assert emil.post(f"/l/{league.key}/stay/", {"place": "2"}).status_code == 409
    parts["leagues"].forget(Guest.objects.get(name="Emil"))
    assert not Waiting.objects.exists()


def test_whoever_leaves_can_leave_the_place_to_somebody_who_waits_for_one(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league, invite = joined(alice, bob, charlie, Browser("Erin"))
    begin(alice, league)
    leave, given = f"/l/{league.key}/leave/", {"status": "playing", "vacate": "1"}
    assert "Leave it to them" not in page(bob, league)
    assert bob.post(leave, given).status_code == 409, "nobody waits"
    over, *seats = seats_of("Bob")
    flow.resign(over)
    bob.seal(seats[0], FIRST)
    bob.draft(seats[1], FIRST)
    assert Program.objects.filter(seat=seats[1], seal="").exists()
    dora = Browser("Dora")
    join(dora, invite)
    assert dora.get("/mine/waiting/").json()["waiting"] == 0
    assert "Leave it to them" in page(bob, league) and "Leave it to them" not in page(dora, league)
    League.objects.update(handover=False)
    assert "Leave it to them" not in page(bob, league) and bob.post(leave, given).status_code == 409
    League.objects.update(handover=True)
    after = bob.post(leave, given)["Location"]
    assert "You’ve left your spot to someone who is waiting" in text(bob.get(after))
    assert bob.get(seats[0].get_absolute_url()).status_code == 403
    assert not Program.objects.filter(seat__in=seats, seal="").exists(), "what was only planned is gone"
    assert {one.match.status for one in seats} == {"playing"} and "no one plays here" in page(alice, league)
    assert dora.get("/mine/waiting/").json()["waiting"] == 1
    assert "In or out?" in text(dora.get("/mine/"))
    assert dora.get("/next/")["Location"] == league.get_absolute_url()
    assert "Play for Bob" in page(dora, league)
    assert dora.post(f"/l/{league.key}/stay/", {"place": "2"}).status_code == 302
    assert dora.get("/mine/waiting/").json()["waiting"] == len(seats), "her turns"
    assert league.places.get(number=2).name == "Dora"
    assert seats_of("Bob") == [over] and over.holds.get().guest.name == "Bob", "played to its end"
    assert bob.get(over.get_absolute_url()).status_code == 200
    assert bob.post(leave, given).status_code == 404
    assert not league.places.exclude(left_at=None).exists()


def test_from_one_season_to_the_next_by_pages(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = over(alice, bob, charlie)
    crown = 'fill="var(--yellow)" d="M27'
    assert crown in page(alice, league) and crown not in page(bob, league) and 'd="M27' in page(bob, league)
    assert "New season" in page(alice, league) and "3 players will be asked" in page(alice, league)
    assert "New season" not in page(bob, league)
    assert bob.post(f"/l/{league.key}/next/").status_code == 404
    alice.post(f"/l/{league.key}/next/")
    made = following(league)
    assert alice.post(f"/l/{league.key}/next/")["Location"] == made.get_absolute_url()
    assert "You’ve said yes" in page(alice, made), "whoever announces it plays"
    assert "Go to season 2" in page(charlie, league) and "Season 1" in page(charlie, made)
    shown = page(bob, made)
    assert "Our spring, season 2" in shown and "In or out?" in shown and "Start with" not in shown
    assert "In or out?" in text(bob.get("/mine/")) and "You’re in, Bob" not in shown
    assert "It can start as soon as there are 3 players." in page(alice, made)
    assert bob.post(f"/l/{made.key}/stay/").status_code == 302
    assert 'id="asked-title" data-outcome>You’ve said yes' in page(bob, made).replace("> ", ">")
    assert "has agreed" in page(alice, made)
    charlie.post(f"/l/{made.key}/leave/", {"status": "open"})
    shown = page(charlie, made)
    assert "Play as Charlie" in shown
    assert charlie.post(f"/l/{made.key}/stay/").status_code == 302
    assert "Start with 3" in page(alice, made)
    begin(alice, made)
    assert charlie.post(f"/l/{made.key}/stay/").status_code == 409
    assert alice.post(f"/l/{league.key}/next/")["Location"] == made.get_absolute_url()
    assert "Our spring, season 2" in text(bob.get("/mine/"))


def test_this_season_only(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = over(alice, bob, charlie)
    assert "You’re asked as soon as" in page(bob, league)
    bob.post(f"/l/{league.key}/once/", {"once": "1"})
    charlie.post(f"/l/{league.key}/once/", {"once": "1"})
    charlie.post(f"/l/{league.key}/once/")
    assert "You play this season only." in page(bob, league)
    assert "2 players will be asked" in page(alice, league)
    alice.post(f"/l/{league.key}/next/")
    made = following(league)
    assert playing(made) == ["Alice", "Charlie"]
    assert charlie.post(f"/l/{league.key}/once/", {"once": "1"}).status_code == 409
    assert Browser("Dora").post(f"/l/{league.key}/once/", {"once": "1"}).status_code == 404
    bob.post(f"/l/{made.key}/stay/")
    assert [place.number for place in made.places.filter(gone=False)] == [1, 2, 3]


def test_whoever_was_taken_out_needs_an_invite_and_a_revoked_link_opens_no_season(
    seasons: tuple[League, League], alice: Browser, bob: Browser, charlie: Browser
) -> None:
    made = seasons[1]
    alice.post(f"/l/{made.key}/leave/", {"place": "2", "status": "open"})
    assert "Play as" not in page(bob, made)
    assert bob.post(f"/l/{made.key}/stay/").status_code == 409
    join(bob, link_in(page(alice, made), "league"))
    assert made.places.get(gone=False, name="Bob").came is None
    measures.take("revoke", None, seat=seats_of("Charlie")[0], reason="spam")
    assert made.places.get(number=3).gone and "Play as" not in page(charlie, made)
    assert not PlaceHold.objects.filter(place__number=3).exists()


def test_links_of_a_place_and_of_the_organiser_open_each_season(
    seasons: tuple[League, League], alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league, made = seasons
    link, organiser = link_in(page(bob, made)), link_in(page(alice, made), "organiser")
    assert link == link_in(page(bob, league))
    phone, tablet = Browser("Bob"), Browser("Dora")
    assert "Our spring" in text(phone.get(link))
    assert phone.post(f"{link}take/")["Location"] == made.get_absolute_url()
    assert "In or out?" in page(phone, made) and "Spot link" in page(phone, league)
    say_yes(made, phone, charlie)
    assert tablet.post(f"{organiser}take/")["Location"] == made.get_absolute_url()
    assert "Start with 3" in page(tablet, made)
    alice.post(f"/l/{league.key}/organiser/")
    assert tablet.get(organiser).status_code == 404 and "Start with" not in page(tablet, made)
    assert link_in(page(alice, made), "organiser") == link_in(page(alice, league), "organiser")
    begin(alice, made)
    assert "Your turn against" in page(phone, made)
    bob.post(f"/l/{league.key}/link/")
    new = link_in(page(bob, league))
    assert new != link and link_in(page(bob, made)) == new
    assert phone.get(link).status_code == 404 and "Your turn against" not in page(phone, made)
    assert PlaceHold.objects.filter(place__name="Bob").count() == 2


def test_each_is_told_once_of_the_next_season_and_once_of_its_start(
    alice: Browser, bob: Browser, charlie: Browser, time: Time
) -> None:
    league = over(alice, bob, charlie)
    for browser in (bob, charlie):
        by_mail(browser)
    charlie.post(f"/l/{league.key}/once/", {"once": "1"})
    for _ in range(2):
        alice.post(f"/l/{league.key}/next/")
    made = following(league)
    assert mails(time) == [("Bob", "Season 2 of “Our spring”: in or out?")]
    body = str(post.outbox[0].body)
    assert "say so on its page" in body and made.get_absolute_url() in body
    say_yes(made, bob, charlie)
    begin(alice, made)
    title = "The league “Our spring, season 2” has begun: it’s your turn"
    assert sorted(mails(time)) == [("Bob", title), ("Charlie", title)]


def test_feed_talk_and_personal_data_of_seasons(
    seasons: tuple[League, League], alice: Browser, bob: Browser
) -> None:
    league, made = seasons
    assert "Season 2 is announced" in titles(bob, league)
    bob.post(f"/l/{league.key}/talk/", {"text": "Hello, all of you"})
    assert f"/l/{league.key}/talk/" in text(bob.get(f"/l/{made.key}/talk/"))
    assert f"/l/{made.key}/talk/" in text(bob.get(f"/l/{league.key}/talk/"))
    exported: Any = parts["leagues"].export(Guest.objects.get(name="Bob"), None)  # type: ignore[arg-type]
    assert [one["season"] for one in exported if "place" in one] == [1, 2]
    forget(Guest.objects.get(name="Bob"), at_once=50)
    assert not Place.objects.filter(name="Bob").exists() and made.places.get(number=2).gone
    assert ">Bob<" not in page(alice, made)
    kept = next(one for one in RETENTIONS if one.name == "leagues")
    assert list(kept.past(timezone.now())) == [made], "a season that never begins goes"
    made.delete()
    assert next_season.announce(League.objects.get(pk=league.pk)).season == 2


def test_the_rules_may_change_before_the_start(
    seasons: tuple[League, League], alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league, made = seasons
    bob.post(f"/l/{made.key}/stay/")
    at = f"/l/{made.key}/terms/"
    assert bob.get(at).status_code == 404 and at in page(alice, made) and at not in page(bob, made)
    assert 'value="24" selected' in text(alice.get(at))
    given = {"pace": "2+48", "ends_days": "60", "every_days": "3", "legs": "2"}
    wrong = alice.post(at, {**given, "ends_days": "14"})
    assert wrong.status_code == 422 and "That many matchdays need" in text(wrong)
    assert alice.post(at, given).status_code == 302
    made.refresh_from_db()
    assert (made.deadline_hours, made.reserve_hours, made.ends_days) == (2, 48, 60)
    assert (made.every_days, made.legs) == (3, 2)
    assert "In or out?" in page(bob, made)  # and is asked again
    say_yes(made, alice, bob, charlie)
    alice.post(f"/l/{made.key}/start/")
    assert alice.post(at, given).status_code == 409
    assert alice.get(f"/l/{league.key}/terms/").status_code == 409
