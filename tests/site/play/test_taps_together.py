"""Taps that come several in a request, again, late or from two pages: each counts once, in its order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import GAMES
from games.core import Seat
from robosite.matches import flow
from robosite.matches.flow import orders
from robosite.matches.history import state_of
from robosite.play import planning
from robosite.play.planner_form import PlannerForm, Reading, mark_of
from tests.games.cases import size
from tests.site.browsers import OTHER, Answer, Browser, Table, sit_down, text

HTMX = {"HX-Request": "true", "HX-Target": "plan"}
A = Seat("A")


class Shown(NamedTuple):
    """The fields by which a page says beside which plan something is pressed."""

    turn: str
    taken_back: str
    seen: str


def shown_on(answer: Answer) -> Shown | None:
    """None where the page has no plan: its order is sealed."""
    fields = dict(re.findall(r'name="(turn|taken_back|seen)" value="(\w+)"', answer.text))
    return Shown(**fields) if "seen" in fields else None


def tap(table: Table, shown: Shown | None, *keys: str, once: str = "", at: Browser | None = None) -> Answer:
    assert shown
    given: dict[str, Any] = {**shown._asdict(), "choose": keys[0], "then": keys[1:], "once": once}
    return (at or table.alice).post(f"{table.a.get_absolute_url()}plan/", given, headers=HTMX)


def opened(table: Table) -> Shown | None:
    return shown_on(table.alice.get(table.a.get_absolute_url()))


def draft(table: Table) -> list[str]:
    return flow.draft_of(table.match, table.a).split()


def test_taps_are_made_in_their_order_and_of_many_some(table: Table) -> None:
    answer = tap(table, opened(table), "F", "^", "TR", once="abc.1")
    assert draft(table) == ["F", "^", "TR", ".", "."]
    assert answer["Robosite-Taps"] == "3"
    answer = tap(table, shown_on(answer), "back", "v", once="abc.4")
    assert draft(table) == ["F", "^", "v", ".", "."]
    assert answer["Robosite-Taps"] == "5"
    many = planning.MOST_TAPS + 2
    answer = tap(table, shown_on(answer), *["F", "back"] * (many // 2), once="abc.6")
    assert answer["Robosite-Taps"] == str(5 + planning.MOST_TAPS)


@pytest.mark.django_db(transaction=True)  # only what is committed is kept in memory
def test_five_taps_ask_and_write_no_more_than_one(table: Table) -> None:
    shown, asked = opened(table), []
    for n, keys in enumerate((["F"], ["^", "v", "F", "TL"])):
        with CaptureQueriesContext(connection) as queries:
            shown = shown_on(tap(table, shown, *keys, once=f"abc.{1 + n}"))
        asked.append([one["sql"].split(maxsplit=1)[0] for one in queries])
    assert draft(table) == ["F", "^", "v", "F", "TL"]
    assert asked[1].count("SELECT") <= asked[0].count("SELECT")
    assert asked[1].count("UPDATE") == 1


def test_taps_whose_answer_was_lost_come_again_with_more_and_count_once(table: Table) -> None:
    old = opened(table)
    tap(table, old, "F", "^", once="abc.1")
    answer = tap(table, old, "F", "^", "v", once="abc.1")
    assert answer["Robosite-Taps"] == "3" and "data-stale" not in answer.text
    assert draft(table) == ["F", "^", "v", ".", "."]
    late = tap(table, old, "F", once="abc.1")  # it was on its way for long
    assert late["Robosite-Taps"] == "3"
    assert draft(table) == ["F", "^", "v", ".", "."]


def test_the_first_that_is_refused_ends_it_and_says_so(table: Table) -> None:
    answer = tap(table, opened(table), "F", "F", "nonsense", "F", once="abc.1")
    assert draft(table) == ["F", "F", ".", ".", "."]
    assert answer["Robosite-Taps"] == "2 refused"
    assert "There is no choice “nonsense” here." in text(answer)
    again = tap(table, shown_on(answer), "nonsense", "F", once="abc.3")
    assert draft(table) == ["F", "F", ".", ".", "."]
    assert again["Robosite-Taps"] == "2 refused"


def test_after_a_reopening_nobody_knows_and_after_the_reveal_taps_change_nothing(table: Table) -> None:
    old = opened(table)
    tap(table, old, "F", "F", "F", "F", once="abc.1")
    flow.seal(table.a, 0, "F F F F F")
    refused = tap(table, old, "F", once="abc.1")
    assert refused["Robosite-Taps"] == "? refused" and "already sealed" in text(refused)
    flow.reopen(table.a, 0)
    answer = tap(table, old, "F", once="abc.1")
    assert answer["Robosite-Taps"] == "?" and "data-stale" in answer.text
    assert draft(table) == ["F", "F", "F", "F", "F"]
    table.play(("F F F F F", OTHER))
    answer = tap(table, old, "F", "F", once="abc.1")
    assert answer["Robosite-Taps"] == "? refused" and 'id="error"' in answer.text
    assert not {*draft(table)} - {"."}


def test_a_draft_that_was_reopened_is_not_taken_for_the_one_before(table: Table) -> None:
    """It reads the same, and the tap was in it."""
    flow.draft(table.a, 0, "F F F F F")
    old = opened(table)
    tap(table, old, "back", once="abc.1")
    flow.seal(table.a, 0, "F F F F F")
    flow.reopen(table.a, 0)
    assert "data-stale" in tap(table, old, "back", once="abc.1").text
    assert draft(table) == ["F", "F", "F", "F", "F"]
    answer = tap(table, opened(table), "back", once="abc.2")
    assert answer["Robosite-Taps"] == "2" and draft(table) != ["F", "F", "F", "F", "F"]
    assert tap(table, old, "back", once="abc.2")["Robosite-Taps"] == "2"


def test_marks_of_few_pages_are_kept() -> None:
    marks = ""
    for n in range(orders.MOST_PAGES):
        assert orders.last_tap(marks, f"tab{n}", empty=not n) == 0
        marks = orders.add_mark(marks, f"tab{n}.7")
    assert orders.last_tap(marks, "tab0", empty=False) == 7
    assert orders.last_tap(marks, "another", empty=False) is None
    unnumbered = orders.add_mark(marks)  # it takes the place of the oldest page's mark
    assert orders.last_tap(unnumbered, "tab1", empty=False) == 7
    assert orders.last_tap(unnumbered, "tab0", empty=False) is None
    assert orders.is_last(marks, f"tab{orders.MOST_PAGES - 1}")
    assert not orders.is_last(orders.add_mark(marks), f"tab{orders.MOST_PAGES - 1}")
    assert orders.parse_mark("a b.1") == orders.parse_mark("1") == ("", 0)


def test_a_lesson_takes_several_taps(table: Table) -> None:
    given: dict[str, Any] = {"choose": "F", "then": ["F", "nonsense"], "once": "abc.1"}
    answer = table.alice.post("/learn/pigs/1/", given, headers=HTMX)
    assert answer["Robosite-Taps"] == "? refused"
    answer = table.alice.post("/learn/pigs/1/", {**given, "then": ["F"]}, headers=HTMX)
    assert answer["Robosite-Taps"] == "2"
    assert len(re.findall(r'data-sign="F" aria-label="Slot', " ".join(answer.text.split()))) == 2


class Made(NamedTuple):
    """A tap as the server made it."""

    tab: str
    number: int
    key: str
    turn: int


@dataclass
class Page:
    """A page as static/js/planner.js keeps it: what it shows, and the numbered taps that wait."""

    table: Table
    tab: str
    shown: Shown | None = None
    line: list[tuple[int, str]] = field(default_factory=list)
    number: int = 0
    seen: Shown | None = None
    """The plan beside which the first in line was pressed, once it was sent."""
    unsent: int = 0
    """Up to this number taps were sent without an answer."""
    given_up: set[int] = field(default_factory=set)

    def look(self) -> None:
        """As its socket has it do."""
        self.shown = opened(self.table)
        if self.line and (not self.shown or (self.seen and self.seen.turn != self.shown.turn)):
            self._give_up(self.line)

    def tap(self, key: str) -> None:
        if self.shown:
            self.number += 1
            self.line.append((self.number, key))

    def request(self) -> dict[str, Any]:
        self.seen = self.seen or self.shown
        assert self.seen
        keys = [key for _, key in self.line[: planning.MOST_TAPS]]
        return {
            **self.seen._asdict(),
            "choose": keys[0],
            "then": keys[1:],
            "once": f"{self.tab}.{self.line[0][0]}",
            "tab": self.tab,
        }

    def lost(self) -> None:
        self.unsent = self.line[: planning.MOST_TAPS][-1][0]

    def hear(self, answer: Answer) -> None:
        far, *refused = answer["Robosite-Taps"].split()
        self.shown = shown_on(answer)
        if refused:
            self._give_up(self.line)
        elif far == "?":
            self._give_up([one for one in self.line if one[0] <= self.unsent])
        else:
            self.line = [one for one in self.line if one[0] > int(far)]
        self.seen = None

    def _give_up(self, taps: list[tuple[int, str]]) -> None:
        self.given_up |= {number for number, _ in taps}
        self.line = [one for one in self.line if one[0] not in self.given_up]
        self.seen = None


class World:
    """Alice at two devices with a bad line to one match, and what the server made of it."""

    KEYS = ("^", "v", "F", "TL", "TR", "/", "back", "1", "3")
    DOES: tuple[str, ...] = ("tap", "send", "send", "look", "late", "reload", "seal")

    def __init__(self, table: Table, rng: Random, made: list[Made], pages: int = 2) -> None:
        self.table, self.rng, self.made = table, rng, made
        self.tabs = 0
        self.pages = [self.open() for _ in range(pages)]
        self.late: list[dict[str, Any]] = []
        self.since, self.base = 0, ""
        """The draft before the first of the taps that were made since."""

    def open(self) -> Page:
        self.tabs += 1
        page = Page(self.table, f"tab{self.tabs}")
        page.look()
        return page

    def ask(self, given: dict[str, Any]) -> Answer:
        return self.table.alice.post(f"{self.table.a.get_absolute_url()}plan/", given, headers=HTMX)

    def send(self, page: Page) -> None:
        if not page.line:
            return
        given = page.request()
        match self.rng.choice(["answered"] * 4 + ["lost", "unanswered", "late"]):
            case "answered":
                return page.hear(self.ask(given))
            case "unanswered":
                self.ask(given)
            case "late":
                self.late.append(given)
        page.lost()

    def step(self) -> None:
        page = self.rng.choice(self.pages)
        match self.rng.choice(self.DOES):
            case "tap":
                for _ in range(self.rng.randrange(1, 5)):
                    page.tap(self.rng.choice(self.KEYS))
            case "send":
                self.send(page)
            case "look":
                page.look()
            case "late" if self.late:
                self.ask(self.late.pop(self.rng.randrange(len(self.late))))
            case "reload":
                if page.line:
                    self.late.append(page.request())  # as it goes it sends what waits
                self.pages[self.pages.index(page)] = self.open()
            case "seal" if self.rng.random() < 0.3:
                self.seal()

    def seal(self) -> None:
        """At a third device; sometimes it is taken back, sometimes Bob seals, and the turn is revealed."""
        flow.seal(self.table.a, self.table.match.turn, "TL TL TL TL TL")
        if self.rng.random() < 0.5:
            flow.reopen(self.table.a, self.table.match.turn)
            self.base = flow.draft_of(self.table.match, self.table.a)
        else:
            flow.seal(self.table.b, self.table.match.turn, OTHER)
            self.base = ""
        self.since = len(self.made)

    def come_to_rest(self) -> None:
        """The line is good again, and every page has its answers."""
        for page in self.pages:
            for _ in range(20):
                if page.line:
                    page.hear(self.ask(page.request()))
            assert not page.line
        for page in self.pages:
            page.look()

    def check(self) -> None:
        """Each tap counted at most once, in its page's order, and the draft is what they made of it."""
        each = [(one.tab, one.number) for one in self.made]
        assert len(each) == len(set(each)), self.made
        for page in self.pages:
            own = [number for tab, number in each if tab == page.tab]
            assert own == sorted(own), self.made
            assert {*range(1, page.number + 1)} <= {*own} | page.given_up, (page, self.made)
            kept = flow.kept_draft(self.table.match, self.table.a)
            assert page.shown and page.shown.seen == mark_of(*kept)
        assert flow.draft_of(self.table.match, self.table.a) == self.planned(self.made[self.since :])

    def planned(self, taps: list[Made]) -> str:
        """The order that they make where no answer is lost."""
        order, view = self.base, state_of(self.table.match).view(A)
        for one in taps:
            order = view.plan(A, order).choose(one.key)
        return order


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Made]:
    """The taps that were made for drafts, in the order in which they were."""
    log: list[Made] = []
    make = PlannerForm._tap

    def tap(self: PlannerForm, match: Any, reading: Reading, keys: list[str]) -> Reading:
        done = make(self, match, reading, keys)
        assert done.taken is not None
        numbers = range(self.last - len(keys) + 1, done.taken + 1)
        log.extend(
            Made(self.page, n, key, match.turn) for n, key in zip(numbers, keys, strict=False) if self.page
        )
        return done

    monkeypatch.setattr(PlannerForm, "_tap", tap)
    return log


