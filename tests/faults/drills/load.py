"""People who play on whatever happens: they send each request again until it is acknowledged.

What was acknowledged is remembered, and compared with what the site has kept (`Load.nothing_is_lost`).
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpx

from games.record import replay
from tests.faults import programs
from tests.faults.drills import work
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Site
from tests.faults.test_sent_twice import TOKEN

MOVES = ("^", "v", "\\", "/", "TL", "TR")
"""Commands that hurt nobody, so that any five are a program in every round."""
TURNS = 4
"""After so many turns somebody resigns, and the next table is played."""
GIVES_UP = 240.0
"""Seconds without an acknowledgement after which something hangs."""


@dataclass
class Tally:
    """Counts of requests and answers. `longest`: seconds from the first try to the acknowledgement."""

    asked: int = 0
    kept: Counter[str] = field(default_factory=Counter)
    busy: int = 0
    broken: int = 0
    again: int = 0
    longest: float = 0.0
    wrong: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def lines(self) -> list[str]:
        kept = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.kept.items()))
        return [
            f"{self.asked:,} requests; acknowledged: {kept}",
            f"no answer {self.broken:,} times, 503 with Retry-After {self.busy:,} times, other answers "
            f"{len(self.wrong)}; {self.again:,} acknowledged when sent again",
            f"longest from the first try to the acknowledgement: {self.longest:.1f} s",
        ]


@dataclass
class Table:
    """A match, what its players have sent, and what was acknowledged of it."""

    match: programs.Match
    sent: dict[tuple[int, str], str] = field(default_factory=dict)
    told: dict[tuple[int, str], str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    resigned: bool = False

    def seal(self, site: programs.Site, seat: str, turn: int, chance: random.Random) -> None:
        """Seals some order, or the same one again; it must be acknowledged, and with the same seal."""
        order = self.sent.setdefault((turn, seat), " ".join(chance.choices(MOVES, k=5)))
        self.acknowledged(site.seal(self.match, seat, order, turn), seat, turn)

    def acknowledged(self, answer: httpx.Response, seat: str, turn: int) -> None:
        assert answer.status_code == 200, answer.text
        receipt = answer.json()
        sent = (turn, seat, self.sent[turn, seat])
        assert (receipt["turn"], receipt["seat"], receipt["order"]) == sent
        assert self.told.setdefault((turn, seat), receipt["seal"]) == receipt["seal"]


class Player:
    """Plays both seats of one table after the other, and says something as Alice, in a thread of its own."""

    def __init__(self, load: Load, at: int, tables: list[Table], chance: random.Random) -> None:
        self.load, self.tables, self.chance = load, tables, chance
        self.client = httpx.Client(timeout=load.patience, trust_env=False, verify=False)
        self.at = at  # the process that is asked, as long as it answers
        for table in tables if load.talks else ():
            self._sit_down(table)
        self.token = self._token_of_a_form(tables[-1]) if load.talks else ""

    def _sit_down(self, table: Table) -> None:
        link = f"{self.load.urls[0]}/s/seat/{table.match.tokens['A']}/"
        self.client.get(link)
        taken = self.client.post(
            f"{link}take/", data={"csrfmiddlewaretoken": self.client.cookies["csrftoken"]}
        )
        assert taken.status_code in (302, 303), taken.text

    def _token_of_a_form(self, table: Table) -> str:
        """As a page has it, masked: only so does the site know a form again that is sent twice."""
        page = self.client.get(f"{self.load.urls[0]}/m/{table.match.key}/A/talk/").text
        return TOKEN.findall(page)[0]

    def play(self) -> None:
        for table in self.tables:
            self._play(table, last=table is self.tables[-1])
            if self.load.stop.is_set():
                return

    def _play(self, table: Table, *, last: bool) -> None:
        for turn in range(10_000 if last else TURNS):
            for seat in self.chance.sample("AB", 2):
                self.seal(table, seat, turn)
                if self.load.stop.is_set():
                    return
            if self.load.talks:
                self.say(table, f"{table.match.key} in turn {turn}")
        headers = {**_token(table, "A"), "Idempotency-Key": str(uuid4())}
        answer = self.until_kept(
            "ends", "POST", f"/api/v1/matches/{table.match.key}/resign", headers, json={}
        )
        table.resigned = answer is not None

    def seal(self, table: Table, seat: str, turn: int) -> None:
        order = table.sent.setdefault((turn, seat), " ".join(self.chance.choices(MOVES, k=5)))
        path = f"/api/v1/matches/{table.match.key}/order"
        answer = self.until_kept(
            "seals", "PUT", path, _token(table, seat), json={"turn": turn, "order": order}
        )
        if answer is not None:
            table.acknowledged(answer, seat, turn)

    def say(self, table: Table, text: str) -> None:
        given = {"csrfmiddlewaretoken": self.token, "text": text, "once": uuid4().hex}
        if self.until_kept("messages", "POST", f"/m/{table.match.key}/A/talk/", {}, data=given) is not None:
            table.said.append(text)

    def until_kept(
        self, kind: str, method: str, path: str, headers: Any, **body: Any
    ) -> httpx.Response | None:
        """Asks until it is acknowledged, another process if one gives no answer; None if it is to stop."""
        tally, began, tries = self.load.tally, time.monotonic(), 0
        while time.monotonic() - began < GIVES_UP:
            url = self.load.urls[self.at % len(self.load.urls)] + path
            tries += 1
            with tally.lock:
                tally.asked += 1
            try:
                answer = self.client.request(method, url, headers=headers, **body)
            except httpx.TransportError:
                with tally.lock:
                    tally.broken += 1
                self.at += 1
                wait = 0.2
            else:
                if answer.status_code in (200, 302):
                    with tally.lock:
                        tally.kept[kind] += 1
                        tally.again += tries > 1
                        tally.longest = max(tally.longest, time.monotonic() - began)
                    return answer
                if answer.status_code != 503 or "Retry-After" not in answer.headers:
                    with tally.lock:
                        tally.wrong.append(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
                    raise AssertionError(tally.wrong[-1])
                with tally.lock:
                    tally.busy += 1
                wait = 0.2
            if self.load.stop.wait(wait):
                return None
        raise AssertionError(f"{method} {path} was not acknowledged in {GIVES_UP:.0f} s")


class Load:
    """Players at work, from `with` to its end; each may play `tables` tables.

    Tables are those that were made with the site, whose seats B want mails; where there are none (`talks` is
    false), new ones, and nothing is said there.
    """

    def __init__(
        self, site: Site, players: int = 4, tables: int = 3, *, talks: bool = True, patience: float = 20.0
    ) -> None:
        self.site, self.urls, self.talks, self.patience = site, site.urls, talks, patience
        self.tally, self.stop = Tally(), Event()
        self.seed = random.randrange(1_000_000)
        chance = random.Random(self.seed)
        if talks:
            found = [Table(site.tables.pop()) for _ in range(players * tables)]
        else:
            with programs.Site(site.urls[0]) as client:
                found = [Table(client.make()) for _ in range(players * tables)]
        self.tables = found
        self.players = [
            Player(self, n, found[n * tables : (n + 1) * tables], random.Random(chance.random()))
            for n in range(players)
        ]
        self.threads = ThreadPoolExecutor(players)
        self.playing: list[Future[None]] = []

    def __enter__(self) -> Self:
        self.playing = [self.threads.submit(player.play) for player in self.players]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop.set()
        self.threads.shutdown()
        for player in self.players:
            player.client.close()
        if kind is None:
            for one in self.playing:
                one.result()

    def goes_on(self, more: int = 10, seconds: float = GIVES_UP) -> float:
        """Waits until so many more requests were acknowledged; says how many seconds that took."""
        before = self.tally.kept.total()

        def more_are_kept() -> bool:
            for one in self.playing:
                if one.done():
                    one.result()
            return self.tally.kept.total() >= before + more

        return wait_until(more_are_kept, seconds)

    def nothing_is_lost(self) -> list[str]:
        """Compares what was acknowledged with what is there, and plays on; says what was looked at."""
        played = [table for table in self.tables if table.sent]
        with programs.Site(self.urls[0]) as site:
            for table in played:
                is_kept(site, table)
        found = [f"{len(played)} matches replay to what was acknowledged, none is stuck"]
        if self.talks:
            found += self._messages_and_notices(played)
        assert not self.tally.wrong
        return found

    def _messages_and_notices(self, played: list[Table]) -> list[str]:
        if self.site.mailbox:
            wait_until(self._all_sent, GIVES_UP)
        kept = json.loads(self.site.run("tests.faults.drills.kept"))
        assert "no faults" in kept["verified"], kept["verified"]
        for table in played:
            said = Counter(kept["said"].get(table.match.key, []))
            assert said.keys() >= set(table.said), (set(table.said) - said.keys(), table.match.key)
            assert said.total() == len(said), (said, table.match.key)
            assert kept["told of"].get(table.match.key, 0) == said.total(), table.match.key
        found = ["no message stands there twice"]
        if self.site.mailbox:
            found += self._mails(kept, [table for table in played if table.resigned])
        return found

    def _all_sent(self) -> bool:
        """Tell whether no notice waits; the pauses after failed tries are over at once."""
        now = work.moment(self.site, 0)
        self.site.tell(f"UPDATE notices_parcel SET due_at = {now} WHERE state = 'waits' AND due_at > {now}")
        time.sleep(1)
        return bool(self.site.ask("SELECT count(*) FROM notices_parcel WHERE state = 'waits'")[0][0] == 0)

    def _mails(self, kept: dict[str, Any], ended: list[Table]) -> list[str]:
        assert self.site.mailbox
        ids = Counter(str(mail["Message-ID"]) for mail in self.site.mailbox.mails)
        arrived = {one.partition("notice-")[2].partition("@")[0]: count for one, count in ids.items()}
        assert max(arrived.values(), default=0) <= 2, "a notice came more than twice"
        for number, state, _tries in kept["parcels"]:
            assert state != "sent" or arrived.get(number), f"parcel {number} never came"
        for table in ended:
            assert arrived.get(kept["over"][table.match.key]), (
                f"{table.match.key}: nobody heard that it is over"
            )
        twice = sum(count > 1 for count in arrived.values())
        states = Counter(state for _, state, _ in kept["parcels"])
        given_up = [number for number, state, _ in kept["parcels"] if state == "given up"]
        never = sum(number not in arrived for number in given_up)
        return [
            f"{len(arrived):,} notices came by mail, {twice} of them twice, none three times; "
            f"{len(ended)} ends of matches were all told",
            f"given up after two unclear tries: {states['given up']}, of which {never} never came",
        ]


def _token(table: Table, seat: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {table.match.tokens[seat]}"}


def is_kept(site: programs.Site, table: Table) -> None:
    """Every seal that was acknowledged is in the record; the last requests again are 200; it can go on."""
    last = sorted(table.sent.items())[-4:]
    seen = site.see(table.match)
    for (turn, seat), order in last if seen["status"] == "playing" else []:
        again = site.seal(table.match, seat, order, turn)
        assert again.status_code == 200, again.text
        assert table.told.setdefault((turn, seat), again.json()["seal"]) == again.json()["seal"]
    seen = site.see(table.match)
    if table.resigned:
        assert seen["status"] == "over"
    if seen["status"] == "playing":
        turn = seen["turn"]
        for seat in seen["to_act"]:
            order = table.sent.setdefault((turn, seat), "^ v ^ v ^")
            assert site.seal(table.match, seat, order, turn).status_code == 200
        seen = site.see(table.match)
        assert seen["turn"] == turn + 1
    record = site.record(table.match)
    assert replay(record).fault is None
    for (turn, seat), seal in table.told.items():
        assert record["seals"][turn][seat]["seal"] == seal
        assert record["turns"][turn][seat] == table.sent[turn, seat]
    sent = {turn for turn, _ in table.sent} | {-1}
    assert len(record["turns"]) <= max(sent) + 1 + table.resigned, "a turn was played that nobody sent"
