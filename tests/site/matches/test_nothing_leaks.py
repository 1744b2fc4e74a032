"""Two worlds that differ only in what Bob keeps secret are the same world for everybody else.

Time, chance and keys are the same in both (sameness.py), so that all else, lengths and tags too, can be
compared byte by byte. Thousands of such pairs, in all games: test_pairs.py.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.db import connection, transaction

from robosite.matches import flow
from robosite.matches.flow import replies
from robosite.matches.live import push
from robosite.matches.models import Match, Replies, Seat
from robosite.share.pictures.drawing_process import drawn
from robosite.share.pictures.sketch import Sketch
from robosite.talk import messages, turn_notes
from robosite.talk.models import TurnNote
from tests.games.cases import size
from tests.servers import Server
from tests.site.browsers import FIRST, OTHER, SAME_ORIGIN
from tests.site.routes import HTMX, Ask, asks, routes, some
from tests.site.sameness import same_numbers
from tests.site.world import World, world

OTHERS = ("anyone", "watcher", "Alice", "elsewhere", "staff")
LONGER = "F ^ F ^ F"
WORLDS: dict[str, Any] = {
    "another order": ({"secret": FIRST}, {"secret": OTHER}),
    "another draft": ({"secret": None, "draft": LONGER}, {"secret": None, "draft": "TL " * 30}),
    "a draft or none": ({"secret": None, "draft": None}, {"secret": None, "draft": LONGER}),
    "a private message or none": ({"psst": ""}, {"psst": "Against Dora? " * 30}),
    "another private message": ({"psst": "Yes."}, {"psst": "Against Dora? " * 30}),
    "another word and note": ({"word": "Ha!", "note": "Hm."}, {"word": "Gotcha " * 20, "note": "So " * 200}),
    "a word and note or none": ({}, {"word": "Ha!", "note": "Hm."}),
}
SEVERAL = "another order, word and note"
WORLDS[SEVERAL] = tuple(
    {**one, **other}
    for one, other in zip(WORLDS["another order"], WORLDS["another word and note"], strict=True)
)
USUAL = (SEVERAL,)
"""Which of them every run compares, for SOME of the others; the slow run compares all."""
SOME = size(("Alice",), ("watcher", "Alice", "staff"))
FEW = size(("Alice",), ("watcher", "Alice"))
TABLES = (("playing", "none"), ("open", "over"))


def is_talk(differs: str) -> bool:
    """Tell whether only a message or note differs, which is so in the running match alone."""
    return "message" in differs or ("note" in differs and differs != SEVERAL)


def asked_of(there: World) -> list[Ask]:
    """The requests to every address; in the short form one to each that is about no match."""
    every = asks(there)
    of_none = some([ask for ask in every if ask.table == "none"])
    return [ask for ask in every if ask.table != "none" or ask in of_none]


def everything(there: World, same: Callable[[str], None], who: str, ask: Ask) -> tuple[Any, ...]:
    """The whole of an answer, and its effect."""
    same(f"{who} {ask.said}")
    answer = there.ask(who, ask)
    body = b"" if answer.streaming else answer.content
    cookies = sorted(morsel.OutputString() for morsel in answer.cookies.values())
    return answer.status_code, sorted(answer.items()), cookies, len(body), body


Answers = dict[Any, tuple[Any, ...]]


def the_same_in_both(
    same: Callable[[str], None],
    caplog: pytest.LogCaptureFixture,
    made: Sequence[Callable[[], World]],
    answers: Callable[[World], Answers],
) -> Answers:
    """The answers in two worlds, which must not differ, nor what is logged."""
    told, logged = [], []
    for make in made:
        with transaction.atomic():
            same("world")
            same_numbers()
            there = make()
            caplog.clear()
            told.append(answers(there))
            logged.append([(record.name, record.getMessage()) for record in caplog.records])
            transaction.set_rollback(True)
    one, other = told
    assert one.keys() == other.keys()
    for key, answer in one.items():
        assert answer == other[key], (key, *differing(answer[-1], other[key][-1]))
    assert logged[0] == logged[1] and logged[0]
    return one


def test_no_address_is_forgotten() -> None:
    asked = {ask.name for ask in asks(world())}
    assert asked == set(routes())


@cache
def drawn_once(sketch: Sketch, width: int) -> bytes:
    return drawn(sketch, width)


@pytest.fixture(autouse=True)
def drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sketch gives the same picture (test_pictures.py): so each is made once, in this process."""
    monkeypatch.setattr("robosite.share.pictures.views.drawn", drawn_once)


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.timeout(1500)  # every address, for everybody
@pytest.mark.parametrize(
    ("differs", "tables"),
    [
        (world, tables)
        if world in USUAL and "playing" in tables
        else pytest.param(world, tables, marks=pytest.mark.slow)
        for world in WORLDS
        for tables in (TABLES[:1] if is_talk(world) else TABLES)
    ],
    ids=lambda given: given if isinstance(given, str) else given[0],
)
def test_everybody_else_is_told_the_same(
    same: Callable[[str], None], caplog: pytest.LogCaptureFixture, differs: str, tables: tuple[str, ...]
) -> None:
    def answers(there: World) -> Answers:
        return {
            (who, ask.said): everything(there, same, who, ask)
            for ask in [*asked_of(there), *of_dora(there)]
            if ask.table in tables
            for who in viewers(ask, differs)
        }

    made = [(lambda given=given: world(**given)) for given in WORLDS[differs]]
    assert len(the_same_in_both(same, caplog, made, answers)) > 60


