"""However many ask at the same instant, no more pass than may: in one process, and in several on Redis."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from robosite.web import limits
from robosite.web.bounds import BUCKETS, Bucket
from tests.servers import ROOT

MAY = BUCKETS["login"].capacity

PROGRAM = """
import sys, threading
import django
django.setup()
from robosite.web import limits
threads, asks = int(sys.argv[1]), int(sys.argv[2])
passed, gate = [], threading.Barrier(threads + 1)
def ask():
    limits.wait("post", "somebody else")  # so that there is a connection
    while True:
        gate.wait()
        for _ in range(asks):
            passed.append(limits.wait("login", who) == 0)
        gate.wait()
for _ in range(threads):
    threading.Thread(target=ask, daemon=True).start()
print("ready", flush=True)
for who in sys.stdin:
    passed.clear()
    gate.wait()
    gate.wait()
    print(sum(passed), flush=True)
"""


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns as often as they can, so that what can come between does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.integration
def test_processes_that_ask_at_once_let_pass_what_one_would(redis_url: str) -> None:
    env = {
        **os.environ,
        "REDIS_URL": redis_url,
        "REDIS_PREFIX": f"tests-{uuid4().hex}",
        "LIMITS": "on",
        "DJANGO_SETTINGS_MODULE": "robosite.settings",
    }
    command = [sys.executable, "-c", PROGRAM, "4", "5"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    running = [subprocess.Popen(command, cwd=ROOT, env=env, **pipes) for _ in range(3)]
    try:
        assert {said(one) for one in running} == {"ready"}
        for n in range(10):
            for one in running:
                one.stdin.write(f"192.0.2.{n}\n")
            assert sum(int(said(one)) for one in running) == MAY
    finally:
        for one in running:
            one.kill()
            one.communicate()


def said(one: subprocess.Popen[str]) -> str:
    assert one.stdout
    return one.stdout.readline().strip()


def test_of_guesses_at_once_so_many_are_made_however_many_right_ones_come_between(
    settings: Any, quick_switches: None
) -> None:
    """Each is counted before it is made; only the right ones are given back."""
    settings.LIMITS, settings.REDIS_URL = "on", ""
    settings.BUCKETS = {**settings.BUCKETS, "phrase": Bucket(8, 0.01)}
    for _ in range(30):
        made: list[str] = []
        use, gate = ("phrase", uuid4().hex), threading.Barrier(8)

        def guess(right: bool, use: Any = use, made: list[str] = made, gate: Any = gate) -> None:
            gate.wait()
            for _ in range(20):
                if limits.wait_for([use]) == 0:
                    made.append("right" if right else "wrong")
                    if right:
                        limits.give_back([use])

        threads = [threading.Thread(target=guess, args=[n % 2 == 0]) for n in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert made.count("wrong") <= 8
        assert limits.wait_for([use]) == 0 if made.count("wrong") < 8 else limits.wait_for([use]) > 0


def test_threads_that_ask_at_once_let_pass_what_one_would(settings: Any, quick_switches: None) -> None:
    settings.LIMITS, settings.REDIS_URL = "on", ""
    settings.BUCKETS = {**settings.BUCKETS, "talk": Bucket(8, 1)}
    for _ in range(30):
        passed: list[bool] = []
        who, gate = uuid4().hex, threading.Barrier(8)

        def ask(who: str = who, passed: list[bool] = passed, gate: threading.Barrier = gate) -> None:
            gate.wait()
            passed += [limits.wait("talk", who) == 0 for _ in range(5)]

        made = [threading.Thread(target=ask) for _ in range(8)]
        for one in made:
            one.start()
        for one in made:
            one.join()
        assert sum(passed) == 8
