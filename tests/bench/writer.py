"""One address that writes as much as its limits allow: what it leaves behind, and what pruning takes.

`make writer N=60` lets it write for so many minutes, on the PostgreSQL of TEST_POSTGRES_URL, through one
process with its limits. Then `manage.py prune` runs as on the days after, with a clock put forward.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import httpx
import psycopg

from tests.bench.figures import Row, Section, tell
from tests.faults.drills.load import MOVES
from tests.servers import Server, new_database, run

LATER = {"a day and an hour": 25 / 24, "40 days": 40, "400 days": 400}
"""The days from the end of the writing to each run of pruning."""
MESSAGE, NOTE = 500, 1000
"""Letters of the longest message, and of the longest note of a turn."""
IMPORTED = Path(__file__).parent.parent / "games" / "records"
PAGES = 20
"""Turns that are sealed by pages before another match is made."""


class Writer:
    """One address: programs that play through the API, and people who play, talk and import by pages."""

    def __init__(self, url: str) -> None:
        self.url, self.ended = url, Event()
        self.done: Counter[str] = Counter()

    def write(self, minutes: float) -> None:
        kinds = (self.play, self.play, self.draft, self.use_pages, self.use_pages, self.import_records)
        with ThreadPoolExecutor(len(kinds)) as threads:
            working = [threads.submit(self._again, kind) for kind in kinds]
            self.ended.wait(minutes * 60)
            self.ended.set()
        for one in working:
            one.result()

    def _again(self, kind: Callable[[httpx.Client], None]) -> None:
        while not self.ended.is_set():
            headers = {"Origin": self.url}
            with httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False) as client:
                kind(client)

    def ask(self, client: httpx.Client, what: str, method: str, path: str, **given: Any) -> httpx.Response:
        """Asks until it is done, and waits as long as the site says; counts what was done and refused."""
        while True:
            answer = client.request(method, path, **given)
            if answer.status_code != 429 or self.ended.is_set():
                assert answer.status_code < 400 or answer.status_code == 429, (
                    f"{method} {path}: {answer.text}"
                )
                self.done[what] += answer.status_code < 400
                return answer
            self.done["refused for a while"] += 1
            self.ended.wait(float(answer.headers["Retry-After"]))

    def _api(self, client: httpx.Client, what: str, method: str, path: str, token: str, **body: Any) -> Any:
        headers = {"Idempotency-Key": str(uuid4())} | ({"Authorization": f"Bearer {token}"} if token else {})
        answer = self.ask(client, what, method, f"/api/v1/{path}", headers=headers, json=body)
        return answer.json() if answer.is_success and answer.content else {}

    def _table(self, client: httpx.Client) -> tuple[str, list[str]]:
        made = self._api(client, "matches by the API", "POST", "matches", "", game="pigs", name="Ann")
        if not made:
            return "", []
        path = f"matches/{made['match']}"
        joined = self._api(
            client, "seats by the API", "POST", f"{path}/seats", "", name="Ben", invite=made["invite"]
        )
        return path, [made["token"], joined.get("token", "")]

    def play(self, client: httpx.Client) -> None:
        path, tokens = self._table(client)
        for turn in range(PAGES):
            for token in tokens:
                if self.ended.is_set():
                    return
                order = " ".join(random.choices(MOVES, k=5))
                sealed = self._api(
                    client, "seals by the API", "PUT", f"{path}/order", token, turn=turn, order=order
                )
                if not sealed:
                    return

    def draft(self, client: httpx.Client) -> None:
        """Keeps a table with each draft, which is never played."""
        path, tokens = self._table(client)
        for token in tokens:
            order = " ".join(random.choices(MOVES, k=5))
            self._api(client, "drafts by the API", "PUT", f"{path}/draft", token, turn=0, order=order)

    def _post(self, client: httpx.Client, what: str, path: str, **given: str) -> httpx.Response:
        token = client.cookies.get("csrf") or client.cookies.get("csrftoken") or ""
        return self.ask(client, what, "POST", path, data={"csrfmiddlewaretoken": token, **given})

    def use_pages(self, client: httpx.Client) -> None:
        """Makes a match, plans and talks in it until the limits say that it is enough for now."""
        self.ask(client, "pages", "GET", "/")
        made = self._post(
            client, "matches by pages", "/matches/", game="pigs", seats="2", name="Ann", once=uuid4().hex
        )
        seat = made.headers.get("Location", "").partition("?")[0]
        for _ in range(PAGES):
            if self.ended.is_set() or not seat.startswith("/m/"):
                return
            order = " ".join(random.choices(MOVES, k=5))
            self._post(client, "drafts by pages", f"{seat}plan/", use="1", typed=order, turn="0")
            self._post(client, "messages", f"{seat}talk/", text=_text(MESSAGE), once=uuid4().hex)
            self._post(client, "notes", f"{seat}notes/", note=_text(NOTE), turn="0")

    def import_records(self, client: httpx.Client) -> None:
        self.ask(client, "pages", "GET", "/import/")
        record = random.choice(sorted(IMPORTED.glob("*.json")))
        self._post(client, "records imported", "/import/", record=record.read_text(), once=uuid4().hex)


def _text(length: int) -> str:
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz ", k=length)).strip()


def sizes(url: str) -> Counter[str]:
    """Bytes of each table with its indexes, after VACUUM FULL."""
    with psycopg.connect(url, autocommit=True) as postgres:
        postgres.execute("VACUUM FULL")
        rows = postgres.execute(
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchall()
    return Counter(dict(rows))


def _section(name: str, now: Counter[str], before: Counter[str]) -> Section:
    grown = now - before
    section = Section(f"{name}: {grown.total() / 1e6:,.1f} MB")
    section.rows += [
        Row(table, remark=f"{size / 1e6:,.2f} MB") for table, size in grown.most_common(12) if size > 20_000
    ]
    return section


def main() -> None:
    minutes = float(sys.argv[1]) if sys.argv[1:] else 60
    address = os.environ["TEST_POSTGRES_URL"]
    with tempfile.TemporaryDirectory(prefix="robosite-writer-") as folder, new_database(address) as url:
        data = Path(folder)
        with Server(data, DATABASE_URL=url, LIMITS="on") as site:
            before, began = sizes(url), time.monotonic()
            writer = Writer(site.url)
            writer.write(minutes)
            took = (time.monotonic() - began) / 60
            env = site.env
        sections = [_section(f"After {took:.0f} minutes", sizes(url), before)]
        for name, days in LATER.items():
            (data / "shift").write_text(str(days * 86400))
            run("-m", "tests.faults.drills.shifted", str(data / "shift"), "prune", "--yes", env=env)
            sections.append(_section(f"Pruned {name} later", sizes(url), before))
    print("done: " + ", ".join(f"{count:,} {what}" for what, count in writer.done.most_common()), end="\n\n")
    tell(*sections)


if __name__ == "__main__":
    main()
