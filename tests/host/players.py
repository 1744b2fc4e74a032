"""People who play through the proxy whatever a host does meanwhile, by pages and by the API."""

from __future__ import annotations

import random
import re
import ssl
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

from tests.faults.drills.load import GIVES_UP, MOVES, Crew

TURNS = 12
"""After so many turns the next table is played."""
STATIC = re.compile(r'(?:href|src)="(/static/[^"]+)"')


@dataclass
class Step:
    """The answers that came during a step; status 0 is a connection that broke."""

    name: str
    rolling: bool = False
    in_place: bool = False
    """True if a release is installed that writes static files anew while they are being sent."""
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
        answers = f"{len(self.took):,} | {self.errors} | {self.statuses[404]} | {self.statuses[0]}"
        times = f"{self.quantile(0.5):.0f} ms | {self.quantile(0.99):.0f} ms"
        return f"| {self.name} | {self.seconds:.0f} | {answers} | {'–' if lost is None else lost} | {times} |"

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


class Crowd(Crew):
    """The players, and one who plays against bots. `step` is where answers are counted."""

    def __init__(self, url: str, trust: ssl.SSLContext, players: int = 3) -> None:
        super().__init__()
        self.url, self.trust = url, trust
        self.plays = [Player(self, n).play for n in range(players)] + [Player(self, players).play_a_bot]
        self.step = Step("before")
        self.steps: list[Step] = []
        self.kept = Acknowledged()
        self.acknowledged = self.by_bots = 0

    def begin(self, step: Step) -> None:
        with self.lock:
            self.step = step
            self.steps.append(step)

    def goes_on(self, more: int) -> float:
        """Waits until so many more requests were acknowledged, and an order of a bot; says for how long."""
        before, by_bots = self.acknowledged, self.by_bots
        return self.plays_until(lambda: self.acknowledged >= before + more and self.by_bots > by_bots)

    def so_far(self) -> Acknowledged:
        with self.lock:
            return self.kept.copy()


class Player:
    """One browser and its programs: at a table after the other, on both seats."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self.crowd, self.chance = crowd, random.Random(number)

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
        with self._client() as self.client:
            while not self.crowd.stop.is_set():
                made = self._make(bots={"B": "random"})
                if made and self._seal(made, 0):
                    self._wait_for_bot(made["match"])

    def _wait_for_bot(self, key: str) -> None:
        began = time.monotonic()
        while not self.crowd.stop.wait(0.3):
            assert time.monotonic() - began < GIVES_UP, f"no bot plays in {key}"
            seen = self.ask("GET", f"/api/v1/matches/{key}")
            if seen and (seen.json()["turn"] or seen.json()["status"] != "playing"):
                self.crowd.by_bots += 1
                return

    def _play_table(self) -> None:
        made = self._make()
        key = made.get("match", "")
        given = {"name": "Bob", "invite": made.get("invite")}
        joined = made and self._api("POST", f"matches/{key}/seats", given)
        if not joined:
            return
        link = f"/s/seat/{joined.json()['token']}/"
        self.ask("GET", link)
        self._post(f"{link}take/")
        for turn in range(TURNS):
            if not self._seal(made, turn) or not self._by_page(key, turn):
                return
            text = f"{key} in turn {turn}"
            if turn % 3 == 0 and self._post(f"/m/{key}/B/talk/", text=text, once=uuid4().hex):
                with self.crowd.lock:
                    self.crowd.kept.said[key].add(text)
            self.crowd.stop.wait(self.chance.uniform(0.1, 0.4))
        self._api("POST", f"matches/{key}/resign", {}, made["token"])

    def _api(self, method: str, path: str, body: Any, token: str = "") -> httpx.Response | None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid4())
        return self.ask(method, f"/api/v1/{path}", headers, json=body)

    def _make(self, **more: Any) -> dict[str, Any]:
        made = self._api("POST", "matches", {"game": "pigs", "name": "Alice", **more})
        return made.json() if made else {}

    def _order(self) -> str:
        return " ".join(self.chance.choices(MOVES, k=5))

    def _seal(self, made: dict[str, Any], turn: int) -> bool:
        """By the API, as Alice."""
        key, body = made["match"], {"turn": turn, "order": self._order()}
        answer = self._api("PUT", f"matches/{key}/order", body, made["token"])
        if answer:
            with self.crowd.lock:
                self.crowd.kept.seals[key, turn, "A"] = answer.json()["seal"]
        return answer is not None

    def _by_page(self, key: str, turn: int) -> bool:
        """Looks at the seat, fetches files that its page names, and seals by its form."""
        page = self.ask("GET", f"/m/{key}/B/")
        for path in self.chance.sample(sorted(set(STATIC.findall(page.text))), 3) if page else ():
            self.ask("GET", path)
        sealed = page and self._post(f"/m/{key}/B/plan/", seal="1", typed=self._order(), turn=str(turn))
        if sealed:
            with self.crowd.lock:
                self.crowd.kept.seals[key, turn, "B"] = ""
        return bool(sealed)

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
                status, told = answer.status_code, answer.text[:500]
            except httpx.TransportError as fault:
                if step.in_place and path.startswith("/static/"):
                    continue
                status, told = 0, repr(fault)
            with self.crowd.lock:
                step.statuses[status] += 1
                if status == 0 or status >= 500:
                    step.failed.append(f"{method} {path}: {status} {told[:200]}")
                step.took.append(time.perf_counter() - sent)
                self.crowd.acknowledged += 200 <= status < 400 and method != "GET"
            if 200 <= status < 400:
                return answer
            assert status in (0, 503) or step.rolling, f"{method} {path}: {status} {told}"
            if self.crowd.stop.wait(0.2):
                return None
        raise AssertionError(f"{method} {path} was not acknowledged in {GIVES_UP:.0f} s")
