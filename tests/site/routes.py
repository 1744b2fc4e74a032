"""Every address of the site, and a request or more to each, in a world of four matches.

Who adds an address adds a line to `asks`; `test_no_address_is_forgotten` says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib.auth.models import User
from django.core.signals import request_finished
from django.db import close_old_connections, transaction
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from games import newest
from robosite.api import challenges, programs
from robosite.api.models import NamedProgram
from robosite.leagues import flow as leagues
from robosite.learn.puzzles import puzzles
from robosite.matches import flow
from robosite.matches.flow import seat_requests
from robosite.matches.history import _kept
from robosite.matches.models import Hold, Match, Program
from robosite.moderation import measures, reports
from robosite.notices.models import Channel, Kind
from robosite.notices.transports import unsubscribe_path
from robosite.people.models import Guest, Ticket
from robosite.people.recovery_phrases import new_phrase
from robosite.people.tickets import new_ticket
from robosite.play.film import rendered_turns
from robosite.share.pictures import drawn_files
from robosite.talk import messages, turn_notes
from robosite.talk.models import TurnNote
from robosite.web.caches import made_once
from tests.games.sizes import size
from tests.site.browsers import FIRST, OTHER, Answer, Browser

HTMX = {"HX-Request": "true"}
TALK: tuple[tuple[str, dict[str, str]], ...] = (
    ("", {}),
    ("?before=1795262400000000", {}),
    ("", HTMX),
    ("", {**HTMX, "HX-Target": "talk-new"}),
)
"""The ways to ask for a talk: as a page, an older one, in place, and how much of it is new."""


NEW_CHANNEL = {"kind": "ntfy", "url": "https://ntfy.example/robots"}


def routes() -> dict[str, str]:
    """The names of all addresses (with their namespace), and their patterns."""
    return dict(_routes(get_resolver().url_patterns, "", ""))


def _routes(patterns: list[URLPattern | URLResolver], space: str, before: str) -> Iterator[tuple[str, str]]:
    for one in patterns:
        at = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _routes(one.url_patterns, f"{one.namespace}:" if one.namespace else space, at)
        else:
            yield f"{space}{one.name or at}", at


def end(answer: Answer) -> None:
    """Ends a stream in the middle, and not the connection to the database, whose transaction goes on."""
    request_finished.disconnect(close_old_connections)
    answer.close()
    request_finished.connect(close_old_connections)


class Ask(NamedTuple):
    """A request: to which address, in which match, and with what."""

    name: str
    method: str
    where: str
    path: str
    data: Any = None
    headers: dict[str, str] = {}

    @property
    def said(self) -> str:
        """The whole request, as text."""
        return f"{self.method} {self.path} {self.data} {self.headers}"

    @property
    def table(self) -> str:
        """Which of the three tables it is about, or "none"."""
        return table_of(self.where)


def table_of(where: str) -> str:
    first = where.split(" ", maxsplit=1)[0]
    return first if first in ("playing", "open", "over") else "none"


@dataclass
class World:
    """Four matches and six people; whatever Bob has for the turns not revealed is the only thing left open.

    playing: Alice, Bob and Dora, after one round; Alice and Dora have not sealed.
    open: Alice and Bob have sat down, a third seat is free. over: Alice has resigned against Bob.
    elsewhere: Erin sits at a table of her own. Alice has written a program, which sits nowhere.
    """

    people: dict[str, Browser]
    tokens: dict[str, str]
    invites: dict[str, str]
    keys: dict[str, str]
    tickets: dict[str, str]
    """Alice's links to another device, and to confirm an address."""
    phrase: str
    asking: int
    """Erin's asking for Bob's seat."""
    ways: dict[str, str]
    """The addresses of the ways by which Alice is told: her feeds', her channels'."""
    moderated: dict[str, str]
    program: int
    """Alice's program, by the number that pages have of it; it is invited to the open table."""
    """The addresses of the receipt of Alice's report about what Bob said, and of the warning to Erin."""

    def ask(self, who: str, ask: Ask) -> Answer:
        """The answer; afterwards the world and the browser are as they were."""
        browser = self.people[who]
        headers = dict(ask.headers)
        more: dict[str, Any] = {}
        if ask.path.startswith("/api/"):
            token = self.tokens.get(f"{who} {ask.where}") or self.tokens.get(who)
            if token:
                headers["Authorization"] = f"Bearer {token}"
            body = "" if ask.data is None else json.dumps(ask.data)
            more = {"data": body, "content_type": "application/json" if body else ""}
        elif ask.method == "POST":
            more = {"data": ask.data or {}}
        if "content_type" in more:
            return undone(browser, lambda: browser.generic(ask.method, ask.path, headers=headers, **more))
        asks = getattr(browser, ask.method.lower())
        return undone(browser, lambda: asks(ask.path, headers=headers, **more))


def undone(browser: Browser, asks: Callable[[], Answer]) -> Answer:
    """The answer; afterwards the world and the browser are as they were."""
    cookies = copy(browser.cookies)  # its own `copy` is a dict of another kind
    try:
        with transaction.atomic():
            answer = asks()
            if answer.streaming:
                end(answer)
            transaction.set_rollback(True)
    finally:
        browser.cookies = cookies
        _kept.clear()
    return answer


