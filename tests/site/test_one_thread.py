"""The thread on which all sync code runs: in order, one after another, and to the end."""

from __future__ import annotations

import os
import sys
import threading
from threading import Event

import pytest

from robosite.engine.one_thread import OneThread
from tests.servers import run

AT_THE_END = """
import time
from robosite.engine.one_thread import OneThread

def write():
    time.sleep(0.3)
    print("written", flush=True)

OneThread().submit(write)
"""

FROM_THE_BEGINNING = """
import os
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")
import django
from asgiref.sync import SyncToAsync
django.setup()
before = SyncToAsync.single_thread_executor
import robosite.asgi
print(SyncToAsync.single_thread_executor is before is robosite.engine.one_thread.THREAD)
"""


def test_all_runs_on_one_thread_in_order() -> None:
    thread = OneThread()
    seen: list[int] = []

    def see(at: int) -> int:
        seen.append(at)
        return threading.get_ident()

    given = [thread.submit(see, at) for at in range(50)]
    assert len({future.result(30) for future in given}) == 1 and seen == list(range(50))
    assert threading.get_ident() != given[0].result()
    thread.shutdown()


def test_a_fault_goes_to_who_asked_and_the_thread_goes_on() -> None:
    thread = OneThread()
    with pytest.raises(ZeroDivisionError):
        thread.submit(lambda: 1 // 0).result(30)
    with pytest.raises(SystemExit):
        thread.submit(sys.exit).result(30)
    assert thread.submit(divmod, 7, 2).result(30) == (3, 1)
    thread.shutdown()


def test_what_was_given_up_before_its_turn_is_never_begun() -> None:
    thread, free = OneThread(), Event()
    begun: list[str] = []
    thread.submit(free.wait, 30)
    late = thread.submit(begun.append, "late")
    assert late.cancel()
    free.set()
    thread.shutdown()
    assert not begun


def test_a_process_ends_when_its_thread_has_done_what_it_was_given() -> None:
    assert run("-c", AT_THE_END, env=dict(os.environ)) == "written\n"


def test_a_process_has_the_same_thread_from_the_beginning() -> None:
    """A thread that is replaced leaves its database connection open."""
    assert run("-c", FROM_THE_BEGINNING, env=dict(os.environ)) == "True\n"
