"""Taps by clients, and the weight of an update."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import httpx
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import GAMES
from games.core import Order, Plan, Seat, State
from games.core import Seat as Letter
from games.pigs import PigsState
from robosite.matches import flow
from robosite.matches.flow.lock import locked_match
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.web.caches import made_once
from tests.browser.looks import PADDING, UPDATE
from tests.games.cases import size
from tests.servers import Server
from tests.site.browsers import Answer, Browser, Table, sit_down, text
from tests.site.promises import keeps_the_promises

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
    path = table.a.get_absolute_url()
    keeps_the_promises(table.alice.get(path), path)
    monkeypatch.setattr(PigsState, "make_plan", counted)
    tap(table.alice, table, "^")
    tap(table.alice, table, "F")
    assert len(planned) == 2
    update = table.alice.get(path, headers=HTMX)
    keeps_the_promises(update, path, htmx=True)
    assert not {"Vary", "X-Frame-Options", "Content-Language"} & {*update.headers}


@pytest.mark.django_db(transaction=True)  # only what is committed is kept in memory
@pytest.mark.parametrize("turns", [1, 6])
def test_a_tap_asks_seven_times_and_writes_once(alice: Browser, table: Table, turns: int) -> None:
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


@pytest.mark.parametrize("how", ["with a mark", "with a script", "without one"])
def test_a_tap_that_comes_twice_counts_once(table: Table, how: str) -> None:
    """Its answer got lost, and the browser sends it again, or the first one was late."""
    at = table.a.get_absolute_url()
    given = {**form_on(table.alice.get(at)), "choose": "F", "once": "abc.1" if how == "with a mark" else ""}
    headers = {} if how == "without one" else HTMX
    first, second = (table.alice.post(f"{at}plan/", given, headers=headers) for _ in range(2))
    assert flow.draft_of(table.match, table.a).split() == ["F", ".", ".", ".", "."]
    if headers:
        assert "data-stale" not in first.text and ("data-stale" in second.text) is (how != "with a mark")
    else:
        assert first.status_code == 302 and second.status_code == 422
        assert "nothing was done" in second.text
    after = form_on(table.alice.get(at))
    assert after["seen"] != given["seen"]
    again = {"once": "abc.2"} if how == "with a mark" else {}
    table.alice.post(f"{at}plan/", {**after, "choose": "F", **again}, headers=headers)
    assert flow.draft_of(table.match, table.a).split() == ["F", "F", ".", ".", "."]


def test_a_seal_seals_the_plan_that_the_page_showed_and_may_come_twice(table: Table) -> None:
    """As browsers do by themselves with a form whose answer was lost."""
    at = table.a.get_absolute_url()
    old = form_on(table.alice.get(at))
    flow.draft(table.a, 0, "F F F F F")  # at another device
    refused = table.alice.post(f"{at}plan/", {**old, "seal": "1"}, headers=HTMX)
    assert "nothing was done" in refused.text
    assert flow.order_of(table.match, table.a) is None
    given = {**form_on(table.alice.get(at)), "seal": "1"}
    for _ in range(2):
        sealed = table.alice.post(f"{at}plan/", given, headers=HTMX)
        assert "Sealed: " in sealed.text and 'id="error"' not in sealed.text
    flow.reopen(table.a, 0)
    flow.draft(table.a, 0, "H H H H H")
    table.alice.post(f"{at}plan/", given, headers=HTMX)  # it was on its way for long
    assert flow.order_of(table.match, table.a) is None


def test_a_seal_that_comes_twice_is_no_error_though_it_has_played_the_turn(
    table: Table, boxing: Table
) -> None:
    at = table.a.get_absolute_url()
    for turn, reopens in enumerate((False, True)):
        flow.draft(table.a, turn, "F F F F F")
        if reopens:
            flow.seal(table.a, turn, "F F F F F")
            flow.reopen(table.a, turn)
        flow.seal(table.b, turn, "TL TL TL TL TL")
        given = {**form_on(table.alice.get(at)), "seal": "1"}
        for _ in range(2):
            played = table.alice.post(f"{at}plan/", given, headers=HTMX)
            assert f'data-turn="{turn + 1}"' in played.text and 'id="error"' not in played.text
    refused = table.alice.post(f"{at}plan/", {**given, "seen": "another plan"}, headers=HTMX)
    assert 'id="error"' in refused.text
    boxing.play_some(1)
    path = boxing.a.get_absolute_url()
    assert 'class="bx-tap' in text(table.alice.get(path))
    flow.seal(boxing.a, 1, "-")
    page = text(table.alice.get(path))
    assert 'class="board bx-ring' in page and 'class="bx-tap' not in page, "no square is offered"


PLAYS = """
import sys