@pytest.mark.more
@pytest.mark.timeout(1500)  # every address, for everybody
def test_no_answer_depends_on_an_order_that_the_database_may_choose(same: Callable[[str], None]) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite turns rows around when told to")
    told = []
    for turned_around in ("OFF", "ON"):
        with transaction.atomic(), connection.cursor() as cursor:
            same("world")
            there = world(FIRST, word="Ha!", note="Hm.")
            cursor.execute(f"PRAGMA reverse_unordered_selects = {turned_around}")
            told.append(
                {
                    (who, ask.said): everything(there, same, who, ask)
                    for ask in asks(there)
                    if ask.method == "GET"
                    for who in (("staff",) if ask.name.startswith("admin:") else ("watcher", "Alice"))
                }
            )
            cursor.execute("PRAGMA reverse_unordered_selects = OFF")
            transaction.set_rollback(True)
    one, other = told
    assert len(one) > 60
    different = [
        (key, *differing(answer[-1], other[key][-1])) for key, answer in one.items() if answer != other[key]
    ]
    assert not different


def of_dora(there: World) -> list[Ask]:
    """The requests of Dora, the third at the table of the match that goes on."""
    at = f"/m/{there.keys['playing']}/C/"
    pages = [
        Ask("seat", "GET", "playing C", f"{at}{more}", None, h)
        for more in ("", "talk/", "talk/?to=all", "talk/?to=B", "notes/")
        for h in ({}, HTMX)
    ]
    said = Ask("talk", "POST", "playing C", f"{at}talk/", {"text": "And I?"}, HTMX)
    return [*pages, said, Ask("seat", "GET", "playing C", f"{at}talk/?before={2**50}")]


def viewers(ask: Ask, differs: str) -> tuple[str, ...]:
    if ask.where == "playing C":
        return ("Dora",)
    if is_talk(differs):
        own = "message" in differs or ask.name == "plan"  # who seals last is shown the word
        if ask.name.startswith("admin:"):
            return ("staff",)
        if ask.where.split()[:1] != ["playing"]:
            return ()
        return ("watcher",) if own else ("watcher", "Alice")
    if ask.name.startswith(
        "admin:"
    ):  # its numbers of rows have a gap where a draft is kept, never what it is
        return () if differs == "a draft or none" else ("staff",)
    if differs in ("another order", SEVERAL) and ask.method == "GET" and ask.where.startswith("playing"):
        return OTHERS if differs == "another order" else SOME
    return ("Alice",) if differs == "a draft or none" else FEW


def differing(one: bytes, other: bytes) -> tuple[bytes, bytes]:
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return one[max(at - 80, 0) : at + 80], other[max(at - 80, 0) : at + 80]


def robble(there: World, lines: list[list[str]]) -> World:
    """The match that goes on is now one of Robble in which Alice is to act; Bob replies with these lines."""
    alice, bob = there.people["Alice"], there.people["Bob"]
    match = alice.make(2, "robble")
    a = match.seats.get(letter="A")
    links = alice.own_links(a)
    b = bob.join(links["invite"])
    there.keys["playing"], there.invites["playing"] = match.key, links["invite"]
    there.tokens["Alice playing"] = links["seat"]
    there.tokens["Bob playing"] = bob.own_links(b)["seat"]
    for turn, seat, order in ((0, a, "d4"), (1, b, "c4")):
        flow.seal(Seat.objects.select_related("match").get(pk=seat.pk), turn, order)
    if lines:
        replies.put(Seat.objects.select_related("match").get(pk=b.pk), 2, lines)
    return there


