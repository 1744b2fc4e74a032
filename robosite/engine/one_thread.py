"""The one thread on which a process runs all its sync code.

asgiref would take a pool of one thread. This one keeps the room behind its frames (`frame_room.py`), which
would have to be mapped and unmapped for each request otherwise.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

from robosite.engine.frame_room import with_room

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class OneThread(Executor):
    """Runs what it is given one after another, on a thread that begins with the first of it."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._at_work = False
        self._beginning = Lock()
        self._thread: Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether something is to be done before what it would be given now."""
        return self._at_work or not self._jobs.empty()

    def submit(
        self, fn: Callable[Given, Answer], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Answer]:
        future: Future[Answer] = Future()
        self._jobs.put((future, partial(fn, *args, **kwargs)))
        if self._thread is None:
            self._begin()
        return future

    def _begin(self) -> None:
        with self._beginning:
            if self._thread is None:
                self._thread = Thread(target=self._work, name="sync code", daemon=True)
                self._thread.start()
                atexit.register(self.shutdown)

    @with_room
    def _work(self) -> None:
        while job := self._jobs.get():
            self._at_work = True
            _do(*job)
            self._at_work = False
            del job  # so that nothing is kept while it waits

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the thread once it has done what it was given before."""
        self._jobs.put(None)
        if wait and self._thread is not None:
            self._thread.join()


THREAD = OneThread()
"""For requests, and for whatever asgiref hands to a thread: sockets, the clock, bots (`apps.py`)."""


def _do(future: Future[Any], call: Callable[[], Any]) -> None:
    """Calls it, unless its caller has given up, and tells what came of it."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        answer = call()
    except BaseException as fault:
        future.set_exception(fault)
    else:
        future.set_result(answer)
