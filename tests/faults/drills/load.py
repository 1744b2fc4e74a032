"""People who play on whatever happens: they send each request again until it is acknowledged."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, Self
from uuid import uuid4

import httpx

from games.record import replay
from tests.faults import programs
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Site

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

    def lines(self) -> list[str]:
        kept = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.kept.items()))
        return [
            f"{self.asked:,} requests; acknowledged: {kept}",
            f"no answer {self.broken:,} times, 503 with Retry-After {self.busy:,} times; {self.again:,} "
            f"acknowledged when sent again, the longest {self.longest:.1f} s after the first try",
        ]


@dataclass
class Table:
    """A match, what its players have sent, and what was acknowledged of it."""

    match: programs.Match
    sent: dict[tuple[int, str], str] = field(default_factory=dict)
    told: dict[tuple[int, str], str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    resigned: bool = False

    def order(self, seat: str, turn: int, chance: random.Random) -> str:
        """Some order, or the one that was sent before."""
        return self.sent.setdefault((turn, seat), " ".join(chance.choices(MOVES, k=5)))

    def seal(self, site: programs.Site, seat: str, turn: int, chance: random.Random) -> None:
        """Seals some order, or the same one again; it must be acknowledged, and with the same seal."""
        answer = site.seal(self.match, seat, self.order(seat, turn, chance), turn)
        self.acknowledged(answer, seat, turn)

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
        url = load.site.urls[0]
        for table in tables:
            link = f"{url}/s/seat/{table.match.tokens['A']}/"
            self.client.get(link)
            token = {"csrfmiddlewaretoken": self.client.cookies["csrftoken"]}
            assert self.client.post(f"{link}take/", data=token).status_code == 302
        # as a page has it, masked: only so does the site know a form again that is sent twice
        self.token = programs.TOKEN.findall(self.client.get(f"{url}/m/{tables[-1].match.key}/A/talk/").text)[
            0
        ]

    def play(self) -> None:
        for table in self.tables:
            if not self._play(table, 10_000 if table is self.tables[-1] else TURNS):
                return

    def _play(self, table: Table, turns: int) -> bool:
        """Returns whether it was played to its end, and not stopped."""
        key = table.match.key
        for turn in range(turns):
            for seat in self.chance.sample("AB", 2):
                sealed = {"turn": turn, "order": table.order(seat, turn, self.chance)}
                path = f"/api/v1/matches/{key}/order"
                answer = self.until_kept("seals", "PUT", path, _token(table, seat), json=sealed)
                if answer is None:
                    return False
                table.acknowledged(answer, seat, turn)
            said = {"csrfmiddlewaretoken": self.token, "text": f"{key} in turn {turn}", "once": uuid4().hex}
            if self.until_kept("messages", "POST", f"/m/{key}/A/talk/", {}, data=said) is None:
                return False
            table.said.append(said["text"])
        headers = {**_token(table, "A"), "Idempotency-Key": str(uuid4())}
        path = f"/api/v1/matches/{key}/resign"
        table.resigned = self.until_kept("ends", "POST", path, headers, json={}) is not None
        return table.resigned

    def until_kept(
        self, kind: str, method: str, path: str, headers: dict[str, str], **body: Any
    ) -> httpx.Response | None:
        """Asks until it is acknowledged, another process if one gives no answer; None if it is to stop."""
        tally, urls, began = self.load.tally, self.load.site.urls, time.monotonic()
        first = True
        while time.monotonic() - began < GIVES_UP:
            try:
                url = urls[self.at % len(urls)] + path
                answer = self.client.request(method, url, headers=headers, **body)
            except httpx.TransportError:
                answer = None
                self.at += 1
            with self.load.lock:
                tally.asked += 1
                if answer and answer.status_code in (200, 302):
                    tally.kept[kind] += 1
                    tally.again += not first
                    tally.longest = max(tally.longest, time.monotonic() - began)
                    return answer
                tally.broken += answer is None
                tally.busy += answer is not None
            assert answer is None or (answer.status_code == 503 and "Retry-After" in answer.headers), (
                answer.text
            )
            first = False
            if self.load.stop.wait(0.2):
                return None
        raise AssertionError(f"{method} {path} was not acknowledged in {GIVES_UP:.0f} s")


class Crew:
    """People at work, each in a thread of their own, from `with` to its end."""

    plays: Sequence[Callable[[], None]]

    def __init__(self) -> None:
        self.lock, self.stop = Lock(), Event()

    def __enter__(self) -> Self:
        self.threads = ThreadPoolExecutor(len(self.plays))
        self.playing = [self.threads.submit(play) for play in self.plays]
        return self

    def __exit__(self, kind: object, *fault: object) -> None:
        self.stop.set()
        self.threads.shutdown()
        if kind is None:
            self.look()

    def look(self) -> None:
        """Raises what somebody has met."""
        for one in self.playing:
            if one.done():
                one.result()

    def plays_until(self, true: Callable[[], bool]) -> float:
        """Waits until it is true; says how many seconds that took."""

        def is_true() -> bool:
            self.look()
            return true()

        return wait_until(is_true, GIVES_UP)


class Load(Crew):
    """Players, who play on once it is entered; each may play `tables` tables."""

    def __init__(self, site: Site, tables: int, *, players: int = 4, patience: float = 20.0) -> None:
        super().__init__()
        self.site, self.patience, self.tally = site, patience, Tally()
        self.seed = random.randrange(1_000_000)
        self.chance = random.Random(self.seed)
        self.tables = [Table(match) for match in site.tables(players * tables)]
        self.players = [
            Player(self, n, self.tables[n * tables : (n + 1) * tables], random.Random(self.chance.random()))
            for n in range(players)
        ]
        self.plays = [player.play for player in self.players]

    def __enter__(self) -> Self:
        super().__enter__()
        self.goes_on()
        return self

    def __exit__(self, kind: object, *fault: object) -> None:
        super().__exit__(kind, *fault)
        for player in self.players:
            player.client.close()

    def goes_on(self, more: int = 10) -> float:
        """Waits until so many more requests were acknowledged; says how many seconds that took."""
        before = self.tally.kept.total()
        return self.plays_until(lambda: self.tally.kept.total() >= before + more)

    def report(self, first: str, *lines: str) -> list[str]:
        return [f"{first} (seed {self.seed})", *self.tally.lines(), *lines, *self.nothing_is_lost()]

    def nothing_is_lost(self) -> list[str]:
        """Compares what was acknowledged with what is there, and plays on; says what was looked at."""
        played = [table for table in self.tables if table.sent]
        with programs.PatientSite(self.site.urls[0]) as site:
            for table in played:
                is_kept(site, table)
        wait_until(self._all_sent, GIVES_UP)
        kept = self.site.inside("kept")
        assert "no faults" in kept["verified"], kept["verified"]
        for table in played:
            said = Counter(kept["said"].get(table.match.key, []))
            assert said.keys() >= set(table.said), (set(table.said) - said.keys(), table.match.key)
            assert said.total() == len(said), (said, table.match.key)
            assert kept["told of"].get(table.match.key, 0) == said.total(), table.match.key
        return [
            f"{len(played)} matches replay to what was acknowledged, none is stuck; no message twice",
            *self._mails(kept, [table for table in played if table.resigned]),
        ]

    def _all_sent(self) -> bool:
        """Tell whether no notice waits; the pauses after failed tries are over at once."""
        now = self.site.moment(0)
        self.site.sql(f"UPDATE notices_parcel SET due_at = {now} WHERE state = 'waits' AND due_at > {now}")
        time.sleep(1)
        return self.site.sql("SELECT count(*) FROM notices_parcel WHERE state = 'waits'") == [(0,)]

    def _mails(self, kept: dict[str, Any], ended: list[Table]) -> list[str]:
        ids = Counter(str(mail["Message-ID"]) for mail in self.site.mailbox.mails)
        arrived = {one.partition("notice-")[2].partition("@")[0]: count for one, count in ids.items()}
        assert max(arrived.values(), default=0) <= 2, "a notice came more than twice"
        for number, state in kept["parcels"]:
            assert state != "sent" or arrived.get(number), f"parcel {number} never came"
        for table in ended:
            assert arrived.get(kept["over"][table.match.key]), f"{table.match.key}: nobody heard its end"
        twice = sum(count > 1 for count in arrived.values())
        given_up = [number for number, state in kept["parcels"] if state == "given up"]
        never = sum(number not in arrived for number in given_up)
        return [
            f"{len(arrived):,} notices came by mail, {twice} of them twice, none three times; "
            f"{len(ended)} ends of matches were all told",
            f"given up after two unclear tries: {len(given_up)}, of which {never} never came",
        ]


def _token(table: Table, seat: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {table.match.tokens[seat]}"}


def is_kept(site: programs.Site, table: Table) -> None:
    """Every seal that was acknowledged is in the record; the last requests again are 200; it can go on."""
    last = sorted(table.sent)[-4:]
    for turn, seat in last if site.see(table.match)["status"] == "playing" else []:
        table.seal(site, seat, turn, random.Random())
    seen = site.see(table.match)
    assert seen["status"] == "over" or not table.resigned
    if seen["status"] == "playing":
        for seat in seen["to_act"]:
            table.seal(site, seat, seen["turn"], random.Random())
        assert site.see(table.match)["turn"] == seen["turn"] + 1
    record = site.record(table.match)
    assert replay(record).fault is None
    for (turn, seat), seal in table.told.items():
        assert record["seals"][turn][seat]["seal"] == seal
        assert record["turns"][turn][seat] == table.sent[turn, seat]
    sent = {turn for turn, _ in table.sent} | {-1}
    assert len(record["turns"]) <= max(sent) + 1 + table.resigned, "a turn was played that nobody sent"
