"""The dearest request to each address does at most five times the work of the ordinary ones there.

Work is counted, not timed, so that it is the same each time: calls of functions, questions to the database,
bytes of the answer. Where the ordinary request does little, five times that is less than nobody would notice
(LEAST).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from cProfile import Profile
from itertools import count
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from django.core import mail
from django.db import connection, transaction
from django.test import TestCase

from robosite.play.film import rendered_turns
from robosite.share.pictures import drawn_files
from robosite.web import later
from tests.site.dearest import LARGEST, ODD, OF_TABLE, USUAL, dearest, of_size, ordinary, who_asks
from tests.site.large import TURNS
from tests.site.routes import Ask, routes
from tests.site.world import World, world

TIMES = 5


class Work(NamedTuple):
    """The work for an answer: function calls, queries, bytes."""

    calls: int
    queries: int
    bytes: int


LEAST = Work(300_000, 100, 300_000)
"""About 50 ms of a processor."""


WHOLE = {"export", "api-me-export", "record", "api-match-record", "league-record"}
"""Addresses whose answers tell all of a long match or league, as those of the API's calls about a match do:
their bytes are joined from what is written already, so they may be as many as the match has turns."""
A_TURN = 1_000
"""Bytes."""


class Counter:
    """Counts calls and queries; of what a request waits for in steps (`later.do_in_steps`) the most of one.

    Others are answered between these steps. Every STEP-th of them is counted.
    """

    STEP = 25

    def __init__(self) -> None:
        self.calls = self.queries = 0
        self.most = (0, 0)
        self.profile = Profile()

    def counted(self) -> int:
        """The calls since the profile was enabled; it is disabled."""
        self.profile.disable()
        calls = sum(one.callcount for one in self.profile.getstats())
        self.profile.clear()
        return calls

    def asked(self, execute: Any, *given: Any) -> Any:
        self.queries += 1
        return execute(*given)

    def in_steps(self, steps: Iterator[Any]) -> None:
        self.calls += self.counted()
        own = self.queries
        for n in count():
            self.queries = 0
            if n % self.STEP == 0:
                self.profile.enable()
            is_last, calls = next(steps, self) is self, self.counted()
            if is_last:
                break
            self.most = max(self.most[0], calls), max(self.most[1], self.queries)
        self.queries = own
        self.profile.enable()


@pytest.fixture(autouse=True)
def drawn_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves drawing to another process, as a server does (test_pictures_bounded.py)."""
    monkeypatch.setattr("robosite.share.pictures.views.drawn", lambda *given: b"drawn")


def work(who: str, there: World, ask: Ask) -> Work:
    """The work for an answer of a process that has answered its first requests.

    What follows a commit is done after it, as if there were no transaction around: a process keeps the
    positions of a match then.
    """
    done = Counter()
    drawn_files.clear()
    rendered_turns.clear()
    waits = patch.object(later, "do_in_steps", done.in_steps) if ask.method == "GET" else nullcontext()
    with waits, connection.execute_wrapper(done.asked), TestCase.captureOnCommitCallbacks(execute=True):
        done.profile.enable()
        try:
            answer = there.ask(who, ask)
        finally:
            done.calls += done.counted()
    mail.outbox.clear()
    calls, queries = map(max, (done.calls, done.queries), done.most)
    return Work(calls, queries, 0 if answer.streaming else len(answer.content))


def most(done: Iterable[Work]) -> Work:
    return Work(*map(max, zip(*done, strict=True)))


def usual(row: str, asked: list[tuple[World, Ask]]) -> Work:
    """The most that an ordinary request takes."""
    for there, ask in asked:
        there.ask(who_asks(row), ask)  # so that what is made once is there
    return most(work(who_asks(row), there, ask) for there, ask in asked)


def beyond(done: Work, limit: Work) -> bool:
    return any(n > most for n, most in zip(done, limit, strict=True))


def dear(row: str, asked: list[tuple[World, Ask]]) -> list[tuple[Work, str]]:
    """The requests that do more than LEAST, also when a process has done them before."""
    done = []
    for there, ask in asked:
        took = work(who_asks(row), there, ask)
        if beyond(took, LEAST):
            took = work(who_asks(row), there, ask)
        done.append((took, ask.said[:200]))
    if "DEAREST" in os.environ:
        print(row, *max(done), sep="\t", flush=True)
    return [(took, said) for took, said in done if beyond(took, LEAST)]


def too_dear(row: str, found: list[tuple[Work, str]], ordinary: Work) -> list[str]:
    """The requests that do more than so many times the ordinary work."""
    limit = Work(*(max(TIMES * n, least) for n, least in zip(ordinary, LEAST, strict=True)))
    name = row.split(maxsplit=1)[0]
    if name in WHOLE or name.startswith("api-match"):
        limit = limit._replace(bytes=max(limit.bytes, A_TURN * TURNS))
    return [f"{took}, where {limit} may: {said}" for took, said in found if beyond(took, limit)]


@pytest.mark.integration
def test_no_request_grows_with_the_largest_league_or_with_what_a_guest_brings() -> None:
    there = world()
    given = of_size(there, LARGEST)
    found = {row: some for row, asked in given.items() if (some := dear(row, asked))}
    known = of_size(there, USUAL)
    wrong = {row: too_dear(row, some, usual(row, known[row])) for row, some in found.items()}
    assert not "\n".join(one[:300] for some in wrong.values() for one in some)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_dearest_request_costs_at_most_five_times_the_ordinary_one() -> None:
    there = world()
    with transaction.atomic():
        given = dearest(there)
        found = {row: some for row, asked in given.items() if (some := dear(row, asked))}
        transaction.set_rollback(True)
    known = ordinary(there)
    assert given.keys() == known.keys()
    wrong = {row: too_dear(row, some, usual(row, known[row])) for row, some in found.items()}
    assert not "\n".join(one[:300] for some in wrong.values() for one in some)


def test_a_dear_request_is_found_and_odd_inputs_are_given_to_addresses_that_there_are() -> None:
    there = world()
    home = Ask("home", "GET", "", "/")

    class Dear(World):
        def ask(self, who: str, ask: Ask) -> Any:
            for _ in range(LEAST.calls + 1):
                nullcontext()
            return super().ask(who, ask)

    costly = Dear(**{name: getattr(there, name) for name in World.__dataclass_fields__})
    found = dear("home GET", [(costly, home)])
    assert too_dear("home GET", found, usual("home GET", [(there, home)]))
    assert not dear("home GET", [(there, home)])
    assert ODD.keys() | OF_TABLE.keys() <= routes().keys()