from robosite_client import AuthenticatedClient, Client
from robosite_client.api.default import join, make, match, name_program, order, record, resign
from robosite_client.models import Join, Made, Match, NamedAs, NewMatch, NewProgram
from robosite_client.models import Order, Receipt, Record, Seated

url = sys.argv[1]


def named(name: str) -> AuthenticatedClient:
    program = name_program.sync(client=Client(url), body=NewProgram(name=name))
    assert isinstance(program, NamedAs), program
    return AuthenticatedClient(url, program.token)


def made_by(client: AuthenticatedClient) -> Made:
    made = make.sync(client=client, body=NewMatch(game="pigs", name="Ada"))
    assert isinstance(made, Made), made
    return made


ada, ben = named("Ada"), named("Ben")
made = made_by(ada)
seated = join.sync(made.match, client=ben, body=Join(name="Ben", invite=made.invite))
assert isinstance(seated, Seated), seated


def seen_by(client: AuthenticatedClient) -> Match:
    seen = match.sync(made.match, client=client, legal=True)
    assert isinstance(seen, Match), seen
    return seen


for client in (ada, ben):
    seen = seen_by(client)
    text = seen.legal[0] if seen.legal else "F ^ TR v H"
    receipt = order.sync(made.match, client=client, body=Order(turn=seen.turn, order=text))
    assert isinstance(receipt, Receipt), receipt
    sealed: str = receipt.seal