def world(
    secret: str | None = OTHER, draft: str | None = None, psst: str = "", word: str = "", note: str = ""
) -> World:
    """The world in which Bob has sealed `secret` everywhere, or has only drafted `draft`.

    Where Dora plays too he has said `psst` to Alice alone, and has a `word` with his program and a `note`.
    """
    people = {
        "anyone": Browser(""),
        "watcher": Browser("Charlie"),
        "Alice": Browser("Alice"),
        "Bob": Browser("Bob"),
        "elsewhere": Browser("Erin"),
        "staff": Browser("Dora"),
        "Dora": Browser("Dora"),
    }
    tokens: dict[str, str] = {}
    invites: dict[str, str] = {}
    keys: dict[str, str] = {}
    alice, bob = people["Alice"], people["Bob"]

    def seat_all(where: str, seats: int, *others: Browser) -> Match:
        match = alice.make(seats)
        keys[where] = match.key
        links = alice.own_links(match.seats.get(letter="A"))
        invites[where], tokens[f"Alice {where}"] = links["invite"], links["seat"]
        for browser, letter in zip(others, "BCD", strict=False):
            browser.join(links["invite"])
            tokens[f"{browser.name} {where}"] = browser.own_links(match.seats.get(letter=letter))["seat"]
        return match

    def seal(match: Match, letter: str, order: str) -> None:
        match.refresh_from_db()
        flow.seal(match.seats.select_related("match").get(letter=letter), match.turn, order)

    def bobs(match: Match) -> None:
        match.refresh_from_db()
        seat = match.seats.select_related("match").get(letter="B")
        if secret is not None:
            flow.seal(seat, match.turn, secret)
        if draft is not None:
            flow.draft(seat, match.turn, draft)

    erin = people["elsewhere"]
    own = erin.make()
    keys["elsewhere"] = own.key
    tokens["elsewhere"] = erin.own_links(own.seats.get(letter="A"))["seat"]
    left = people["watcher"].make()
    people["watcher"].do(left.seats.get(letter="A"), "leave")
    hal, tokens["Alice program"] = programs.register("Hal", "Plays fair", "")
    tokens |= {f"Alice program {at}": tokens["Alice program"] for at in ("open", "playing")}
    NamedProgram.objects.filter(pk=hal.pk).update(takes=" pigs ")
    root = User(username="root", is_staff=True, is_superuser=True, date_joined=timezone.now())
    root.save()
    people["staff"].force_login(root)

    playing = seat_all("playing", 3, bob, people["Dora"])
    for letter in "ABC":
        seal(playing, letter, FIRST)
    tables = playing, seat_all("open", 3, bob), seat_all("over", 2, bob)
    for match in tables:
        bobs(match)
    challenges.invite(tables[1].seats.select_related("match").get(letter="A"), hal)
    of_bob = playing.seats.select_related("match").get(letter="B")
    messages.say(of_bob, None, "Hello, all", "luck")
    if psst:
        messages.say(of_bob, None, psst, to="A")
    if word:
        turn_notes.write(of_bob, TurnNote.Kind.WORD, 1, word)
    if note:
        turn_notes.write(of_bob, TurnNote.Kind.NOTE, 1, note)
    messages.say(playing.seats.get(letter="A"), None, "And good luck")
    flow.resign(tables[-1].seats.select_related("match").get(letter="A"))
    Hold.objects.filter(seat__match=tables[-1]).update(seen_turn=1)
    at_league = _league(tokens, invites, keys)
    _kept.clear()
    rendered_turns.clear()  # a match of the same key may have been told and drawn in another world
    drawn_files.clear()
    made_once.clear()
    guest = Guest.objects.get(name="Alice")
    made = {kind.value: new_ticket(kind, guest, "alice@example.org") for kind in Ticket.Kind}
    seat = playing.seats.select_related("match").get(letter="B")
    seat_requests.ask(seat, Guest.objects.get(name="Erin"))
    return World(
        people,
        tokens,
        invites,
        keys,
        made,
        new_phrase(guest),
        seat.askings.get().pk,
        {**_ways(alice), **at_league},
        _moderated(playing),
        hal.pk,
    )


def _league(tokens: dict[str, str], invites: dict[str, str], keys: dict[str, str]) -> dict[str, str]:
    """A league that has not started: Alice organises it, Bob has a place. The secrets of two of its links."""
    alice, bob = (Guest.objects.get(name=name) for name in ("Alice", "Bob"))
    terms: Any = {"most_places": 8, "deadline_hours": 24.0, "ends_days": 60.0}
    made = leagues.create(
        "Spring", newest("pigs"), newest("pigs").read_options({}), "Alice", guest=alice, **terms
    )
    taken = leagues.join(made.league, "Bob", invite=made.invite, guest=bob)
    keys["league"], invites["league"] = made.league.key, made.invite
    tokens["Alice league"], tokens["Bob league"] = made.organiser_token, taken.secret
    return {"place": taken.secret, "organiser": made.organiser_token}


def _moderated(match: Match) -> dict[str, str]:
    """Alice has reported what Bob said to all; a moderator has warned Erin for something else."""
    alice = Guest.objects.get(name="Alice")
    offered = reports.offered(match, alice, [match.seats.select_related("match").get(letter="A")])
    about = next(one for one in offered.said if one.shown.endswith("Hello, all"))
    made = reports.make(about, alice, "spam", "Again and again")
    warned = measures.take("warn", None, guest=Guest.objects.get(name="Erin"), reason="spam")
    return {"receipt": made.get_absolute_url(), "warning": warned.get_absolute_url()}