LINES: list[list[str]] = [["e6", "f3"], ["e6", "f3", "g7", "a1"], ["a2", "a3"]]


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    "other",
    [
        pytest.param([], id="replies or none", marks=pytest.mark.more),
        pytest.param([["e6", "g7"]], id="other replies"),
    ],
)
def test_replies_tell_nobody_else_anything(
    same: Callable[[str], None], caplog: pytest.LogCaptureFixture, other: list[list[str]]
) -> None:
    def answers(there: World) -> Answers:
        """While they wait, and once Alice has played what none of them fits."""
        told: Answers = {}
        for when in ("waiting", "dropped"):
            if when == "dropped":
                same(when)
                kept = Replies.objects.count()
                given = {"turn": 2, "typed": "g1", "seal": 1}
                there.people["Alice"].post(f"/m/{there.keys['playing']}/A/plan/", given)
                assert Replies.objects.filter(dropped="other").count() == kept
            told |= {
                (when, who, ask.said): everything(there, same, who, ask)
                for ask in asked_of(there)
                if ask.table in ("playing", "none") and not ask.name.startswith("admin:")
                if when == "waiting" or ask.table == "playing" or ask.method == "GET"
                for who in SOME
            }
        return told

    made = [(lambda lines=lines: robble(world(), lines)) for lines in (LINES, other)]
    assert len(the_same_in_both(same, caplog, made, answers)) > 120


def test_bob_himself_is_told(same: Callable[[str], None]) -> None:
    """So the worlds above do differ, and the comparison looks at the right pages."""
    pages, orders = set(), set()
    for secret in (FIRST, OTHER):
        with transaction.atomic():
            same("world")
            there = world(secret)
            key = there.keys["playing"]
            pages.add(everything(there, same, "Bob", Ask("seat", "GET", "playing", f"/m/{key}/B/"))[-1])
            orders.add(
                there.ask("Bob", Ask("api-match", "GET", "playing", f"/api/v1/matches/{key}")).json()["order"]
            )
            transaction.set_rollback(True)
    assert len(pages) == 2
    assert orders == {FIRST, OTHER}


LAST = 1_000_000
"""The version of a change that nobody makes: it comes after everything that was told before."""


async def heard(browser: Any, key: str, seat: str, does: Callable[[], None]) -> list[str]:
    """The frames of a socket of that match while something is done."""
    from robosite.asgi import application

    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
    headers = [*SAME_ORIGIN, (b"cookie", cookie.encode())]
    socket = WebsocketCommunicator(application, f"/ws/m/{key}/{seat}", headers=headers)
    accepted, _ = await socket.connect(timeout=60)
    assert accepted
    frames = [await socket.receive_from(timeout=60)]
    await socket.send_to(text_data="a")
    while not socket.input_queue.empty():  # it is read once the socket listens to everything
        await asyncio.sleep(0.01)
    await sync_to_async(does)()
    await push.deliver({"type": "changed", "match": key, "version": LAST})
    while (frame := await socket.receive_from(timeout=60)) != json.dumps({"version": LAST}):
        frames.append(frame)
    gathers = [one for one in asyncio.all_tasks() if "_say_of_own" in repr(one.get_coro())]
    await asyncio.gather(*gathers)
    while not socket.output_queue.empty():
        frames.append(await socket.receive_from(timeout=60))
    await socket.disconnect(timeout=60)
    return frames


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("viewer", ["Alice", "watcher", "Bob"])
async def test_a_socket_says_that_something_changed_and_not_what(
    same: Callable[[str], None], viewer: str
) -> None:
    def prepare() -> World:
        same("world")
        return world(secret=None)

    there = await sync_to_async(prepare)()
    key = there.keys["playing"]
    match = await Match.objects.aget(key=key)
    seat = await match.seats.select_related("match").aget(letter="B")
    at = "" if viewer == "watcher" else f"{viewer[0]}/"
    frames = []
    for order, draft in ((FIRST, "F"), (OTHER, "TL " * 30)):
        await match.arefresh_from_db()
        before = match.version

        def secretly(order: str = order, draft: str = draft) -> None:
            flow.draft(seat, 1, draft, "tab-1")
            flow.seal(seat, 1, order)
            flow.reopen(seat, 1)

        said = [json.loads(frame) for frame in await heard(there.people[viewer], key, at, secretly)]
        for told in said:
            if "version" in told:
                told["version"] -= before
        frames.append(said)
    # news of the match and of one's list come over two groups, in either order
    assert sorted(map(str, frames[0])) == sorted(map(str, frames[1]))
    versions = [{"version": 0}, {"version": 1}, {"version": 2}]
    if viewer == "Bob":
        assert {"draft": "tab-1"} in frames[0]
    else:
        # whoever plays hears with the news of a match that their list of matches is to be looked at, too
        assert [told for told in frames[0] if told != {"games": True}] == versions


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("viewer", ["Alice", "Bob", "Dora", "watcher"])
async def test_a_socket_says_that_something_was_said_to_those_alone_whom_it_is_for(viewer: str) -> None:
    there = await sync_to_async(world)()
    key = there.keys["playing"]
    seat = await Seat.objects.select_related("match").aget(match__key=key, letter="B")
    letter = {"Alice": "A/", "Bob": "B/", "Dora": "C/", "watcher": ""}[viewer]

    def secretly() -> None:
        messages.say(seat, None, "Psst", to="A")
        turn_notes.write(seat, TurnNote.Kind.WORD, 1, "Ha!")
        turn_notes.write(seat, TurnNote.Kind.NOTE, 1, "Hm")

    def aloud() -> None:
        messages.say(seat, None, "Hello, all")

    def outside() -> None:
        there.people["watcher"].post(f"/m/{key}/talk/", {"text": "Look!", "name": "Charlie"})

    heard_of = [
        len([frame for frame in await heard(there.people[viewer], key, letter, does) if "said" in frame])
        for does in (secretly, aloud, outside)
    ]
    assert heard_of == {"Alice": [1, 1, 0], "Bob": [1, 1, 0], "Dora": [0, 1, 0], "watcher": [0, 0, 1]}[viewer]
    if viewer == "Alice":  # who plays hears nothing of watchers in any other way either
        frames = await heard(there.people["Alice"], key, "", outside)
        assert not [frame for frame in frames if "said" in frame]


