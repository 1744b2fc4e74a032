"""Two deeds on one seat at the same instant, in two processes: who may act for it afterwards?

`python -m tests.faults.who_may_act --tries 100 --pauses 4`, on the database of the environment.
Whatever comes of two deeds at once must be what comes of one after the other, in one order or the other. Each
pair is tried so often with chance alone, and then with the worst interleaving made certain: the first deed
stops before its n-th transaction, until the other one is done. Prints what was seen else, as JSON.
"""

from __future__ import annotations

from tests.faults.outcomes import PATIENCE  # sets Django up  # isort: skip

import argparse
import json
import logging
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.db.transaction import Atomic
from django.test import Client
from django.utils import timezone

from games import newest
from robosite.matches import flow
from robosite.matches.flow import arbiter
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.matches.site_models import Asking
from robosite.people.models import Guest

FIRST, OTHER, LAST = "F ^ TR v H", "TL TL TL TL TL", "TR TR TR TR TR"
IN_VAIN = 1.0
"""Seconds that a stopped deed waits for the other one, which may itself wait for a lock of the first."""


@dataclass
class Table:
    """An open table of three: Alice made it, Bob sits on B with an order sealed, C is free.

    Mallory followed Bob's link before, Eve knows it, Carol has the invite, Dave has asked for Bob's seat.
    `cookies` are the browsers' own, by name.
    """

    key: str
    invite: str
    link: str
    cookies: dict[str, dict[str, str]] = field(default_factory=dict)


def lay() -> Table:
    game = newest("pigs")
    guests = {name: Guest.objects.create(name=name) for name in ("Alice", "Bob", "Mallory", "Dave")}
    match, _, invite = flow.create(game, game.read_options({}), 3, "Alice", guest=guests["Alice"])
    taken = flow.join(match, "Bob", invite=invite, at="B", guest=guests["Bob"])
    flow.take(taken.secret, lambda name: guests["Mallory"])
    flow.seal(Seat.objects.select_related("match").get(match=match, letter="B"), 0, FIRST)
    soon = timezone.now() + timedelta(days=1)
    asked = {"guest": guests["Dave"], "asked_at": timezone.now(), "due": soon}
    host = Seat.objects.get(match=match, letter="A")
    Asking.objects.create(seat=taken.seat, answer=Asking.Answer.YES, answered_by=host, **asked)
    cookies = {name: session(one) for name, one in guests.items()} | {"Eve": {}, "Carol": {}}
    return Table(match.key, invite, taken.secret, cookies)


def session(guest: Any) -> dict[str, str]:
    kept = SessionStore()
    kept["guest"], kept["guest_round"] = guest.pk, guest.round
    kept.create()
    return {settings.SESSION_COOKIE_NAME: str(kept.session_key)}


# The deeds


def browser(table: Table, name: str) -> Any:
    client = Client(raise_request_exception=False, SERVER_NAME="127.0.0.1")
    for cookie, value in table.cookies[name].items():
        client.cookies[cookie] = value
    return client


def post(who: str, path: str, **given: str) -> Callable[[Table], int]:
    """Somebody's browser sends a form; the cookies that it gets are its own from then on."""

    def do(table: Table) -> int:
        client = browser(table, who)
        answer = client.post(path.format(table=table), given)
        table.cookies[who] = {cookie: morsel.value for cookie, morsel in client.cookies.items()}
        return int(answer.status_code)

    return do


def revoke(table: Table) -> int:
    arbiter.revoke(Seat.objects.select_related("match").get(match__key=table.key, letter="B"))
    return 200


def hand_over(table: Table) -> int:
    """The time in which Bob may object is over, and somebody looks."""
    now = timezone.now()
    Asking.objects.filter(seat__match__key=table.key).update(due=now)
    Match.objects.filter(key=table.key, seats__askings__isnull=False).update(handover_at=now)
    flow.apply_due(Match.objects.get(key=table.key))
    return 200