def _ways(alice: Browser) -> dict[str, str]:
    """Alice is told by e-mail of everything, and has a feed and a calendar."""
    who = Guest.objects.get(name=alice.name)
    who.email = "alice@example.org"
    who.save()
    for kind in ("mail", "atom", "calendar"):
        assert alice.post("/notices/add/", {"kind": kind}).status_code == 302
    mails = Channel.objects.get(kind="mail")
    mails.tells = Kind.values
    mails.save()
    shown = alice.get("/notices/").content.decode()
    found = re.findall(r">http://testserver(/s/(feed|calendar)/[^/]+/)<", shown)
    links = {kind: path for path, kind in found}
    return {**links, "channel": f"/notices/{mails.number}/", "unsubscribe": unsubscribe_path(mails)}


RECORD = {
    "format": "robosite/1",
    "game": "robble",
    "seats": ["A", "B"],
    "turns": [{"A": "d4"}, {"B": "swap"}],
    "names": {"A": "Yan"},
}


def some(asked: list[Ask], table: str = "playing") -> list[Ask]:
    """In the long form all of these requests; in the short form one to each address, of that table if it has
    one."""
    first: dict[tuple[str, str], Ask] = {}
    for ask in sorted(asked, key=lambda ask: ask.table != table):
        first.setdefault((ask.method, ask.name), ask)
    return size([one for one in asked if one in first.values()], asked)


