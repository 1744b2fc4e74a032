"""The dearest requests that anybody made to each address, beside the ordinary ones (`routes.asks`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db import transaction
from django.utils import timezone

from robosite.leagues.models import League
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.people.models import Guest
from robosite.talk.models import Message
from tests.site import large
from tests.site.browsers import Answer, Browser, seat_at
from tests.site.large import lengthen, long_record
from tests.site.routes import Ask, asks
from tests.site.world import World

LONG = "F " * 1000
"""As long as an order or a draft may be."""
TURNS, SAID, TABLES = 5, 300, 20

ODD = {
    "first-lesson": ["/learn/pigs/?played&order=" + "F+" * 999],
    "next-lesson": ["/learn/pigs/bumps/?played&order=" + "F+" * 999],
    "learn-more": [
        "/learn/pigs/bumps/6/?played&order=" + "F+" * 999,
        "/learn/roboxing/letters/3/?played&order=" + "a1%2Bh3+" * 900,
    ],
    "learn": [
        "/learn/pigs/1/?played&order=" + "F+" * 999,
        "/learn/pigs/2/?played&order=" + "TR+F+" * 900,
        "/learn/roboxing/1/?played&order=" + "a1%2Bh3+" * 900,
    ],
    "puzzle": [
        "/puzzles/pigs/8/?played&order=F+F+TL+H+X",
        "/puzzles/pigs/2/?order=" + "F+" * 999,
        "/puzzles/roboxing/25/?played&order=f3%2Bi1%2Be2+g+g",
        "/puzzles/robble/36/?played&order=h9",
    ],
    "new": ["/new/pigs/?" + urlencode([(f"pigs-{n}", "x" * 90) for n in range(90)])],
    "tables": ["/tables/?page=999999999", "/tables/?game=" + "x" * 900],
    "my-games": ["/mine/?page=999999999", "/mine/?page=1"],
    "waiting": ["/mine/waiting/?list"],
    "finished-leagues": ["/l/over/?page=999999999", "/l/over/?page=" + "9" * 900],
    "results": ["/mine/results/?page=999999999", "/mine/results/?with=" + "x" * 900],
    "next": ["/next/?from=" + "a" * 900],
    "api-matches": ["/api/v1/matches?open=1&after=" + "9" * 900, "/api/v1/matches?open=1&game=pigs"],
    "api-nothing": ["/api/v1/" + "nothing/" * 900],
    "back": ["/back/?next=" + "/" * 3000],
}
"""The requests to an address that has its own odd inputs, whatever the table."""
OF_TABLE = {
    "match": ("?at=1.1", "?at=999999.999", "?at=" + "9" * 900, "?at=-1"),
    "seat": ("?at=1.1", "?at=999999.999", "?guess=" + "F+" * 900),
    "talk": ("?before=1", "?before=" + "9" * 18, "?to=all", "?to=B&before=" + "9" * 16),
    "watchers-talk": ("?before=1", "?before=" + "9" * 18),
    "api-match": ("?legal=1", "?since=0", "?since=999999999"),
    "results-here": ("?page=999999999",),
    "report": ("?about=" + "x" * 900,),
}
"""The same for addresses of a match: what follows the address."""


class Size(NamedTuple):
    """The sizes of a league, of a cup, and of what a guest brings along to another browser."""

    places: int
    legs: int
    cup: int
    matches: int


LARGEST, USUAL = Size(64, 2, 32, 300), Size(10, 1, 8, 10)

Asked = dict[str, list[tuple[World, Ask]]]
"""By address and method: what is asked, and in which world."""


def who_asks(row: str) -> str:
    return "staff" if row.startswith("admin:") else "Alice"


def ordinary(there: World) -> Asked:
    """The ordinary requests to every address and method of the site."""
    found: Asked = {}
    for ask in asks(there):
        if _counts(ask):
            found.setdefault(f"{ask.name} {ask.method}", []).append((there, ask))
    return found


def dearest(there: World) -> Asked:
    """The dearest that anybody made. First Alice is at TABLES more tables, and at two large ones."""
    for _ in range(TABLES):
        there.people["Alice"].make()
    found: Asked = {}
    for world in (_large(there, "bash"), _large(there, "continuous-ring", draft=True)):
        for row, usual in ordinary(world).items():
            asked = _different([ask for _world, ask in usual if ask.table != "over"])
            if not found.get(row) or any(ask.table == "playing" for ask in asked):
                found.setdefault(row, []).extend((world, one) for ask in asked for one in _worse(ask))
    for table in ("playing", "over"):
        world = _long(there, table)
        for row, usual in ordinary(world).items():
            found[row] += [
                (world, ask) for ask in _different([one for _, one in usual if one.table == table])
            ]
    for row, ask in _of_long_records(world):
        found[row].append((world, ask))
    for name, paths in ODD.items():
        found[f"{name} GET"] += [(there, Ask(name, "GET", "", path)) for path in paths]
    for name, more in OF_TABLE.items():
        world, ask = next((w, a) for w, a in found[f"{name} GET"] if a.table == "playing")
        path = ask.path.partition("?")[0]
        found[f"{name} GET"] += [(world, ask._replace(path=path + one, headers={})) for one in more]
    return found


def of_size(there: World, size: Size) -> Asked:
    """The requests that grow with a league or cup, and with what a guest brings along (SIZED)."""
    found: Asked = {}
    for world, names in [*_leagues(there, size), (_brings(there, size.matches), SIZED["brings"])]:
        for ask in asks(world):
            if ask.name in names and "none" not in ask.where and "wrong" not in ask.where:
                found.setdefault(f"{ask.name} {ask.method}", []).append((world, ask))
    return found


SIZED = {
    "open": {"start-league", "api-league-start", "league"},
    "playing": {"league", "api-league", "api-league-table", "api-league-matches"},
    "last day": {"league", "api-league-table"},
    "over": {"league", "league-record", "next-season", "api-league-next"},
    "brings": {"you-link", "you-take", "back-by-phrase"},
}
"""The addresses that are asked for in a world of each kind."""


class LastDay(World):
    """A world whose league has had its last day when it is asked for."""

    def ask(self, who: str, ask: Ask) -> Answer:
        with transaction.atomic():
            League.objects.filter(key=self.keys["league"]).update(ends=timezone.now())
            answer = super().ask(who, ask)
            transaction.set_rollback(True)
        return answer


def _leagues(there: World, size: Size) -> Iterator[tuple[World, set[str]]]:
    """The same world with a league: open, playing, past its last day, over; with a cup: open, playing."""
    alice = Guest.objects.get(name="Alice")
    for format, places in ((League.Format.LEAGUE, size.places), (League.Format.CUP, size.cup)):
        terms = {"format": format, "legs": size.legs if format == League.Format.LEAGUE else 1}
        for state in ("open", "playing", "over")[: 3 if format == League.Format.LEAGUE else 2]:
            made = large.make(places, alice, **terms)
            world = replace(
                there,
                keys={**there.keys, "league": made.league.key},
                invites={**there.invites, "league": made.invite},
                tokens={**there.tokens, "Alice league": made.organiser_token},
                ways={**there.ways, "place": made.token or "", "organiser": made.organiser_token},
            )
            if state != "open":
                large.begin(made.league)
            if state == "over":
                large.end(made.league)
            yield world, SIZED[state]
            if state == "playing":
                yield LastDay(**vars(world)), SIZED["last day"]


def _brings(there: World, matches: int) -> World:
    """The same world with Zoe, who plays in so many matches, where Alice was; Alice has some of the seats."""
    browser = Browser("Zoe")
    browser.make()
    alice, zoe = Guest.objects.get(name="Alice"), Guest.objects.filter(name="Zoe").latest("pk")
    large.seat(matches // 3, zoe, alice)
    large.seat(matches - matches // 3, zoe)
    return replace(there, people={**there.people, "Alice": browser})


def _counts(ask: Ask) -> bool:
    return ask.table in ("none", "playing", "over") and ask.where.split()[1:2] != ["B"]


def _different(given: list[Ask]) -> list[Ask]:
    """One of those that differ in nothing but what they say."""
    return list({(ask.path.partition("?")[0], str(ask.headers)): ask for ask in given}.values())


def _worse(ask: Ask) -> Iterator[Ask]:
    """A long query and long headers; or each field as long as the form takes it, and many more of them."""
    if ask.method in ("GET", "DELETE"):
        flood = urlencode([(f"x{n}", "9" * 100) for n in range(80)])
        headers = {**ask.headers, "If-None-Match": '"a", ' * 800, "Accept-Language": "xx;q=0.1, " * 400}
        if not ask.path.startswith("/api/"):  # which refuses a query that it does not know
            yield ask._replace(path=f"{ask.path}{'&' if '?' in ask.path else '?'}{flood}", headers=headers)
        else:
            yield ask._replace(headers=headers)
        return
    yield ask
    fields = [name for name, value in (ask.data or {}).items() if isinstance(value, str)]
    if fields:
        yield ask._replace(data={**ask.data, **dict.fromkeys(fields, LONG)})
        for name in fields:
            for text in (LONG, "W" * 24):
                yield ask._replace(data={**ask.data, name: text})
    if not ask.path.startswith("/api/"):
        yield ask._replace(data={**(ask.data or {}), **{f"x{n}": "9" * 600 for n in range(80)}})


def _made(there: World, *others: str, **given: Any) -> tuple[Match, dict[str, str]]:
    """A match of pigs that Alice has made by the API, and taken in her browser, with others at it."""
    asked = json.dumps({"game": "pigs", "name": "Alice", **given})
    made = Browser("").post("/api/v1/matches", asked, "application/json").json()
    match = Match.objects.get(key=made["match"])
    assert there.people["Alice"].post(f"/s/seat/{made['token']}/take/").status_code == 302
    for name in others:
        flow.join(match, name, invite=made["invite"])
    match.refresh_from_db()
    return match, made


def _large(there: World, preset: str, *, draft: bool = False) -> World:
    """The same world with a large table in place of the one that plays: eight pigs, much said, many turns."""
    names = ("Bob", "Dora", "Emil", "Fritz", "Gustav", "Hans", "Ida")
    match, made = _made(there, *names, preset=preset, seats=8)
    rng = Random(5)
    for _ in range(TURNS):
        for letter in flow.owing(match):
            seat = seat_at(match, letter)
            flow.seal(seat, match.turn, state_of(match).view(letter).sample(letter, rng))
            match.refresh_from_db()
    began, seats = timezone.now() - timedelta(hours=9), list(match.seats.all())
    Message.objects.bulk_create(
        Message(
            match=match, seat=seats[n % 8], name="Bob", text="W" * 300, sent_at=began + timedelta(seconds=n)
        )
        for n in range(SAID)
    )
    match.refresh_from_db()
    if draft:
        for at in match.to_act or "":
            seat = seat_at(match, at)
            try:
                flow.draft(seat, match.turn, LONG[: state_of(match).max_order_length(seat.at)])
            except flow.Refused:
                flow.draft(seat, match.turn, "F")
    return _with(there, "playing", match, made)


def _long(there: World, table: str) -> World:
    """The same world with a long match in place of the one that is playing, or over."""
    match, made = _made(there, "Bob")
    lengthen(match)
    if table == "over":
        resign = there.people["Alice"].post(f"/m/{match.key}/A/resign/", {"turn": match.turn})
        assert resign.status_code == 302
    return _with(there, table, match, made)


def _of_long_records(there: World) -> Iterator[tuple[str, Ask]]:
    """Requests with long records, and of a long match that is over."""
    for slug in ("pigs", "robosoccer"):
        data = long_record(slug)
        text = json.dumps(data, separators=(",", ":"))
        yield "import POST", Ask("import", "POST", "", "/import/", {"record": text})
        yield "api-records POST", Ask("api-records", "POST", "", "/api/v1/records", data)
    for turn in (2, 200, 500):
        begun = {"turn": turn, "seat": "A", "player": "random", "name": "Alice"}
        yield "again POST", Ask("again", "POST", "over", f"/m/{there.keys['over']}/again/", begun)


def _with(there: World, where: str, match: Match, made: dict[str, str]) -> World:
    """The world with this table as the one that plays, or that is over."""
    shown = there.people["Alice"].get(f"/m/{match.key}/A/").content.decode()
    invite = re.search(r"/s/invite/([^/]+)/", shown)
    return replace(
        there,
        keys={**there.keys, where: match.key},
        invites={**there.invites, where: invite[1] if invite else made["invite"]},
        tokens={**there.tokens, f"Alice {where}": made["token"]},
    )
