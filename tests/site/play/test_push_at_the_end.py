"""A push that a request sends while its process ends keeps nobody: the process ends."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from asgiref.sync import sync_to_async

from robosite.matches.live import push


@pytest.mark.parametrize("when", ["while it ends", "after its end"])
def test_a_push_does_not_wait_for_a_loop_that_has_ended(when: str) -> None:
    loop, at_work, may_end, ended = asyncio.new_event_loop(), *(threading.Event() for _ in range(3))

    def request() -> None:
        loop.call_soon_threadsafe(end)
        at_work.wait(30)
        if when == "after its end":
            may_end.set()
            while loop.is_running():
                time.sleep(0.01)
        threading.Timer(0.2, may_end.set).start()
        try:
            push._send({"type": "look"})
        except TimeoutError:
            pass  # what it would have told is found by the next look
        finally:
            ended.set()

    def end() -> None:
        """The loop's last deed; what the request asks of it meanwhile is not done any more."""
        at_work.set()
        may_end.wait(30)
        loop.stop()

    task = loop.create_task(sync_to_async(request, thread_sensitive=False)())
    loop.run_forever()
    try:
        assert ended.wait(30)
    finally:
        loop.run_until_complete(asyncio.wait([task], timeout=60))
        loop.close()