def asks(there: World) -> list[Ask]:
    """A request or more to every address of the site."""
    given = [
        Ask("home", "GET", "", "/"),
        *(Ask("first-lesson", "GET", slug, f"/learn/{slug}/") for slug in ("pigs", "chess")),
        Ask("first-lesson", "POST", "", "/learn/pigs/", {"choose": "F"}),
        Ask("learn", "GET", "", "/learn/pigs/2/?order=TR+F+F+F+F&played"),
        Ask("learn", "GET", "none", "/learn/pigs/99/"),
        Ask("learn", "POST", "", "/learn/pigs/2/?order=TR", {"choose": "F"}),
        *(Ask("next-lesson", "GET", key, f"/learn/pigs/{key}/") for key in ("bumps", "none")),
        Ask("next-lesson", "POST", "", "/learn/pigs/bumps/", {"choose": "F"}),
        Ask("learn-more", "GET", "", "/learn/pigs/bumps/6/?order=%5E+H+H+H+H&played"),
        Ask("learn-more", "GET", "none", "/learn/pigs/bumps/99/"),
        Ask("learn-more", "POST", "", "/learn/pigs/bumps/2/?order=TR", {"choose": "F"}),
        Ask("puzzles", "GET", "", "/puzzles/"),
        Ask("puzzle", "GET", "", f"/puzzles/robble/1/?order={puzzles('robble')[0].answer}&played"),
        Ask("puzzle", "GET", "none", "/puzzles/robble/999/"),
        Ask("puzzle", "POST", "", "/puzzles/pigs/1/?order=F", {"choose": "F"}),
        Ask("make", "POST", "", "/matches/", {"game": "pigs", "seats": "2", "name": "Zoe"}),
        Ask("make", "POST", "nameless", "/matches/", {"game": "pigs", "seats": "2", "name": ""}),
        Ask("play", "POST", "", "/play/", {"game": "pigs", "name": "Zoe"}),
        Ask(
            "make",
            "POST",
            "here",
            "/matches/",
            {"game": "robble", "name": "Zoe", "with": "here", "here": "Yan"},
        ),
        *(Ask("new", "GET", slug, f"/new/{slug}/") for slug in ("pigs", "roboxing", "chess")),
        Ask(
            "draw-board",
            "POST",
            "robosoccer",
            "/new/robosoccer/board/",
            {"board-own": "1", "board-tap": "at c3"},
        ),
        Ask("draw-board", "POST", "pigs", "/new/pigs/board/", {"board-own": "1"}),
        Ask("import", "GET", "", "/import/"),
        Ask("import", "POST", "", "/import/", {"record": json.dumps(RECORD)}),
        Ask("import", "POST", "faulty", "/import/", {"record": "{}"}),
        Ask("programs", "GET", "", "/programs/"),
        Ask("my-games", "GET", "", "/mine/"),
        Ask("waiting", "GET", "", "/mine/waiting/?list"),
        Ask("tables", "GET", "", "/tables/?game=pigs&pace=day"),
        Ask("results", "GET", "", "/mine/results/"),
        Ask("next", "GET", "", "/next/"),
        Ask("me", "GET", "", "/me/"),
        Ask("rename", "POST", "", "/me/name/", {"name": "Zoe"}),
        Ask("rename", "POST", "nameless", "/me/name/", {"name": ""}),
        *(
            Ask(name, "POST", "", f"/me/{name.partition('-')[0]}/")
            for name in ("device", "phrase", "others-out")
        ),
        Ask("my-mail", "POST", "", "/me/mail/", {"email": "zoe@example.org"}),
        Ask("my-mail", "POST", "remove", "/me/mail/", {"remove": "1"}),
        Ask("my-mail", "POST", "wrong", "/me/mail/", {"email": "zoe"}),
        Ask("export", "GET", "", "/me/export/"),
        Ask("leave-here", "POST", "", "/me/leave/"),
        Ask("forget-me", "GET", "", "/me/forget/"),
        Ask("forget-me", "POST", "", "/me/forget/", {"sure": "1"}),
        Ask("back", "GET", "", "/back/"),
        Ask("back-by-phrase", "POST", "", "/back/phrase/", {"phrase": there.phrase}),
        Ask("back-by-phrase", "POST", "wrong", "/back/phrase/", {"phrase": "one two"}),
        Ask("back-by-mail", "POST", "", "/back/mail/", {"email": "zoe@example.org"}),
        Ask("back-by-mail", "POST", "wrong", "/back/mail/", {"email": "zoe"}),
        Ask("back-by-link", "POST", "", "/back/link/", {"link": f"http://x/s/you/{there.tickets['device']}"}),
        Ask("back-by-link", "POST", "wrong", "/back/link/", {"link": "1234 5678"}),
        Ask("you-link", "GET", "", f"/s/you/{there.tickets['device']}/"),
        Ask("you-link", "GET", "wrong", f"/s/you/{'A' * 32}/"),
        Ask("you-take", "POST", "", f"/s/you/{there.tickets['device']}/take/"),
        Ask("you-take", "POST", "bring", f"/s/you/{there.tickets['device']}/take/", {"bring": "1"}),
        Ask("you-take", "POST", "wrong", f"/s/you/{'A' * 32}/take/"),
        Ask("mail-link", "GET", "", f"/s/mail/{there.tickets['confirm']}/"),
        Ask("mail-link", "GET", "wrong", f"/s/mail/{there.tickets['device']}/"),
        Ask("mail-confirm", "POST", "", f"/s/mail/{there.tickets['confirm']}/confirm/"),
        Ask("mail-confirm", "POST", "wrong", f"/s/mail/{there.tickets['device']}/confirm/"),
        Ask("keep", "POST", "", "/me/kept/", {"name": "theme", "value": "dark"}),
        Ask("keep", "POST", "unknown", "/me/kept/", {"name": "sessionid", "value": "x"}),
        Ask("offline-boards", "POST", "", "/me/offline/", {"kept": "1"}),
        Ask("presence", "POST", "", "/me/presence/"),
        Ask("presence", "POST", "shown", "/me/presence/", {"shown": "1"}),
        Ask("holidays", "GET", "", "/me/holidays/"),
        Ask("holidays", "POST", "", "/me/holidays/", {"first": "2026-12-24", "last": "2100-01-01"}),
        Ask("holidays", "POST", "end", "/me/holidays/", {"end": "1"}),
        Ask("language", "POST", "", "/language/", {"language": "de", "next": "/"}),
        Ask("healthz", "GET", "", "/healthz"),
        Ask("readyz", "GET", "", "/readyz"),
        Ask("robots", "GET", "", "/robots.txt"),
        Ask("security", "GET", "", "/.well-known/security.txt"),
        Ask("metrics", "GET", "", "/metrics"),
        Ask("privacy", "GET", "", "/privacy/"),
        Ask("report-received", "GET", "", there.moderated["receipt"]),
        Ask("report-received", "GET", "none", "/report/received/100000000000/"),
        Ask("measure", "GET", "", there.moderated["warning"]),
        Ask("measure", "GET", "none", "/measure/100000000000/"),
        Ask("measure", "POST", "read", there.moderated["warning"], {"read": "1", "next": "/"}),
        Ask("measure", "POST", "object", there.moderated["warning"], {"words": "It was not me"}),
        Ask("measure", "POST", "wordless", there.moderated["warning"]),
        Ask("manifest", "GET", "", "/manifest.webmanifest"),
        Ask("offline", "GET", "", "/offline/"),
        Ask("speculation-rules", "GET", "", "/early.json"),
        Ask("site-card", "GET", "", "/card.png"),
        *(Ask("game-card", "GET", slug, f"/rules/{slug}/card.png") for slug in ("pigs", "chess")),
        Ask("rules-of-all", "GET", "", "/rules/"),
        *(Ask("rules", "GET", slug, f"/rules/{slug}/") for slug in ("pigs", "chess")),
        Ask("example", "GET", "", "/rules/pigs/examples/three-rounds/?at=7"),
        Ask("example", "GET", "none", "/rules/pigs/examples/none/"),
        *(Ask("paper", "GET", slug, f"/rules/{slug}/paper/") for slug in ("pigs", "chess")),
        Ask("paper", "GET", "letter", "/rules/robble/paper/?sheet=letter"),
        *(Ask("things", "GET", slug, f"/rules/{slug}/things/") for slug in ("pigs", "chess")),
        Ask("things", "GET", "kids", "/rules/pigs/things/?damage_moves=False"),
        *(Ask("figures", "GET", slug, f"/rules/{slug}/figures/") for slug in ("robble", "chess")),
        *(Ask("notation", "GET", slug, f"/rules/{slug}/notation/") for slug in ("robble", "chess")),
    ]
    given += _of_notices(there) + _of_leagues(there)
    for where in ("playing", "open", "over"):
        given += _of_pages(there, where) + _of_api(there, where)
    given += [
        Ask("api-games", "GET", "", "/api/v1/games"),
        *(Ask("api-game", "GET", slug, f"/api/v1/games/{slug}") for slug in ("pigs", "chess")),
        Ask("api-matches", "GET", "", "/api/v1/matches?open=1"),
        Ask("api-records", "POST", "", "/api/v1/records", RECORD),
        Ask("api-matches", "POST", "", "/api/v1/matches", {"game": "pigs", "name": "Zoe"}),
        Ask("api-programs", "POST", "", "/api/v1/programs", {"name": "Clockwork"}),
        Ask("api-programs", "POST", "taken", "/api/v1/programs", {"name": "Hal"}),
        Ask("api-programs-token", "POST", "program", "/api/v1/programs/token"),
        Ask("api-me", "GET", "program", "/api/v1/me"),
        Ask("api-me", "DELETE", "program", "/api/v1/me"),
        Ask("api-me-export", "GET", "program", "/api/v1/me/export"),
        Ask("api-me-matches", "GET", "program", "/api/v1/me/matches"),
        Ask("api-me", "PUT", "program", "/api/v1/me", {"about": "Plays well", "takes": ["robble"]}),
        Ask("api-programs", "GET", "", "/api/v1/programs"),
        Ask("api-me-challenges", "GET", "program", "/api/v1/me/challenges"),
        *(
            Ask("api-me-challenge", "DELETE", f"program {at}", f"/api/v1/me/challenges/{there.keys[at]}")
            for at in ("open", "playing")
        ),
        Ask("api-me-events", "GET", "program", "/api/v1/me/events"),
        Ask("api-me-webhook", "GET", "program", "/api/v1/me/webhook"),
        Ask("api-me-webhook", "PUT", "program", "/api/v1/me/webhook", {"url": "https://example.org/hook"}),
        Ask("api-me-webhook", "DELETE", "program", "/api/v1/me/webhook"),
        Ask("api-openapi.json", "GET", "", "/api/v1/openapi.json"),
        Ask("api-docs", "GET", "", "/api/v1/docs"),
        Ask("api-root", "GET", "", "/api/v1/"),
        Ask("api-root-plain", "GET", "", "/api/v1"),
        Ask("api-nothing", "GET", "", "/api/v1/nothing/here"),
    ]
    for name, at in routes().items():
        if name.startswith("admin:"):
            path = "/" + at
            path = re.sub(r"<int:content_type_id>", "1", path)
            path = re.sub(r"\^\(\?P<app_label>.*\)/\$", "auth/", path)
            path = re.sub(r"\(\?P<url>.*\)\$", "nowhere", path)
            for pk in _newest(name):
                given.append(Ask(name, "GET", "", re.sub(r"<(path:object_id|id)>", str(pk), path)))
    return given