DEEDS: dict[str, Callable[[Table], int]] = {
    "take": post("Eve", "/s/seat/{table.link}/take/"),
    "leave": post("Bob", "/m/{table.key}/B/leave/"),
    "sit": post("Carol", "/s/invite/{table.invite}/accept/", name="Carol"),
    "start": post("Alice", "/m/{table.key}/A/start/"),
    "new link": post("Bob", "/m/{table.key}/B/link/"),
    "revoke": revoke,
    "hand over": hand_over,
    "forget": post("Bob", "/me/forget/", sure="1"),
    "seal": post("Mallory", "/m/{table.key}/B/plan/", turn="0", typed=OTHER, seal="1"),
    "reopen": post("Mallory", "/m/{table.key}/B/reopen/", turn="0"),
}


# Afterwards


def seen(table: Table, *, whole: bool) -> str:
    """The rights of everybody: facts of the table, then each browser and the old link against seat B.

    If seat B is free, Zoe sits down there first and seals: what is hers must be nobody else's. With `whole`,
    each browser that may also asks for the page.
    """
    match = Match.objects.get(key=table.key)
    seats = {seat.letter: seat for seat in Seat.objects.filter(match=match)}
    facts: list[Any] = [match.status, {letter: seat.name for letter, seat in seats.items()}]
    if match.status == "open" and "B" in seats and not seats["B"].taken:
        zoe = flow.join(match, "Zoe", invite=table.invite, at="B", guest=Guest.objects.create(name="Zoe"))
        flow.seal(Seat.objects.select_related("match").get(pk=zoe.seat.pk), 0, LAST)
    holds = Hold.every.filter(seat__match=match)
    facts.append(sorted(set(holds.values_list("seat__letter", "guest__name"))))
    facts += [[name, _may(browser(table, name), table.key, whole)] for name in sorted(table.cookies)]
    token = {"headers": {"Authorization": f"Bearer {table.link}"}}
    client = browser(table, "Eve")
    answer = client.put(f"/api/v1/matches/{table.key}/draft", "{}", "application/json", **token)
    facts.append(["token", answer.status_code])
    sealed = Program.objects.filter(seat__match=match).exclude(seal="").order_by("seat__letter")
    facts.append(list(sealed.values_list("seat__letter", flat=True)))
    return json.dumps(facts)


def _may(client: Any, key: str, whole: bool) -> list[int]:
    """The statuses a browser gets at an address of seat B alone (404: it may), and at its page."""
    answers = [client.get(f"/m/{key}/B/qr/seat.svg").status_code]
    return [*answers, client.get(f"/m/{key}/B/").status_code] if whole and answers != [403] else answers


# At once


def worker(pipe: Any, line: Any, begun: Any, done: Any) -> None:
    """One of the two processes: does what it is told, at the same instant as the other."""
    logging.disable()  # what is refused is seen in the answers
    while (order := pipe.recv()) is not None:
        deed, table, pause, second = order
        connection.ensure_connection()
        line.wait(PATIENCE)
        if second:
            begun.wait(PATIENCE)  # chance alone: set from the start
        with pausing(pause, begun, done):
            status = _do(deed, table)
        if second:
            done.set()
        begun.set()  # it may have had fewer transactions
        pipe.send((status, table.cookies))


def _do(deed: str, table: Table) -> int | str:
    try:
        return DEEDS[deed](table)
    except Exception as fault:
        return repr(fault)


@contextmanager
def pausing(pause: int, begun: Any, done: Any) -> Iterator[None]:
    """Stops before the `pause`-th outermost transaction until the other deed is done; never, with 0."""
    enter, left = Atomic.__enter__, [pause]

    def enter_later(self: Any) -> None:
        if not connection.in_atomic_block:
            left[0] -= 1
            if left[0] == 0:
                begun.set()
                done.wait(IN_VAIN)
        enter(self)

    if pause:
        Atomic.__enter__ = enter_later  # type: ignore[method-assign]
    try:
        yield
    finally:
        Atomic.__enter__ = enter  # type: ignore[method-assign]


