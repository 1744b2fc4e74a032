"""A tap that takes the place of a whole plan: one more tap brings the former plan back."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from robosite.matches import flow
from tests.site.browsers import SHOTS, Answer, Table

HTMX = {"HX-Request": "true", "HX-Target": "plan"}


def shown_on(answer: Answer) -> dict[str, str]:
    return dict(re.findall(r'name="(turn|taken_back|seen)" value="(\w+)"', answer.text))


def former_on(answer: Answer) -> str | None:
    found = re.search(r'name="use" value="([^"]*)">\s*Undo', answer.text)
    return unescape(found[1]) if found else None


class Planner:
    """Bob's planner of a turn of the pigs, in which his pig has four points of damage."""

    def __init__(self, table: Table, headers: dict[str, str]) -> None:
        table.play(SHOTS)
        self.table, self.seat, self.headers = table, table.b, headers
        self.answer: Answer = table.bob.get(self.seat.get_absolute_url())

    def press(self, **values: Any) -> Answer:
        given = {**shown_on(self.answer), **values}
        self.answer = self.table.bob.post(
            f"{self.seat.get_absolute_url()}plan/", given, headers=self.headers, follow=not self.headers
        )
        return self.answer

    @property
    def draft(self) -> str:
        return flow.draft_of(self.table.match, self.seat)


def test_a_repair_can_be_undone_by_one_tap(table: Table) -> None:
    planner = Planner(table, HTMX)
    assert former_on(planner.press(choose="F")) is None
    planned = planner.draft
    former = former_on(planner.press(choose="R"))
    assert former == planned and planner.draft == "R R R R R"
    assert former_on(planner.press(use=former)) is None
    assert planner.draft == planned


def test_a_repair_can_be_undone_without_a_script(table: Table) -> None:
    planner = Planner(table, {})
    planner.press(choose="F")
    planned = planner.draft
    former = former_on(planner.press(choose="R"))
    assert former == planned
    planner.press(use=former, typed="")
    assert planner.draft == planned


def test_a_former_plan_that_is_none_is_refused(table: Table) -> None:
    planner = Planner(table, HTMX)
    planner.press(choose="F")
    planned = planner.draft
    assert planner.press(use="nonsense")["Robosite-Taps"].endswith("refused")
    assert planner.draft == planned