def _of_leagues(there: World) -> list[Ask]:
    page, api = f"/l/{there.keys['league']}/", f"/api/v1/leagues/{there.keys['league']}"
    form = {"name": "Zoe", "title": "Ours", "plays": "pigs/standard", "pace": "24", "ends": "60"}
    invite, joins = (
        f"/s/league/{there.invites['league']}/",
        {"name": "Zoe", "invite": there.invites["league"]},
    )
    place, organiser = f"/s/place/{there.ways['place']}/", f"/s/organiser/{there.ways['organiser']}/"
    new = {"name": "Ours", "game": "pigs", "organiser": "Zoe"}
    about = {"about": "league", "reason": "spam"}
    return [
        Ask("new-league", "GET", "", "/l/new/"),
        Ask("finished-leagues", "GET", "", "/l/over/?page=2"),
        Ask("new-league", "POST", "", "/l/new/", form),
        Ask("new-league", "POST", "nameless", "/l/new/", {**form, "name": ""}),
        Ask("league", "GET", "", page),
        Ask("league", "GET", "none", "/l/abcdefghjkmn/"),
        Ask("league-of", "GET", "none", f"/l/of/{there.keys['playing']}/"),
        Ask("start-league", "POST", "", f"{page}start/"),
        Ask("leave-league", "POST", "", f"{page}leave/"),
        Ask("add-league-bot", "POST", "", f"{page}bot/", {"bot": "quick"}),
        Ask("new-league-invite", "POST", "", f"{page}invite/"),
        Ask("new-place-link", "POST", "", f"{page}link/"),
        Ask("new-organiser-link", "POST", "", f"{page}organiser/"),
        Ask("next-season", "POST", "", f"{page}next/"),
        Ask("stay-in-season", "POST", "", f"{page}stay/"),
        Ask("league-terms", "GET", "", f"{page}terms/"),
        Ask("league-terms", "POST", "", f"{page}terms/", {"pace": "24", "ends_days": "60", "legs": "1"}),
        Ask("play-once", "POST", "", f"{page}once/", {"once": "1"}),
        Ask("league-moment", "GET", "none", f"{page}moment/"),
        Ask("league-tonight", "GET", "none", f"{page}tonight/"),
        Ask("league-table-picture", "GET", "none", f"{page}table-1.svg"),
        Ask("league-feed", "GET", "", f"{page}feed/"),
        Ask("league-channel", "GET", "", f"{page}channel/"),
        Ask("league-channel", "POST", "", f"{page}channel/", NEW_CHANNEL),
        Ask("league-channel", "POST", "end", f"{page}channel/", {"do": "end"}),
        Ask("league-calendar", "GET", "", f"{page}calendar/"),
        Ask("league-talk", "GET", "", f"{page}talk/"),
        Ask("league-talk", "POST", "", f"{page}talk/", {"text": "Hello"}),
        Ask("report-league", "GET", "", f"/report/league/{there.keys['league']}/"),
        Ask("report-league", "POST", "", f"/report/league/{there.keys['league']}/", about),
        Ask("offer-place", "POST", "", f"{page}offer/", {"place": "2"}),
        Ask("hand-over-place", "POST", "", f"{page}handover/"),
        Ask("hand-on-organising", "POST", "none", f"{page}organises/", {"place": "99"}),
        Ask("choose-organiser", "POST", "", f"{page}choose/", {"place": "2"}),
        Ask("league-record", "GET", "", f"{page}record/"),
        Ask("league-invite", "GET", "", invite),
        Ask("league-invite", "GET", "none", "/s/league/none/"),
        Ask("join-league", "POST", "", f"{invite}join/", {"name": "Zoe"}),
        Ask("place-link", "GET", "", place),
        Ask("place-link", "GET", "none", "/s/place/none/"),
        Ask("take-place", "POST", "", f"{place}take/"),
        Ask("place-offer", "GET", "none", "/s/offer/none/"),
        Ask("take-offer", "POST", "none", "/s/offer/none/take/"),
        Ask("organiser-link", "GET", "", organiser),
        Ask("organiser-link", "GET", "none", "/s/organiser/none/"),
        Ask("take-organiser", "POST", "", f"{organiser}take/"),
        Ask("api-leagues", "GET", "", "/api/v1/leagues"),
        Ask("api-leagues", "POST", "", "/api/v1/leagues", new),
        Ask("api-league", "GET", "", api),
        Ask("api-league", "GET", "none", "/api/v1/leagues/abcdefghjkmn"),
        Ask("api-league-table", "GET", "", f"{api}/table"),
        Ask("api-league-matches", "GET", "", f"{api}/matches"),
        Ask("api-league-record", "GET", "", f"{api}/record"),
        Ask("api-league-places", "POST", "", f"{api}/places", joins),
        Ask("api-league-places-place", "DELETE", "league", f"{api}/places/2"),
        Ask("api-league-start", "POST", "league", f"{api}/start"),
        Ask("api-league-organiser", "POST", "league", f"{api}/organiser", {"place": 1}),
        *(Ask("api-league-handover", method, "league", f"{api}/handover") for method in ("POST", "DELETE")),
        Ask("api-league-next", "POST", "league", f"{api}/next"),
        Ask("api-league-channel", "POST", "league", f"{api}/channel", NEW_CHANNEL),
        Ask("api-league-channel", "GET", "league", f"{api}/channel"),
        Ask("api-league-channel", "DELETE", "league", f"{api}/channel"),
        Ask("api-me-leagues", "GET", "league", "/api/v1/me/leagues"),
    ]