@pytest.mark.integration
def test_what_is_marked_is_nowhere_until_the_reveal(tmp_path: Path) -> None:
    draft, order, nowhere = "CANARY-of-Bob", "TL TR TR TL TL", "TR TL TL TR TR"
    with Server(tmp_path) as server:
        ask = Asker(server.url)
        made = ask.ask("POST", "matches", {"game": "pigs", "name": "Alice"}).json()
        key = made["match"]
        joined = ask.ask("POST", f"matches/{key}/seats", {"name": "Bob", "invite": made["invite"]}).json()
        of_alice, of_bob = made["token"], joined["token"]
        assert ask.ask("PUT", f"matches/{key}/draft", {"turn": 0, "order": draft}, of_bob).status_code == 204
        found = everywhere(tmp_path, ask, key, of_alice)
        assert not [where for where, what in found.items() if draft.encode() in what]
        assert draft in ask.ask("GET", f"matches/{key}", token=of_bob).text

        sealed = ask.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": order}, of_bob)
        assert sealed.status_code == 200
        ask.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": nowhere}, of_bob)
        ask.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": order}, of_bob)
        found = everywhere(tmp_path, ask, key, of_alice)
        for secret in (draft, order, nowhere, of_alice, of_bob, made["invite"]):
            assert not [where for where, what in found.items() if secret.encode() in what], secret
        assert any(where.endswith("-wal") for where in found)
        assert any(where.endswith(".log") for where in found)
        assert order in ask.ask("GET", f"matches/{key}", token=of_bob).text

        ask.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": FIRST}, of_alice)
        found = everywhere(tmp_path, ask, key, of_alice)
        assert (
            sum(order.encode() in what for what in found.values()) >= 3
        )  # on disk, in the API, in the record
        assert not [where for where, what in found.items() if nowhere.encode() in what]
        ask.client.close()
    after = {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert not [where for where, what in after.items() if draft.encode() in what or nowhere.encode() in what]


class Asker:
    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=60, trust_env=False, verify=False)

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.client.request(method, f"/api/v1/{path}", json=body, headers=headers)


def everywhere(data: Path, ask: Asker, key: str, token: str) -> dict[str, bytes]:
    """Every file that the site keeps, and whatever it answers to others than Bob."""
    found = {
        str(path): path.read_bytes()
        for path in data.rglob("*")
        if path.is_file() and "static" not in path.parts
    }
    for path in (
        f"/m/{key}/",
        f"/m/{key}/A/",
        f"/m/{key}/B/",
        f"/m/{key}/record/",
        f"/m/{key}/version/",
        "/",
    ):
        found[path] = ask.client.get(path).content
    for path in (f"matches/{key}", f"matches/{key}/record"):
        for who in ("", token):
            answer = ask.ask("GET", path, token=who)
            found[f"{path} {bool(who)}"] = repr(answer.headers).encode() + answer.content
    return found
