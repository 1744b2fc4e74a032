"""A world of four matches and a league, in which every address of the site is asked for (`routes.py`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.signals import request_finished
from django.db import close_old_connections, transaction
from django.utils import timezone

from games import newest
from robosite.api import challenges, programs
from robosite.api.models import NamedProgram
from robosite.leagues import flow as leagues
from robosite.learn.puzzles import puzzles
from robosite.matches import flow
from robosite.matches.flow import seat_requests
from robosite.matches.history import _kept
from robosite.matches.models import Hold, Match
from robosite.moderation import measures, reports
from robosite.notices.models import Channel, Kind
from robosite.notices.transports import unsubscribe_path
from robosite.people.letters import new_ticket
from robosite.people.models import Guest, Ticket
from robosite.people.recovery_phrases import new_phrase
from robosite.play.film import rendered_turns
from robosite.share.pictures import drawn_files
from robosite.talk import messages, turn_notes
from robosite.talk.models import TurnNote
from robosite.web.caches import made_once
from tests.site.browsers import FIRST, OTHER, Answer, Browser, seat_at
from tests.site.routes import MATCHES, PEOPLE, Ask


def end(answer: Answer) -> None:
    """Ends a stream in the middle, and not the connection to the database, whose transaction goes on."""
    request_finished.disconnect(close_old_connections)
    answer.close()
    request_finished.connect(close_old_connections)


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
    """The addresses of the receipt of Alice's report about what Bob said, and of the warning to Erin."""
    program: int
    """Alice's program, by the number that pages have of it; it is invited to the open table."""

    def values(self, match: str) -> dict[str, Any]:
        """What stands in the paths and data of `routes.TABLE`; of one of the matches, or of none."""
        of_match = {"key": self.keys, "invite": self.invites}
        return {
            **({kind: found[match] for kind, found in of_match.items()} if match else {}),
            "seat": self.tokens.get(f"Alice {match}"),
            **{table: self.keys[table] for table in (*MATCHES, "league")},
            **self.tickets,
            **self.ways,
            **self.moderated,
            "league_invite": self.invites["league"],
            "feeds": self.ways["feed"].split("/")[3],
            "turn": int(match == "playing"),
            "first": FIRST,
            "phrase": self.phrase,
            "asking": self.asking,
            "program": self.program,
            "answer": puzzles("robble")[0].answer,
        }

    def ask(self, who: str, ask: Ask) -> Answer:
        browser = self.people[who]
        headers, more = dict(ask.headers), dict[str, Any]()
        if ask.path.startswith("/api/"):
            token = self.tokens.get(f"{who} {ask.where}") or self.tokens.get(who)
            if token:
                headers["Authorization"] = f"Bearer {token}"
            body = "" if ask.data is None else json.dumps(ask.data)
            more = {"data": body, "content_type": "application/json" if body else ""}
            return undone(browser, lambda: browser.generic(ask.method, ask.path, headers=headers, **more))
        asks = getattr(browser, ask.method.lower())
        more = {"data": ask.data or {}} if ask.method == "POST" else {}
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
    others = {"anyone": "", "watcher": "Charlie", "elsewhere": "Erin", "staff": "Dora"}
    names = {name: others.get(name, name) for name in (*PEOPLE, "Dora")}
    people = {name: Browser(own) for name, own in names.items()}
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
        flow.seal(seat_at(match, letter), match.turn, order)

    def bobs(match: Match) -> None:
        match.refresh_from_db()
        seat = seat_at(match, "B")
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
    challenges.invite(seat_at(tables[1], "A"), hal)
    of_bob = seat_at(playing, "B")
    messages.say(of_bob, None, "Hello, all", "luck")
    if psst:
        messages.say(of_bob, None, psst, to="A")
    if word:
        turn_notes.write(of_bob, TurnNote.Kind.WORD, 1, word)
    if note:
        turn_notes.write(of_bob, TurnNote.Kind.NOTE, 1, note)
    messages.say(playing.seats.get(letter="A"), None, "And good luck")
    flow.resign(seat_at(tables[-1], "A"))
    Hold.objects.filter(seat__match=tables[-1]).update(seen_turn=1)
    at_league = _league(tokens, invites, keys)
    _kept.clear()
    rendered_turns.clear()  # a match of the same key may have been told and drawn in another world
    drawn_files.clear()
    made_once.clear()
    guest = Guest.objects.get(name="Alice")
    seat_requests.ask(of_bob, Guest.objects.get(name="Erin"))
    return World(
        people=people,
        tokens=tokens,
        invites=invites,
        keys=keys,
        tickets={kind.value: new_ticket(kind, guest, "alice@example.org") for kind in Ticket.Kind},
        phrase=new_phrase(guest),
        asking=of_bob.askings.get().pk,
        ways={**_ways(alice), **at_league},
        moderated=_moderated(playing),
        program=hal.pk,
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
    offered = reports.offered(match, alice, [seat_at(match, "A")])
    about = next(one for one in offered.said if one.shown.endswith("Hello, all"))
    made = reports.make(about, alice, "spam", "Again and again")
    warned = measures.take("warn", None, guest=Guest.objects.get(name="Erin"), reason="spam")
    return {"receipt": made.get_absolute_url(), "warning": warned.get_absolute_url()}


def _ways(alice: Browser) -> dict[str, str]:
    """Alice is told by e-mail of everything, and has a feed and a calendar."""
    Guest.objects.filter(name=alice.name).update(email="alice@example.org")
    for kind in ("mail", "atom", "calendar"):
        assert alice.post("/notices/add/", {"kind": kind}).status_code == 302
    mails = Channel.objects.get(kind="mail")
    mails.tells = Kind.values
    mails.save()
    shown = alice.get("/notices/").content.decode()
    found = re.findall(r">http://testserver(/s/(feed|calendar)/[^/]+/)<", shown)
    links = {kind: path for path, kind in found}
    return {**links, "channel": f"/notices/{mails.number}/", "unsubscribe": unsubscribe_path(mails)}