def _newest(name: str) -> list[int]:
    """The newest rows of the model that a page of the admin is about; of programs Bob's, if he has any."""
    app, _, model = name.removeprefix("admin:").rpartition("_")[0].partition("_")
    if app not in apps.app_configs or not name.endswith(
        ("_change", "_delete", "_history", "_password_change")
    ):
        return [1]
    kind = apps.get_model(app, model.removesuffix("_password"))
    if kind is Program:
        return [4, 5, 6]  # the fourth to sixth that were written
    return list(kind._default_manager.order_by("-pk").values_list("pk", flat=True)[:2]) or [1]


def _of_notices(there: World) -> list[Ask]:
    ways = there.ways
    return [
        Ask("notices", "GET", "", "/notices/"),
        Ask("wishes", "POST", "", "/notices/wishes/", {"steps-shown": "1", "steps": "3"}),
        *(Ask("add-channel", "POST", kind, "/notices/add/", {"kind": kind}) for kind in ("atom", "push")),
        *(Ask("channel", "POST", do, ways["channel"], {"do": do}) for do in ("save", "test", "remove")),
        Ask("feed", "GET", "", ways["feed"]),
        Ask("feed", "GET", "none", "/s/feed/none/"),
        Ask("handed-over", "GET", "none", "/s/handover/none/"),
        Ask("take-over", "POST", "none", "/s/handover/none/take/", {"name": "Zoe"}),
        Ask("api-handover", "POST", "none", "/api/v1/handover", {"link": "none", "name": "Zoe"}),
        Ask("calendar", "GET", "", ways["calendar"]),
        Ask("calendar", "GET", "none", ways["feed"].replace("feed", "calendar")),
        Ask("unsubscribe", "GET", "", ways["unsubscribe"]),
        Ask("unsubscribe", "POST", "", ways["unsubscribe"], {"List-Unsubscribe": "One-Click"}),
        Ask("unsubscribe", "GET", "none", "/s/unsubscribe/none/"),
        Ask("service-worker", "GET", "", "/sw.js"),
        Ask("verify", "GET", "", "/verify/"),
    ]