played = seen_by(ada)
kinds: list[str] = [event.kind for turn in played.events for event in turn]
assert played.turn == 1 and kinds and seen_by(ben).you == "B"
assert isinstance(resign.sync(made.match, client=ben), Match)
kept = record.sync(made.match, client=ben)
assert isinstance(kept, Record), kept
names: dict[str, str] = kept.turns[0].additional_properties
assert list(names) == ["A", "B"] and sealed
print(played.position)
"""


def run(*args: str, cwd: Path) -> str:
    env = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(cwd)}
    done = subprocess.run(
        [sys.executable, *args], cwd=cwd, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.more
def test_a_generated_client_is_typed_and_plays(tmp_path: Path) -> None:
    (data := tmp_path / "data").mkdir()
    (tmp_path / "config.json").write_text(json.dumps({"post_hooks": []}))
    (tmp_path / "plays.py").write_text(PLAYS)
    with Server(data) as server:
        described = httpx.get(f"{server.url}/api/v1/openapi.json").text
        (tmp_path / "openapi.json").write_text(described)
        options = ("--path", "openapi.json", "--config", "config.json", "--meta", "none")
        told = run(
            *("-m", "openapi_python_client", "generate", *options),
            *("--output-path", "robosite_client", "--fail-on-warning"),
            cwd=tmp_path,
        )
        assert "arning" not in told, told
        run("-m", "mypy", "--strict", "--config-file=", "robosite_client", "plays.py", cwd=tmp_path)
        assert "A=" in run("plays.py", server.url, cwd=tmp_path)


TURNS, MOST_TAPS = size(3, 12), 12
STATUS_LINE = len("HTTP/1.1 200 OK\r\n\r\n")
UNDO = ("back", "clear")
KEPT = re.compile(r'data-kept="(\w+)"')
A, B = Letter("A"), Letter("B")
HEAVIER = {"roboxing": 6_600}
"""Its planner says what each laser covers, and what each letter of the other robot has shown."""


class Weighed(NamedTuple):
    what: str
    bytes: int


def weigh(what: str, answer: Answer) -> Weighed:
    """The bytes of its headers and its body as they are sent, without the padding that is there by chance."""
    assert answer.status_code == 200, answer
    body = answer.content
    padding = body.index(b"\0", 10) - 10 if "Content-Encoding" in answer.headers else 0
    head = sum(len(name) + len(value) + len(": \r\n") for name, value in answer.headers.items())
    cookies = sum(len(one.output()) + len("\r\n") for one in answer.cookies.values())
    return Weighed(what, STATUS_LINE + head + cookies + len(body) - padding)


class Player:
    """An open page at a seat, in this language; it says which parts it has, as live.js does."""

    def __init__(self, browser: Browser, table: Table, letter: Letter, language: str) -> None:
        self.browser, self.table, self.letter = browser, table, letter
        self.headers = {"HX-Request": "true", "Accept-Encoding": "gzip", "Accept-Language": language}
        self.taps = 0
        page = browser.get(self.path, headers={"Accept-Language": language}).content.decode()
        self.headers["Robosite-Parts"] = " ".join(KEPT.findall(page))

    @property
    def path(self) -> str:
        return self.table.seat(self.letter).get_absolute_url()

    def looks(self) -> Answer:
        return self.browser.get(self.path, headers={**self.headers, "HX-Target": "live"})

    def posts(self, **given: str) -> Answer:
        seat = self.table.seat(self.letter)
        shown: dict[str, Any] = {"turn": seat.match.turn, "taken_back": 0, "tab": "abc"}
        headers = {**self.headers, "HX-Target": "plan"}
        return self.browser.post(f"{self.path}plan/", {**shown, **given}, headers=headers)

    def plans(self, view: State, rng: Random) -> Iterator[Answer]:
        """Taps by chance, until the order is whole."""
        for n in range(MOST_TAPS):
            seat = self.table.seat(self.letter)
            plan = view.plan(self.letter, flow.draft_of(seat.match, seat))
            ways = [one.key for one in plan.choices if one.allowed and not one.draws and one.key not in UNDO]
            if not ways or (n and plan.missing is None):
                return
            self.taps += 1
            yield self.posts(choose=rng.choice(ways), once=f"abc.{self.taps}")


def played(table: Table, players: dict[Letter, Player]) -> Iterator[Weighed]:
    """Plays a few turns by chance, with a look at both pages after each seal."""
    rng = Random(1)
    for _ in range(TURNS):
        match = table.match
        if match.status != match.Status.PLAYING:
            return
        for letter in sorted(flow.owing(match)):
            one, view = players[letter], state_of(match).view(letter)
            yield from (weigh("tap", answer) for answer in one.plans(view, rng))
            yield weigh("seal", one.posts(seal="1", typed=view.sample(letter, rng)))
            yield weigh("update", players[B if letter == A else A].looks())


@pytest.mark.integration
@pytest.mark.parametrize(
    "language", ["de", *(pytest.param(one, marks=pytest.mark.more) for one in ("en", "es"))]
)
@pytest.mark.parametrize("game", GAMES)
def test_an_update_of_a_match_of_two(
    alice: Browser, bob: Browser, charlie: Browser, game: str, language: str
) -> None:
    table = sit_down(alice, bob, charlie, game)
    browsers = {A: alice, B: bob}
    players = {letter: Player(one, table, letter, language) for letter, one in browsers.items()}
    weighed = list(played(table, players))
    for what in ("tap", "seal", "update"):
        all_ = sorted(one.bytes for one in weighed if one.what == what)
        print(f"{game} {language} {what}: {all_[len(all_) // 2]} in the median, {all_[-1]} at most")
    assert max(one.bytes for one in weighed) <= HEAVIER.get(game, UPDATE - PADDING)
