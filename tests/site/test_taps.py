"""A tap computes what it shows once, and reads the match's row no more often than the lock's rule asks."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from robosite.matches.history import state_of
from tests.site.browsers import FIRST, OTHER, Table

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


class Counted:
    """Counts the plans that a request makes, and its reads of the match's row."""

    def __init__(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        self.table, self.plans = table, 0
        state = type(state_of(table.match))

        def plan(*args: Any, made: Any = state.plan, **more: Any) -> Any:
            self.plans += 1
            return made(*args, **more)

        monkeypatch.setattr(state, "plan", plan)

    def tap(self, **given: Any) -> tuple[int, int]:
        """How many plans a request of Alice's planner makes, and how often it reads the match's row."""
        self.plans = 0
        path = f"{self.table.a.get_absolute_url()}plan/"
        with CaptureQueriesContext(connection) as asked:
            answer = self.table.alice.post(path, {"turn": 1, "taken_back": 0, **given}, headers=HTMX)
        assert answer.status_code == 200
        return self.plans, sum(' FROM "matches_match" WHERE' in one["sql"] for one in asked)


@pytest.fixture
def counted(table: Table, monkeypatch: pytest.MonkeyPatch) -> Counted:
    table.play((FIRST, FIRST))
    return Counted(table, monkeypatch)


def test_a_tap_plans_the_old_program_and_the_new_one_once_each(counted: Counted) -> None:
    """The row is read to find the match, and once more inside its lock."""
    assert counted.tap(choose="TR") == (2, 2)
    assert counted.tap(choose="F") == (2, 2)


def test_a_typed_program_is_read_once_and_shown_once(counted: Counted) -> None:
    assert counted.tap(typed=OTHER, use="1") == (2, 2)


def test_a_sheet_of_guesses_locks_nothing(counted: Counted) -> None:
    assert counted.tap(look="B") == (2, 1)


def test_a_seal_checks_the_plan_and_shows_the_receipt(counted: Counted) -> None:
    assert counted.tap(typed=OTHER, seal="1") == (2, 2)
