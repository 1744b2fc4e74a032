"""A tap of the planner: it changes the draft as it is then, and asks the database no more than it must."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.core import Order, Plan, Seat
from games.pigs.state import PigsState
from robosite.matches import flow
from robosite.matches.flow.lock import locked_match
from robosite.matches.models import Match
from robosite.web.caches import made_once
from tests.site.browsers import Answer, Browser, Table, sit_down, text

HTMX = {"HX-Request": "true", "HX-Target": "live"}


def tap(browser: Browser, table: Table, choice: str) -> Answer:
    given = {"turn": table.match.turn, "taken_back": "0", "choose": choice}
    answer = browser.post(f"{table.a.get_absolute_url()}plan/", given, headers=HTMX)
    assert answer.status_code == 200
    return answer


def test_of_two_taps_at_once_none_is_lost(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    first = [True]

    @contextmanager
    def late(match: Match) -> Iterator[Match]:
        if first and first.pop():
            flow.draft(table.a, 0, "^")  # another window's tap, which got the lock before this one
        with locked_match(match) as fresh:
            yield fresh

    monkeypatch.setattr("robosite.matches.flow.sealing.locked_match", late)
    tap(table.alice, table, "F")
    assert flow.draft_of(table.match, table.a).split() == ["^", "F", ".", ".", "."]


def test_a_tap_goes_on_from_the_plan_that_was_shown(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[str] = []
    make_plan = PigsState.make_plan

    def counted(self: PigsState, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        planned.append(partial)
        return make_plan(self, seat, partial, guesses)

    made_once.clear()
    table.alice.get(table.a.get_absolute_url())
    monkeypatch.setattr(PigsState, "make_plan", counted)
    tap(table.alice, table, "^")
    tap(table.alice, table, "F")
    assert len(planned) == 2


@pytest.mark.django_db(transaction=True)  # only what is committed is kept in memory
@pytest.mark.parametrize("turns", [1, 6])
def test_a_tap_asks_seven_times_and_writes_once(
    alice: Browser, bob: Browser, charlie: Browser, turns: int
) -> None:
    table = sit_down(alice, bob, charlie)
    table.play_some(turns)
    tap(alice, table, "^")
    with CaptureQueriesContext(connection) as asked:
        tap(alice, table, "F")
    kinds = [one["sql"].split(maxsplit=1)[0] for one in asked]
    own = 2  # the test's: which turn and which seat it is
    assert kinds.count("SELECT") - own == 7, kinds
    assert kinds.count("UPDATE") == 1 and kinds.count("INSERT") == 0


def form_on(answer: Answer) -> dict[str, str]:
    """The fields of the planner's form about the position and the draft that it shows."""
    fields = dict(re.findall(r'name="(turn|taken_back|seen)" value="(\w+)"', answer.text))
    assert fields.keys() == {"turn", "taken_back", "seen"}
    return fields


def test_a_tap_with_a_mark_that_comes_twice_is_answered_twice_and_counts_once(table: Table) -> None:
    """As browsers do by themselves, when a connection that they kept is lost."""
    at = table.a.get_absolute_url()
    given = {**form_on(table.alice.get(at)), "choose": "F", "once": "abc.1"}
    for _ in range(2):
        answer = table.alice.post(f"{at}plan/", given, headers=HTMX)
        assert "data-stale" not in answer.text
        assert flow.draft_of(table.match, table.a).split() == ["F", ".", ".", ".", "."]
    given = {**form_on(table.alice.get(at)), "choose": "F", "once": "abc.2"}
    table.alice.post(f"{at}plan/", given, headers=HTMX)
    assert flow.draft_of(table.match, table.a).split() == ["F", "F", ".", ".", "."]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_tap_that_comes_twice_counts_once(table: Table, scripts: bool) -> None:
    """Its answer got lost, and the browser sends it again, or the first one was late."""
    at = table.a.get_absolute_url()
    given = {**form_on(table.alice.get(at)), "choose": "F"}
    headers = HTMX if scripts else {}
    first, second = (table.alice.post(f"{at}plan/", given, headers=headers) for _ in range(2))
    assert flow.draft_of(table.match, table.a).split() == ["F", ".", ".", ".", "."]
    if scripts:
        assert "data-stale" not in first.text and "data-stale" in second.text
    else:
        assert first.status_code == 302 and second.status_code == 422
        assert "nothing was done" in second.text
    after = table.alice.get(at)
    assert form_on(after)["seen"] != given["seen"]
    table.alice.post(f"{at}plan/", {**form_on(after), "choose": "F"}, headers=headers)
    assert flow.draft_of(table.match, table.a).split() == ["F", "F", ".", ".", "."]


def test_a_seal_seals_the_plan_that_the_page_showed_and_may_come_twice(table: Table) -> None:
    at = table.a.get_absolute_url()
    old = form_on(table.alice.get(at))
    flow.draft(table.a, 0, "F F F F F")  # at another device
    refused = table.alice.post(f"{at}plan/", {**old, "seal": "1"}, headers=HTMX)
    assert "nothing was done" in refused.text
    assert flow.order_of(table.match, table.a) is None
    given = {**form_on(table.alice.get(at)), "seal": "1"}
    for _ in range(2):
        sealed = table.alice.post(f"{at}plan/", given, headers=HTMX)
        assert "Sealed at" in sealed.text and 'id="error"' not in sealed.text
    flow.reopen(table.a, 0)
    flow.draft(table.a, 0, "H H H H H")
    table.alice.post(f"{at}plan/", given, headers=HTMX)  # it was on its way for long
    assert flow.order_of(table.match, table.a) is None


def test_a_seal_that_comes_twice_is_no_error_though_it_has_played_the_turn(table: Table) -> None:
    """Its answer was lost, and browsers by themselves send a form again whose answer was lost."""
    at = table.a.get_absolute_url()
    flow.seal(table.b, 0, "TL TL TL TL TL")
    flow.draft(table.a, 0, "F F F F F")
    given = {**form_on(table.alice.get(at)), "seal": "1"}
    for _ in range(2):
        played = table.alice.post(f"{at}plan/", given, headers=HTMX)
        assert 'data-turn="1"' in played.text and 'id="error"' not in played.text
    refused = table.alice.post(f"{at}plan/", {**given, "seen": "another plan"}, headers=HTMX)
    assert 'id="error"' in refused.text


def test_once_orders_are_sealed_no_square_is_offered(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = sit_down(alice, bob, charlie, "roboxing")
    table.play_some(1)
    path = table.a.get_absolute_url()
    assert 'class="bx-tap' in text(alice.get(path))
    flow.seal(table.a, 1, "-")
    page = text(alice.get(path))
    assert 'class="board bx-ring' in page and 'class="bx-tap' not in page