def _of_pages(there: World, where: str) -> list[Ask]:
    key, invite = there.keys[where], there.invites[where]
    link = there.tokens[f"Alice {where}"]
    given = [
        Ask("invite", "GET", where, f"/s/invite/{invite}/"),
        Ask("accept", "POST", where, f"/s/invite/{invite}/accept/", {"name": "Zoe"}),
        Ask("opened", "POST", where, f"/s/invite/{invite}/opened/"),
        Ask("table", "GET", where, f"/tables/{key}/"),
        Ask("sit", "POST", where, f"/tables/{key}/sit/", {"name": "Zoe"}),
        Ask("seat-link", "GET", where, f"/s/seat/{link}/"),
        Ask("take-seat", "POST", where, f"/s/seat/{link}/take/"),
        *(
            Ask("match", "GET", where, f"/m/{key}/{more}", None, headers)
            for more in ("?public", "?public&at=1.2", "?public&at=2.0")
            for headers in ({}, HTMX)
        ),
        Ask("match", "GET", f"{where} bare", f"/m/{key}/?at=1.2"),
        *(
            Ask("step-picture", "GET", f"{where} {at}", f"/m/{key}/{at}")
            for at in ("1.2.svg", "1.5.png", "2.0.svg")
        ),
        Ask("turn-picture", "GET", where, f"/m/{key}/1.svg"),
        Ask("match-card", "GET", where, f"/m/{key}/card.png"),
        Ask("comic", "GET", where, f"/m/{key}/comic/"),
        Ask("review", "GET", where, f"/m/{key}/review/"),
        Ask("again", "GET", where, f"/m/{key}/again/"),
        Ask("again", "POST", where, f"/m/{key}/again/", {"turn": "1", "seat": "A", "player": "random"}),
        Ask("embed", "GET", where, f"/m/{key}/embed/"),
        Ask("oembed", "GET", where, f"/oembed?url=http://testserver/m/{key}/"),
        Ask("comic-strip", "GET", where, f"/m/{key}/comic.png"),
        Ask("comic-reel", "GET", where, f"/m/{key}/comic.gif"),
        *(
            Ask("results", "GET", f"{where} with-{letter}", f"/mine/results/?with={key}&seat={letter}")
            for letter in "ABH"
        ),
        Ask("results", "GET", f"{where} with", f"/mine/results/?with={key}"),
        Ask("friend", "GET", where, f"/mine/friends/{key}/A/"),
        *(Ask("watchers-talk", "GET", where, f"/m/{key}/talk/{more}", None, h) for more, h in TALK),
        Ask("watchers-talk", "POST", where, f"/m/{key}/talk/", {"text": "Hm.", "name": "Zoe"}),
        Ask("watchers-talk", "POST", f"{where} empty", f"/m/{key}/talk/", {"text": " ", "name": "Zoe"}),
        Ask("version", "GET", where, f"/m/{key}/version/"),
        *(Ask("match-menu", "GET", where, f"/m/{key}/more/", None, headers) for headers in ({}, HTMX)),
        Ask("match-channel", "GET", where, f"/m/{key}/channel/"),
        Ask("rules", "GET", where, f"/rules/pigs/?from={key}"),
        Ask("report", "GET", where, f"/report/{key}/"),
        Ask("report", "POST", where, f"/report/{key}/", {"about": "match", "reason": "other"}),
        Ask("report", "POST", f"{where} wrong", f"/report/{key}/", {"about": "all", "reason": "other"}),
        Ask("ask", "GET", where, f"/m/{key}/B/ask/"),
        Ask("ask", "POST", where, f"/m/{key}/B/ask/"),
        Ask("ask", "POST", f"{where} invite", f"/m/{key}/B/ask/", {"invite": invite}),
        Ask("record", "GET", where, f"/m/{key}/record/"),
    ]
    turn = 1 if where == "playing" else 0
    for letter in "AB":
        at, seat = f"/m/{key}/{letter}/", f"{where} {letter}"
        given += [
            *(Ask("seat", "GET", seat, at, None, headers) for headers in ({}, HTMX)),
            *(Ask("qr", "GET", f"{seat} {what}", f"{at}qr/{what}.svg") for what in ("invite", "seat")),
            Ask("plan", "POST", seat, f"{at}plan/", {"turn": turn, "typed": FIRST, "seal": "1"}),
            Ask("plan", "POST", f"{seat} draft", f"{at}plan/", {"turn": turn, "typed": "F", "use": "1"}),
            Ask("plan", "POST", f"{seat} wrong", f"{at}plan/", {"turn": turn, "typed": "F", "seal": "1"}),
            Ask("plan", "POST", f"{seat} htmx", f"{at}plan/", {"turn": turn, "choose": "F"}, HTMX),
            Ask("here", "POST", seat, f"{at}here/"),
            Ask("replies", "GET", seat, f"{at}replies/"),
            Ask("replies", "POST", seat, f"{at}replies/", {"turn": turn, "drop": "1"}),
            Ask("bubbles", "POST", seat, f"{at}bubbles/"),
            Ask("start", "POST", seat, f"{at}start/"),
            Ask("reopen", "POST", seat, f"{at}reopen/", {"turn": turn}),
            Ask("resign", "POST", seat, f"{at}resign/"),
            Ask("draw", "POST", seat, f"{at}draw/", {"offer": "1"}),
            Ask("draw", "POST", f"{seat} no", f"{at}draw/", {"offer": "no"}),
            Ask("call-off", "POST", seat, f"{at}call-off/", {"offer": "1"}),
            *(
                Ask("take-back", "POST", f"{seat} {do}", f"{at}take-back/", {"turn": turn, "do": do})
                for do in ("ask", "withdraw", "accept", "decline")
            ),
            *(Ask("talk", "GET", seat, f"{at}talk/{more}", None, h) for more, h in TALK),
            Ask("talk", "POST", seat, f"{at}talk/", {"text": "Hm.", "phrase": "wow", "once": "e1f2"}),
            Ask("talk", "POST", f"{seat} alone", f"{at}talk/", {"text": "Psst.", "to": "C"}),
            Ask("talk", "POST", f"{seat} undo", f"{at}talk/?to=all", {"undo": "1795262400000000"}, HTMX),
            Ask("talk", "POST", f"{seat} empty", f"{at}talk/", {"text": ""}, HTMX),
            *(
                Ask("notes", "GET", seat, f"{at}notes/{m}", None, h)
                for m in ("", "?word")
                for h in ({}, HTMX)
            ),
            Ask("notes", "POST", f"{seat} word", f"{at}notes/", {"turn": turn, "word": "Ha!"}),
            Ask("notes", "POST", f"{seat} note", f"{at}notes/", {"turn": turn, "note": "Hm."}),
            Ask("claim", "POST", seat, f"{at}claim/", {"seat": "B"}),
            Ask("put-out", "POST", seat, f"{at}put-out/", {"seat": "B"}),
            *(
                Ask("asked", "POST", f"{seat} {say}", f"{at}asked/", {"asking": there.asking, "say": say})
                for say in ("yes", "no", "here")
            ),
            *(Ask("seat-menu", "GET", seat, f"{at}more/", None, headers) for headers in ({}, HTMX)),
            Ask("seat-channel", "GET", seat, f"{at}channel/"),
            Ask("seat-channel", "POST", seat, f"{at}channel/", NEW_CHANNEL),
            Ask("seat-channel", "POST", f"{seat} end", f"{at}channel/", {"do": "end"}),
            Ask("time", "GET", seat, f"{at}time/"),
            *(Ask("pause", "POST", f"{seat} {n}", f"{at}pause/", {"offer": n}) for n in "10"),
            Ask("nudge", "POST", seat, f"{at}nudge/"),
            Ask("leave", "POST", seat, f"{at}leave/"),
            Ask("leave", "POST", f"{seat} all", f"{at}leave/", {"all": "1"}),
            Ask("new-link", "POST", seat, f"{at}link/"),
            Ask("hand-over", "GET", seat, f"{at}handover/"),
            Ask("hand-over", "POST", seat, f"{at}handover/"),
            Ask("new-invite", "POST", seat, f"{at}invite/"),
            Ask("stay-listed", "POST", seat, f"{at}table/", {"list": "0"}),
            Ask("seat-bot", "POST", seat, f"{at}bot/", {"seat": "C", "player": "random"}),
            Ask("rematch", "POST", seat, f"{at}rematch/"),
            Ask("invite-program", "GET", seat, f"{at}programs/"),
            Ask("invite-program", "POST", seat, f"{at}programs/", {"program": there.program}),
            Ask("invite-program", "POST", f"{seat} none", f"{at}programs/", {"program": "999999"}),
            Ask("results-here", "GET", seat, f"{at}results/"),
        ]
    return given


