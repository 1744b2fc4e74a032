"""Leagues of every kind, by the API (`Group`, `Cup`) and by their pages (`make`, `begun`)."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from django.core import mail as post

from robosite.leagues import flow as leagues
from robosite.leagues.models import League
from robosite.leagues.record.record import digest_of
from robosite.matches import flow
from robosite.matches.flow import arbiter
from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.ops.verification import league_faults
from tests import at_once
from tests.at_once import tick
from tests.leagues.seasons import faults_of
from tests.site.api.test_api import Api
from tests.site.browsers import Browser, text
from tests.site.conftest import Time

NAMES = ("Ada", "Ben", "Clara", "Dora", "Emil", "Flora", "Gus", "Hanna", "Ida", "Jo", "Kim", "Lea")
OF_TWO_OR_THREE = pytest.mark.parametrize("given", [{}, {"seats": "3"}], ids=["of two", "of three"])
"""How many play each match."""
Shown = dict[str, Any]
"""A match as the API lists it: its key, its places by seat, its status."""


class Group:
    """A league that was made by its organiser Ada, and its tokens by place."""

    def __init__(self, api: Api, players: int, **terms: Any) -> None:
        self.api = api
        given = {"name": "Spring", "game": "pigs", "organiser": "Ada", "places": 12, **terms}
        self.made = api("POST", "leagues", given, status=201)
        self.key = self.made["league"]
        self.tokens = {1: self.made["token"]}
        for name in NAMES[1:players]:
            self.join(name)

    def join(self, name: str, status: int = 201, **more: Any) -> Any:
        given = {"name": name, "invite": self.made["invite"], **more}
        taken = self.api("POST", f"leagues/{self.key}/places", given, status=status)
        if status == 201:
            self.tokens[taken["place"]] = taken["token"]
        return taken

    def start(self, status: int = 200) -> Any:
        token = self.made["organiser_token"]
        return self.api("POST", f"leagues/{self.key}/start", token=token, status=status)

    def leave(self, place: int) -> None:
        self.api("DELETE", f"leagues/{self.key}/places/{place}", token=self.tokens[place], status=204)

    def remove(self, place: int, status: int = 204) -> None:
        """By the organiser."""
        token = self.made["organiser_token"]
        self.api("DELETE", f"leagues/{self.key}/places/{place}", token=token, status=status)

    def get(self, what: str = "", status: int = 200) -> Any:
        return self.api("GET", f"leagues/{self.key}{what}", status=status)

    def checked(self) -> Any:
        """The record, as a reader gets it, in which nothing is wrong."""
        record = json.loads(json.dumps(self.get("/record")))
        assert faults_of(record) == [] == list(league_faults())
        return record

    @property
    def league(self) -> League:
        return League.objects.get(key=self.key)

    def matches(self) -> list[Shown]:
        return self.get("/matches")["matches"]

    def going_on(self) -> list[Shown]:
        return [one for one in self.matches() if one["status"] == "playing"]

    def of_places(self, *places: int) -> list[Shown]:
        return [one for one in self.matches() if set(places) <= set(one["seats"].values())]

    def rows(self) -> dict[int, dict[str, Any]]:
        """The rows of the only division, the best first, by place."""
        (division,) = self.get("/table")["divisions"]
        return {row["place"]: row for row in division["rows"]}

    def resign(self, one: Shown, *letters: str) -> None:
        for letter in letters:
            self.api("POST", f"matches/{one['match']}/resign", token=self.tokens[one["seats"][letter]])

    def win(self, one: Shown, letter: str) -> None:
        """The others resign."""
        self.resign(one, *(other for other in one["seats"] if other != letter))

    def draw(self, one: Shown) -> None:
        for place in one["seats"].values():
            self.api("POST", f"matches/{one['match']}/draw", {"offer": True}, token=self.tokens[place])

    def lose(self, place: int, against: int) -> None:
        """The place resigns in its match against another one."""
        for one in self.going_on():
            if set(one["seats"].values()) == {place, against}:
                self.resign(one, letter_of(one, place))

    def seal(self, one: Shown, *letters: str) -> None:
        """Seals some legal order at these seats."""
        match = Match.objects.get(key=one["match"])
        for letter in letters:
            seat = match.seats.get(letter=letter)
            order = state_of(match).view(seat.at).sample(seat.at, Random(match.pk * 1000 + match.turn))
            with suppress(flow.Refused):
                flow.seal(seat, match.turn, order)

    def play(self, absent: set[int]) -> None:
        """Seals for everybody who is there, in each match, until nobody there owes an order."""
        for one in self.going_on():
            match = Match.objects.get(key=one["match"])
            while match.status == Match.Status.PLAYING:
                owing = [letter for letter in flow.owing(match) if one["seats"][letter] not in absent]
                if not owing:
                    break
                self.seal(one, *owing)
                match.refresh_from_db()

    def finish(self, seed: int = 1) -> None:
        """Plays until nothing goes on: each match is won by chance, or drawn if nobody has left it."""
        chance = Random(seed)
        while going_on := self.going_on():
            for one in going_on:
                still, _leaving = arbiter.still_in(Match.objects.get(key=one["match"]))
                if len(still) == len(one["seats"]) and chance.random() < 0.3:
                    self.draw(one)
                else:
                    won = chance.choice(still)
                    self.resign(one, *(letter for letter in still if letter != won))


class Cup(Group):
    """A cup that has started."""

    def __init__(self, api: Api, players: int, **terms: Any) -> None:
        super().__init__(api, players, format="cup", **terms)
        self.start()
        self.seeds: list[int] = self.get()["divisions"][0]

    def lose_tie(self, place: int) -> None:
        """The place resigns in all its matches."""
        for one in self.going_on():
            if place in one["seats"].values():
                self.resign(one, letter_of(one, place))

    def ranks(self) -> dict[int, int]:
        return {place: row["rank"] for place, row in self.rows().items()}


def letter_of(one: Shown, place: int) -> str:
    return next(letter for letter, at in one["seats"].items() if at == place)


def with_forfeits_of_others(record: dict[str, Any]) -> dict[str, Any]:
    """A lie: each match of two that was given up was given up by the other one."""
    for one in record["schedule"]:
        if one["forfeit"]:
            one["forfeit"] = "AB".replace(one["forfeit"], "")
    record["digest"] = digest_of(record)
    return record


def settle() -> None:
    """As the clock does."""
    tick()
    while leagues.settle_some():
        pass


def make(alice: Browser, **given: str) -> tuple[League, str]:
    """A league by its form, and the path of its invite."""
    form = {
        "name": "Alice",
        "title": "Our spring",
        "plays": "pigs/standard",
        "pace": "24",
        "ends": "60",
        **given,
    }
    answer = alice.post("/l/new/", form)
    assert answer.status_code == 302, text(answer)
    league = League.objects.get(key=answer["Location"].split("/")[2])
    return league, link_in(page(alice, league), "league")


def joined(*browsers: Browser, **given: str) -> tuple[League, str]:
    """A league in which these sit, which the first one organises, and the path of its invite."""
    league, invite = make(browsers[0], **given)
    for browser in browsers[1:]:
        join(browser, invite)
    return league, invite


def begun(*browsers: Browser, **given: str) -> League:
    """A league that has started, in which these sit; the first one organises it."""
    league, _invite = joined(*browsers, **given)
    begin(browsers[0], league)
    return league


def begin(organiser: Browser, league: League) -> None:
    answer = organiser.post(f"/l/{league.key}/start/")
    assert answer.status_code == 302, text(answer)
    league.refresh_from_db()


def join(browser: Browser, invite: str) -> None:
    answer = browser.post(f"{invite}join/", {"name": browser.name})
    assert answer.status_code == 302, text(answer)


def page(browser: Browser, league: League) -> str:
    return " ".join(text(browser.get(league.get_absolute_url())).split())


def link_in(shown: str, what: str = "place") -> str:
    found = re.search(rf"/s/{what}/[^/]+/", shown)
    return found[0]


def seats_of(name: str) -> list[Seat]:
    """The seats of this player in matches of leagues."""
    return list(Seat.objects.filter(name=name, match__fixture__isnull=False).order_by("match"))


ORGANISER_ACTIONS: dict[str, dict[str, str]] = {
    "start": {},
    "leave": {"place": "2"},
    "bot": {"bot": "random"},
    "invite": {},
    "organiser": {},
    "offer": {"place": "2"},
    "next": {},
    "terms": {},
}


def resign_all(*names: str) -> None:
    """These players resign in each match that goes on."""
    for seat in Seat.objects.filter(name__in=names, match__status=Match.Status.PLAYING):
        if seat.match.status == Match.Status.PLAYING:
            flow.resign(seat)


def mails(time: Time) -> list[tuple[str, str]]:
    """The mails of the next hour: to whom, and their subject."""
    post.outbox.clear()
    for _ in range(2):
        time.pass_(minutes=31)
        at_once.send_all()
    return [(mail.to[0].partition("@")[0].title(), str(mail.subject)) for mail in post.outbox]


@pytest.fixture
def ours(alice: Browser, bob: Browser, charlie: Browser) -> League:
    """Has not started; Alice organises it."""
    return joined(alice, bob, charlie)[0]


@pytest.fixture
def league(alice: Browser, bob: Browser, charlie: Browser) -> League:
    """Has begun; Alice organises it."""
    return begun(alice, bob, charlie)
