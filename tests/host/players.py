"""People who play through the proxy whatever a host does meanwhile, by pages and by the API.

Each request is sent again until it is acknowledged, and each answer is noted with the step in which it came.
"""

from __future__ import annotations

import random
import re
import ssl
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any
from uuid import uuid4

import httpx

from tests.faults.drills.load import GIVES_UP, MOVES
from tests.faults.drills.services import wait_until

TURNS = 12
"""After so many turns the next table is played."""
THINKS = (0.1, 0.4)
"""Seconds between two turns of a player."""
STATIC = re.compile(r'(?:href|src)="(/static/[^"]+)"')


@dataclass
class Step:
    """The answers that came during a step; status 0 is a connection that broke."""

    name: str
    rolling: bool = False
    seconds: float = 0.0
    took: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    """Requests that got an answer of 500 and above, or none."""

    @property
    def errors(self) -> int:
        """Answers of 500 and above, those of the proxy too."""
        return sum(count for status, count in self.statuses.items() if status >= 500)

    def row(self, lost: int | None) -> str:
        cells = (
            f"{self.seconds:.0f}",
            f"{len(self.took):,}",
            self.errors,
            self.statuses[404],
            self.statuses[0],
            "–" if lost is None else lost,
            f"{self.quantile(0.5):.0f} ms",
            f"{self.quantile(0.99):.0f} ms",
        )
        return f"| {self.name} | {' | '.join(str(cell) for cell in cells)} |"

    @property
    def is_bad(self) -> bool:
        """Tell whether somebody noticed that processes were restarted in turn."""
        return self.rolling and bool(self.errors or self.statuses[404] or self.statuses[0])

    def quantile(self, part: float) -> float:
        took = sorted(self.took)
        return 1000 * took[min(len(took) - 1, int(part * len(took)))] if took else 0.0


@dataclass
class Acknowledged:
    """The writes that were acknowledged: seals by match, turn and seat, and messages by match."""

    seals: dict[tuple[str, int, str], str] = field(default_factory=dict)
    said: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def copy(self) -> Acknowledged:
        return Acknowledged(dict(self.seals), {key: set(texts) for key, texts in self.said.items()})

    def missing(
        self, rows: Iterable[tuple[str, int, str, str]], texts: Iterable[tuple[str, str]]
    ) -> list[str]:
        """The acknowledged writes that a database with these seals and messages lacks."""
        kept = {(key, turn, seat): seal for key, turn, seat, seal in rows}
        said = Counter(texts)
        lost = [f"seal {place}" for place, seal in self.seals.items() if not _fits(kept.get(place), seal)]
        lost += [
            f"message {key}: {text}" for key, own in self.said.items() for text in own if not said[key, text]
        ]
        return lost + [f"twice: {place}" for place, count in said.items() if count > 1]


def _fits(kept: str | None, seal: str) -> bool:
    """A page acknowledges a seal without its text."""
    return bool(kept) and (not seal or kept == seal)


class Crowd:
    """The players, from `with` to its end. `step` is where answers are counted."""

    def __init__(self, url: str, trust: ssl.SSLContext, players: int = 3) -> None:
        self.url, self.trust, self.players = url, trust, players
        self.step = Step("before")
        self.steps: list[Step] = []
        self.kept = Acknowledged()
        self.lock, self.stop = Lock(), Event()
        self.acknowledged = self.by_bots = 0
        self.threads = ThreadPoolExecutor(players + 1)
        self.playing: list[Future[None]] = []

    def __enter__(self) -> Crowd:
        self.playing = [self.threads.submit(Player(self, n).play) for n in range(self.players)]
        self.playing.append(self.threads.submit(Player(self, self.players).play_a_bot))
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.stop.set()
        self.threads.shutdown()
        if kind is None:
            self.look()

    def look(self) -> None:
        for one in self.playing:
            if one.done():
                one.result()

    def begin(self, step: Step) -> None:
        with self.lock:
            self.step = step
            self.steps.append(step)

    def goes_on(self, more: int = 20, bots: int = 1) -> float:
        """Waits until so many more requests were acknowledged, and orders of a bot; says for how long."""
        before, by_bots = self.acknowledged, self.by_bots

        def more_are_kept() -> bool:
            self.look()
            return self.acknowledged >= before + more and self.by_bots >= by_bots + bots

        return wait_until(more_are_kept, GIVES_UP)

    def so_far(self) -> Acknowledged:
        with self.lock:
            return self.kept.copy()