def _of_api(there: World, where: str) -> list[Ask]:
    at = f"/api/v1/matches/{there.keys[where]}"
    turn = 1 if where == "playing" else 0
    return [
        *(Ask("api-match", "GET", where, f"{at}{more}") for more in ("", "?legal=1", "?since=1")),
        Ask("api-match-record", "GET", where, f"{at}/record"),
        Ask("api-match-events", "GET", where, f"{at}/events"),
        Ask("api-match-seats", "POST", where, f"{at}/seats", {"name": "Zoe", "invite": there.invites[where]}),
        Ask("api-match-seats", "POST", f"{where} wrong", f"{at}/seats", {"name": "Zoe", "invite": "x" * 32}),
        Ask("api-match-draft", "PUT", where, f"{at}/draft", {"turn": turn, "order": "F"}),
        Ask("api-match-order", "PUT", where, f"{at}/order", {"turn": turn, "order": FIRST}),
        Ask("api-match-plan", "POST", where, f"{at}/plan", {"turn": turn, "order": "F"}),
        Ask("api-match-check", "POST", where, f"{at}/check", {"turn": turn, "order": FIRST}),
        Ask("api-match-order", "DELETE", where, f"{at}/order?turn={turn}"),
        Ask("api-match-resign", "POST", where, f"{at}/resign"),
        Ask("api-match-draw", "POST", where, f"{at}/draw", {"offer": True}),
        Ask("api-match-claim", "POST", where, f"{at}/claim", {"seat": "B"}),
        Ask("api-match-put-out", "POST", where, f"{at}/put-out", {"seat": "B"}),
        Ask("api-match-keep", "POST", where, f"{at}/keep"),
        *(Ask("api-match-handover", method, where, f"{at}/handover") for method in ("POST", "DELETE")),
        Ask("api-match-replies", "GET", where, f"{at}/replies"),
        Ask("api-match-replies", "PUT", where, f"{at}/replies", {"turn": turn, "lines": [["c4", "d5"]]}),
        Ask("api-match-replies", "DELETE", where, f"{at}/replies"),
        Ask("api-match-proposals", "POST", where, f"{at}/proposals", {"kind": "draw", "do": "offer"}),
        Ask("api-match-rematch", "POST", where, f"{at}/rematch"),
        Ask("api-match-nudge", "POST", where, f"{at}/nudge"),
        Ask("api-match-channel", "POST", where, f"{at}/channel", NEW_CHANNEL),
        Ask("api-match-channel", "GET", where, f"{at}/channel"),
        Ask("api-match-channel", "DELETE", where, f"{at}/channel"),
        Ask("api-match-talk", "GET", where, f"{at}/talk"),
        Ask("api-match-talk", "POST", where, f"{at}/talk", {"text": "Hm."}),
    ]
