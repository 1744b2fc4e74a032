"""Old and new holder of a seat act at the same instant, and a hand-over breaks off in the middle.

Nothing hangs on chance: what one of them does stops before its n-th statement outside of a transaction, until
what the other does is done; for each n there is. Inside of a transaction the match's lock keeps others out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import count, takewhile
from typing import Any, TypeVar

import pytest
from django.db import connection, transaction
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.flow import arbiter, handover, replies, replying
from robosite.matches.flow.orders import text_of
from robosite.matches.history import _kept
from robosite.matches.models import FormerHold, Hold, Program, Seat
from robosite.talk import turn_notes
from robosite.talk.models import Message, TurnNote
from tests.site.browsers import FIRST, OTHER, Browser, Table, sit_down, text
from tests.site.matches.test_who_may_act import as_read
from tests.site.sameness import NOW, same_numbers

SHOT = "F F F F F"
MOMENTS, NEVER = 20, 10**6


@dataclass
class HandedOver:
    """A table at which Bob's seat B (in Robble A, which has just played) is offered to Cleo by `link`."""

    table: Table
    bob: Browser
    letter: str
    link: str
    cleo: Browser

    @property
    def seat(self) -> Seat:
        return self.table.seat(self.letter)

    def post(self, path: str, **given: str) -> bool:
        """Tell whether Bob's browser was told that this is done."""
        at = self.seat.get_absolute_url()
        return int(self.bob.post(f"{at}{path}/", given).status_code) < 400

    def ask(self, method: str, path: str, body: dict[str, Any]) -> bool:
        """Tell the same of Bob's program."""
        token = self.bob.own_links(self.seat)["seat"]
        at = f"/api/v1/matches/{self.table.key}/{path}"
        headers = {"Authorization": f"Bearer {token}"}
        send = getattr(self.bob, method.lower())
        return int(send(at, body, content_type="application/json", headers=headers).status_code) < 400

    def take(self) -> bool:
        """Tell whether Cleo got the seat."""
        answer = self.cleo.post(f"/s/handover/{self.link}/take/", {"name": "Cleo"})
        assert answer.status_code in (302, 404, 409), text(answer)
        return answer.status_code == 302

    def left(self) -> dict[str, Any]:
        """All that two orders of the same two acts may leave in the database."""
        seat, match = self.seat, self.table.match
        programs = Program.objects.filter(seat__match=match).select_related("seat").order_by("seat", "turn")
        planned = replying.planned_by(match, seat)
        return {
            "match": (match.status, match.turn, match.to_act),
            "name": "a bot" if seat.is_bot else seat.name,
            "seat": (seat.kind, seat.player, bool(seat.offer_hash), seat.resigned_turn),
            "link": bool(seat.link_hash),
            "holders": sorted(Hold.objects.filter(seat=seat).values_list("guest__name", flat=True)),
            "former": sorted(FormerHold.objects.filter(seat=seat).values_list("guest__name", flat=True)),
            "orders": [
                (one.seat.letter, one.turn, one.sealed, one.by, one.order or text_of(match, one.seat, one))
                for one in programs
            ],
            "replies": planned and planned.lines,
            "said": sorted(Message.objects.filter(match=match).values_list("text", flat=True)),
            "notes": TurnNote.objects.filter(seat=seat).count(),
        }


def handed_over(game: str = "pigs") -> HandedOver:
    alice, bob, cleo = Browser("Alice"), Browser("Bob"), Browser("Cleo")
    if game == "pigs":
        table, letter = sit_down(alice, bob, Browser("Charlie")), "B"
    else:
        table, letter = sit_down(bob, alice, Browser("Charlie"), game), "A"
        flow.seal(table.a, 0, "d4")
    return HandedOver(table, bob, letter, handover.offer(as_read(table, letter)), cleo)