class Player:
    """One browser and its programs: at a table after the other, on both seats."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self.crowd, self.chance = crowd, random.Random(number)
        self.client = self._client()

    def _client(self) -> httpx.Client:
        origin = {"Origin": self.crowd.url}
        return httpx.Client(
            base_url=self.crowd.url, verify=self.crowd.trust, timeout=30, trust_env=False, headers=origin
        )

    def play(self) -> None:
        while not self.crowd.stop.is_set():
            with self._client() as self.client:
                self._play_table()

    def play_a_bot(self) -> None:
        """A turn against a bot, again and again: at its start every program is legal."""
        with self.client:
            while not self.crowd.stop.is_set():
                made = self.make(bots={"B": "random"})
                if made and self.seal(made["match"], made["token"], "A", 0):
                    self._wait_for_bot(made["match"], 0)

    def _wait_for_bot(self, key: str, turn: int) -> None:
        began = time.monotonic()
        while not self.crowd.stop.wait(0.3):
            assert time.monotonic() - began < GIVES_UP, f"no bot plays in {key}"
            seen = self.ask("GET", f"/api/v1/matches/{key}")
            if seen and (seen.json()["turn"] > turn or seen.json()["status"] != "playing"):
                self.crowd.by_bots += 1
                return

    def _play_table(self) -> None:
        made = self.make()
        joined = made and self.ask(
            "POST",
            f"/api/v1/matches/{made['match']}/seats",
            {"Idempotency-Key": str(uuid4())},
            json={"name": "Bob", "invite": made["invite"]},
        )
        if not made or not joined:
            return
        key = made["match"]
        self._sit_down(key, joined.json()["token"])
        for turn in range(TURNS):
            if not self.seal(key, made["token"], "A", turn) or not self._by_page(key, turn):
                return
            if turn % 3 == 0:
                self._say(key, f"{key} in turn {turn}")
            self.crowd.stop.wait(self.chance.uniform(*THINKS))
        self.ask(
            "POST",
            f"/api/v1/matches/{key}/resign",
            {"Authorization": f"Bearer {made['token']}", "Idempotency-Key": str(uuid4())},
            json={},
        )

    def make(self, **more: Any) -> dict[str, Any]:
        body = {"game": "pigs", "name": "Alice", **more}
        made = self.ask("POST", "/api/v1/matches", {"Idempotency-Key": str(uuid4())}, json=body)
        return made.json() if made else {}

    def seal(self, key: str, token: str, seat: str, turn: int) -> bool:
        order = " ".join(self.chance.choices(MOVES, k=5))
        answer = self.ask(
            "PUT",
            f"/api/v1/matches/{key}/order",
            {"Authorization": f"Bearer {token}"},
            json={"turn": turn, "order": order},
        )
        if answer:
            with self.crowd.lock:
                self.crowd.kept.seals[key, turn, seat] = answer.json()["seal"]
        return answer is not None

    def _sit_down(self, key: str, token: str) -> None:
        link = f"/s/seat/{token}/"
        self.ask("GET", link)
        self._post(f"{link}take/")

    def _by_page(self, key: str, turn: int) -> bool:
        """Looks at the seat, fetches files that its page names, and seals by its form."""
        page = self.ask("GET", f"/m/{key}/B/")
        if page is None:
            return False
        for path in self.chance.sample(sorted(set(STATIC.findall(page.text))), 3):
            self.ask("GET", path)
        order = " ".join(self.chance.choices(MOVES, k=5))
        sealed = self._post(f"/m/{key}/B/plan/", seal="1", typed=order, turn=str(turn))
        if sealed is not None:
            with self.crowd.lock:
                self.crowd.kept.seals[key, turn, "B"] = ""
        return sealed is not None

    def _say(self, key: str, text: str) -> None:
        if self._post(f"/m/{key}/B/talk/", text=text, once=uuid4().hex) is not None:
            with self.crowd.lock:
                self.crowd.kept.said[key].add(text)

    def _post(self, path: str, **given: str) -> httpx.Response | None:
        token = self.client.cookies.get("__Host-csrf") or ""
        return self.ask("POST", path, data={"csrfmiddlewaretoken": token, **given})

    def ask(self, method: str, path: str, headers: Any = None, **body: Any) -> httpx.Response | None:
        """Asks until it is acknowledged; None if it is to stop. Fails at any answer but 503."""
        began = time.monotonic()
        while time.monotonic() - began < GIVES_UP:
            step, sent = self.crowd.step, time.perf_counter()
            try:
                answer = self.client.request(method, path, headers=headers, **body)
                status, told = answer.status_code, answer.text[:200]
            except httpx.TransportError as fault:
                status, told = 0, repr(fault)
            with self.crowd.lock:
                step.statuses[status] += 1
                if status == 0 or status >= 500:
                    step.failed.append(f"{method} {path}: {status} {told}")
                step.took.append(time.perf_counter() - sent)
                self.crowd.acknowledged += 200 <= status < 400 and method != "GET"
            if 200 <= status < 400:
                return answer
            if status not in (0, 503) and not step.rolling:
                raise AssertionError(f"{method} {path}: {status} {answer.text[:500]}")
            if self.crowd.stop.wait(0.2):
                return None
        raise AssertionError(f"{method} {path} was not acknowledged in {GIVES_UP:.0f} s")
