"""A request's work is bounded: text that is longer than any order could be is refused before it is read."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from games.core import IllegalOrder
from games.pigs.presentation import planner
from games.pigs.state import PigsState
from robosite.matches import flow
from robosite.matches.history import secret_binding
from robosite.matches.models import Program
from robosite.matches.seals import Secret, encrypt_secret
from tests.site.browsers import Browser, Table, text
from tests.site.play.test_what_if import fields, tap

LONG = "F ^ " * 500
REFUSED = "This text has 2000 characters; a turn here has 96 at most. Please write less."


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that the rules or the planner of the pigs read."""
    found: list[str] = []
    for where, name in ((PigsState, "read_order"), (planner, "_read")):
        reads: Any = getattr(where, name)

        def listens(*given: Any, reads: Any = reads) -> Any:
            found.extend(one for one in given if isinstance(one, str))
            return reads(*given)

        monkeypatch.setattr(where, name, listens)
    return found


def keep_old_draft(table: Table, draft: str) -> None:
    """A draft that was kept before there was a longest one."""
    secret = encrypt_secret(secret_binding(table.match, table.match.turn, "A"), Secret(draft))
    Program.objects.create(seat=table.a, turn=table.match.turn, secret=secret)


def test_an_old_draft_that_is_too_long_is_shown_and_refused_unread(table: Table, read: list[str]) -> None:
    keep_old_draft(table, LONG.strip() + " ")
    page = table.alice.get(table.a.get_absolute_url())
    assert page.status_code == 200
    assert LONG.strip() in text(page) and REFUSED in text(page)
    sealed = table.alice.post(f"{table.a.get_absolute_url()}plan/", {"turn": 0, "seal": "1"})
    assert sealed.status_code == 422 and REFUSED in text(sealed)
    assert max(map(len, read)) <= 96
    assert flow.draft_of(table.match, table.a) == LONG


def test_a_tap_takes_the_place_of_an_old_draft_that_is_too_long(table: Table) -> None:
    keep_old_draft(table, LONG)
    tap(table.alice, table, choose="F")
    assert flow.draft_of(table.match, table.a) == "F . . . ."


def test_what_is_typed_and_too_long_is_refused_and_the_draft_stays(table: Table, read: list[str]) -> None:
    table.alice.draft(table.a, "F ^")
    for button in ("use", "seal"):
        given = {"turn": 0, "typed": LONG, button: "1"}
        answer = table.alice.post(f"{table.a.get_absolute_url()}plan/", given)
        assert answer.status_code == 422 and REFUSED in text(answer)
    assert flow.draft_of(table.match, table.a) == "F ^"
    assert max(map(len, read)) <= 96


def test_guesses_that_are_too_long_are_empty_sheets(table: Table, read: list[str]) -> None:
    answer = tap(table.alice, table, guess="F", sheet="B", **{"guess-B": LONG})
    assert fields(answer) == {"sheet": "B", "guess-B": "F . . . ."}
    assert max(map(len, read)) <= 96


def test_a_draft_given_to_the_flow_is_refused_if_it_is_too_long(table: Table) -> None:
    with pytest.raises(IllegalOrder, match="has 96 at most"):
        flow.draft(table.a, 0, LONG)
    assert flow.draft_of(table.match, table.a) == ""


@pytest.mark.django_db
def test_a_lesson_refuses_what_is_too_long_unread(client: Client, read: list[str]) -> None:
    for more in ("", "played&"):
        answer = client.get(f"/learn/pigs/1/?{more}order={LONG.replace(' ', '+')}")
        assert REFUSED in text(answer)
        assert len(answer.content) < 60_000
    for button in ("use", "seal"):
        answer = client.post("/learn/pigs/1/?order=F", {"typed": LONG.strip() + "F" * 100, button: "1"})
        assert answer.status_code == 422 and "turn here has 96 at most" in text(answer)
    assert max(map(len, read), default=0) <= 96


def test_a_few_commands_too_many_are_shown_and_many_are_only_told(table: Table, alice: Browser) -> None:
    alice.draft(table.a, "F F F F F ^ ^")
    page = text(alice.get(table.a.get_absolute_url()))
    assert "Slot 7" in page and "“F F F F F ^ ^” has 7" in page
    answer = alice.draft(table.a, "F " * 40)
    assert answer.status_code == 422
    assert "These are 40 commands for 5 slots. Please write fewer." in text(answer)