SEQUENCES = size(10, 1000)


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.timeout(900)
def test_whatever_is_lost_or_late_two_devices_agree_and_each_tap_counts_once(
    alice: Browser, bob: Browser, charlie: Browser, made: list[Made]
) -> None:
    for seed in range(SEQUENCES):
        rng = Random(seed)
        made.clear()
        world = World(sit_down(alice, bob, charlie), rng, made)
        for _ in range(rng.randrange(10, 40)):
            world.step()
        world.come_to_rest()
        world.check()
        before = draft(world.table)
        for given in world.late:
            if any(given["once"].startswith(f"{page.tab}.") for page in world.pages):
                world.ask(given)
        assert draft(world.table) == before, seed


class Alone(World):
    """One page, and taps that can be had: whatever its line does, it comes to the same as a good line."""

    DOES = ("send", "send", "look", "late")

    def __init__(self, table: Table, rng: Random, made: list[Made]) -> None:
        super().__init__(table, rng, made, pages=1)
        self.order = ""

    def step(self) -> None:
        if self.rng.random() < 0.5:
            return super().step()
        plan = state_of(self.table.match).view(A).plan(A, self.order)
        choice = self.rng.choice([one for one in plan.choices if one.allowed and not one.draws])
        self.order = choice.leads_to
        self.pages[0].tap(choice.key)


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.timeout(900)
@pytest.mark.parametrize("game", GAMES)
def test_on_a_bad_line_a_plan_comes_to_what_it_is_on_a_good_one(
    alice: Browser, bob: Browser, charlie: Browser, made: list[Made], game: str
) -> None:
    for seed in range(SEQUENCES // 3):
        made.clear()
        world = Alone(sit_down(alice, bob, charlie, game), Random(seed), made)
        for _ in range(30):
            world.step()
        world.come_to_rest()
        assert not world.pages[0].given_up
        assert flow.draft_of(world.table.match, world.table.a) == world.order, seed