class Moments:
    """Calls `other` at the moment of that number, if it comes: `came` says whether it did.

    A moment is before a transaction begins, or, with `all_of_them`, before any statement outside of one.
    """

    def __init__(self, number: int, other: Callable[[], object], *, all_of_them: bool) -> None:
        self.left, self.other, self.all_of_them, self.came = number, other, all_of_them, False
        self.outside = len(connection.atomic_blocks)

    def __call__(self, execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        if not self.came and len(connection.atomic_blocks) == self.outside:
            self.left -= self.all_of_them or sql.startswith("SAVEPOINT")
            if not self.left:
                self.came = True
                copy_context().run(self.other)
        return execute(sql, *given)


def seal_first(here: HandedOver) -> None:
    flow.seal(here.seat, 0, OTHER)


def other_seals_first(here: HandedOver) -> None:
    flow.seal(here.table.a, 0, FIRST)


def plan_first(here: HandedOver) -> None:
    replies.put(here.seat, 1, [["c4", "d5"], ["c4", "d5", "e6", "f3"]])


def draft_first(here: HandedOver) -> None:
    flow.draft(here.seat, 0, SHOT)


def opponent_plays(here: HandedOver) -> bool:
    flow.seal(here.table.seat("B"), 1, "c4")
    return True


def revoke(here: HandedOver) -> bool:
    arbiter.revoke(here.seat)
    return True


Deed = Callable[[HandedOver], bool]
Before = Callable[[HandedOver], object]
LINES = {"turn": 1, "lines": [["c4", "d5"]]}
PIGS: dict[str, tuple[Before, Deed]] = {
    "seal": (draft_first, lambda here: here.post("plan", turn="0", typed=OTHER, seal="1")),
    "last seal": (other_seals_first, lambda here: here.post("plan", turn="0", typed=OTHER, seal="1")),
    "seal by program": (seal_first, lambda here: here.ask("PUT", "order", {"turn": 0, "order": SHOT})),
    "draft": (draft_first, lambda here: here.post("plan", turn="0", typed=FIRST, use="1")),
    "reopen": (seal_first, lambda here: here.post("reopen", turn="0")),
    "a bot plays on": (seal_first, lambda here: here.post("handover", bot="1")),
    "keep": (seal_first, lambda here: here.post("handover", keep="1")),
    "offer again": (draft_first, lambda here: here.post("handover")),
    "new link": (draft_first, lambda here: here.post("link")),
    "resign": (seal_first, lambda here: here.post("resign", turn="0")),
    "say": (draft_first, lambda here: here.post("talk", text="Farewell.")),
    "note": (draft_first, lambda here: here.post("notes", note="Farewell.", turn="0")),
    "revoke": (seal_first, revoke),
}
ROBBLE: dict[str, tuple[Before, Deed]] = {
    "plan replies": (lambda here: None, lambda here: here.ask("PUT", "replies", LINES)),
    "drop replies": (plan_first, lambda here: here.ask("DELETE", "replies", {})),
    "the other plays what is answered": (plan_first, opponent_plays),
}
DEEDS = {name: ("pigs", *deed) for name, deed in PIGS.items()}
DEEDS |= {name: ("robble", *deed) for name, deed in ROBBLE.items()}


@contextmanager
def new_table(game: str = "pigs") -> Iterator[HandedOver]:
    """A new table, which is gone afterwards."""
    with transaction.atomic():
        yield handed_over(game)
        transaction.set_rollback(True)


T = TypeVar("T")


def undone(here: HandedOver, act: Callable[[], T]) -> T:
    """What `act` returns; afterwards the table and its browsers are as they were."""
    browsers = here.bob, here.cleo
    cookies = [copy(one.cookies) for one in browsers]
    try:
        with transaction.atomic():
            came = act()
            transaction.set_rollback(True)
    finally:
        for browser, kept in zip(browsers, cookies, strict=True):
            browser.cookies = kept
        _kept.clear()
    return came


def one_after_the_other(here: HandedOver, deed: Deed) -> list[Any]:
    """Whether each of the two was told that it is done, and what they leave, in both orders."""

    def deed_first() -> Any:
        return deed(here), here.take(), here.left()

    def taken_first() -> Any:
        taken = here.take()
        return deed(here), taken, here.left()

    return [undone(here, deed_first), undone(here, taken_first)]


def at_once(here: HandedOver, deed: Deed, first: str, number: int, *, all_of_them: bool) -> Any:
    """The same for both at once; None if what comes first is done before that moment."""

    def act() -> Any:
        told = dict[str, bool]()

        def do() -> None:
            told["deed"] = deed(here)

        def take() -> None:
            told["take"] = here.take()

        one, other = (do, take) if first == "deed" else (take, do)
        moments = Moments(number, other, all_of_them=all_of_them)
        with connection.execute_wrapper(moments):
            one()
        return (told["deed"], told["take"], here.left()) if moments.came else None

    return undone(here, act)


@pytest.mark.parametrize("name", DEEDS)
@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.more)])
def test_old_and_new_holder_at_once_leave_what_one_after_the_other_leaves(
    name: str, all_of_them: bool
) -> None:
    game, before, deed = DEEDS[name]
    with new_table(game) as here:
        before(here)
        fair = one_after_the_other(here, deed)
        for first in ("deed", "take"):
            each = (at_once(here, deed, first, number, all_of_them=all_of_them) for number in count(1))
            seen = list(takewhile(bool, each))
            assert seen and all(one in fair for one in seen), (first, seen, fair)