class Two:
    """Two processes, each with connections of its own."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.begun, self.done, self.line = context.Event(), context.Event(), context.Barrier(2)
        self.pipes, self.processes = [], []
        for _ in range(2):
            mine, its = context.Pipe()
            process = context.Process(
                target=worker, args=(its, self.line, self.begun, self.done), daemon=True
            )
            process.start()
            self.pipes.append(mine)
            self.processes.append(process)

    def do(self, deeds: tuple[str, str], table: Table, pause: int) -> list[Any]:
        """The answers to both; the table's cookies are then those of both."""
        self.done.clear()
        self.begun.clear() if pause else self.begun.set()
        for number, pipe in enumerate(self.pipes):
            pipe.send((deeds[number], table, 0 if number else pause, number == 1))
        given = [pipe.recv() for pipe in self.pipes]
        before = dict(table.cookies)
        for _, cookies in sorted(given, key=lambda one: one[0] == 302):  # a refused request keeps no browser
            table.cookies |= {name: own for name, own in cookies.items() if own != before[name]}
        return [status for status, _ in given]

    def stop(self) -> None:
        for pipe in self.pipes:
            pipe.send(None)
        for process in self.processes:
            process.join(PATIENCE)


def _with_either_link(facts: str) -> str:
    """The facts as if Bob's browser had kept his last link.

    Of two new links that it asks for at once it keeps the one whose answer comes last. If that is not the one
    that counts, its address of the QR code has nothing to show (404), as in a browser that never had a link.
    """
    return facts.replace('["Bob", [404', '["Bob", [200')


@cache
def in_either_order(deeds: frozenset[str], *, whole: bool) -> set[str]:
    """The outcomes of two actions, or of one done twice, in either order."""
    first, second = [*deeds, *deeds][:2]
    return {in_turn(first, second, whole=whole), in_turn(second, first, whole=whole)}


def in_turn(*deeds: str, whole: bool) -> str:
    table = lay()
    for deed in deeds:
        _do(deed, table)
    return seen(table, whole=whole)


def main(tries: int, pauses: int, only: set[str]) -> dict[str, Any]:
    """The number of pairs and of tries, and the odd ones. A line for each pair goes to stderr at once."""
    logging.disable()
    two, odd, tried = Two(), [], 0
    pairs = [pair for pair in combinations_with_replacement(DEEDS, 2) if not only or only & set(pair)]
    for pair in pairs:
        runs = [(pair, 0) for _ in range(tries)]
        runs += [(order, n) for order in sorted({pair, pair[::-1]}) for n in range(1, pauses + 1)]
        found = [one for deeds, pause in runs if (one := _oddity(two, deeds, pause))]
        odd += found
        tried += len(runs)
        print(*pair, f"{len(runs)} tries, {len(found)} odd", file=sys.stderr, flush=True)
    two.stop()
    return {"pairs": len(pairs), "tried": tried, "odd": odd}


def _oddity(two: Two, deeds: tuple[str, str], pause: int) -> dict[str, Any] | None:
    """Does both deeds at once on a new table; what was seen, if neither order of the two explains it."""
    table = lay()
    answers = two.do(deeds, table, pause)
    facts, fair = seen(table, whole=pause > 0), in_either_order(frozenset(deeds), whole=pause > 0)
    failed = any(isinstance(one, str) or one == 500 for one in answers)
    if not failed and (facts in fair or (set(deeds) == {"new link"} and _with_either_link(facts) in fair)):
        return None
    return {"deeds": deeds, "pause": pause, "answers": answers, "seen": facts, "fair": sorted(fair)}


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=100)
    parser.add_argument("--pauses", type=int, default=4)
    parser.add_argument("--only", nargs="*", default=[])
    return parser.parse_args()


if __name__ == "__main__":
    given = parsed()
    json.dump(main(given.tries, given.pauses, set(given.only)), sys.stdout)