PAGES = ("", "notes/")


@pytest.mark.parametrize("page", PAGES)
def test_two_worlds_of_a_page_that_the_former_holder_had_asked_for(
    page: str, same: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any statement of Bob's request Cleo takes the seat, writes and seals: he sees none of it."""

    def asked(here: HandedOver, number: int, order: str) -> Any:
        same("asked")
        same_numbers(first=2_000_000)
        monkeypatch.setattr(timezone, "now", lambda: NOW)

        def take() -> None:
            monkeypatch.setattr(timezone, "now", lambda: NOW + timedelta(seconds=1))
            assert here.take()
            turn_notes.write(here.seat, TurnNote.Kind.NOTE, 0, f"I plan {order}.")
            turn_notes.write(here.seat, TurnNote.Kind.WORD, 0, f"It was {order}.")
            flow.draft(here.seat, 0, order)
            if number % 2:
                flow.seal(here.seat, 0, order)

        moments = Moments(number, take, all_of_them=True)
        with connection.execute_wrapper(moments):
            answer = here.bob.get(f"{here.seat.get_absolute_url()}{page}")
        return (answer.status_code, answer.content) if moments.came else None

    same("made")
    same_numbers()
    with new_table() as here:
        for number in count(1):
            seen, other = (undone(here, partial(asked, here, number, order)) for order in (SHOT, OTHER))
            assert seen == other, number
            if seen is None:
                break
    assert number > 2


class Killed(BaseException):
    """The process ends here; the database takes back what was not committed."""


@pytest.mark.parametrize("gives", ["take", "bot"])
def test_killed_before_any_statement_of_a_hand_over_the_seat_has_one_holder(gives: str) -> None:
    def handing(here: HandedOver, number: int) -> tuple[Any, bool]:
        """What is left when the statement of that number fails, and whether there was one."""
        left, killed = [number], False

        def dies(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            return execute(sql, *given)

        try:
            with connection.execute_wrapper(dies):
                assert here.take() if gives == "take" else here.post("handover", bot="1")
        except Killed:
            killed = True
        return here.left(), killed

    with new_table() as here:
        seal_first(here)
        before = here.left()
        whole, _killed = undone(here, partial(handing, here, NEVER))
        each = (undone(here, partial(handing, here, number)) for number in count(1))
        seen = [came for came, _killed in takewhile(lambda one: one[1], each)]
    assert whole["orders"] == [("B", 0, True, "", OTHER)] and whole["holders"] == ["Cleo"] * (gives == "take")
    assert len(seen) >= MOMENTS and all(came in (before, whole) for came in seen)
    assert seen[0] == before != whole
