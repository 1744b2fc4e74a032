"""A pool of worker processes in which bots think: started when needed, and killed if they hang."""

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Any

from robosite.bots.worker import Question

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
"""Seconds without an answer after which a question has failed and its process is killed. It is long, since
a machine may be overloaded; a busy process ends earlier, by `worker.PROCESSOR_SECONDS`."""
LONGEST = 1 << 20
INHERITED = ("PATH", "LANG", "SYSTEMROOT")
"""The environment variables that worker processes inherit: none has a key or address of the site."""


class Failed(Exception):
    """Raised if a question gets no answer: the process died or hung, or the bot raised an exception."""


class Pool:
    """A pool of at most `size` worker processes, each of which answers one question at a time."""

    def __init__(self, size: int) -> None:
        self.idle: asyncio.LifoQueue[Process | None] = asyncio.LifoQueue()
        for _ in range(size):
            self.idle.put_nowait(None)
        self.running: set[Process] = set()

    async def warm_up(self) -> None:
        """Starts a process if none is idle, so that the first question need not wait for one to start."""
        process = await self.idle.get()
        self.idle.put_nowait(process or await self._start())

    async def ask(self, question: Question) -> Any:
        """Asks an idle process and returns its answer; raises Failed if none comes in PATIENCE seconds."""
        process = await self.idle.get()
        answer = None
        try:
            process = process or await self._start()
            answer = await asyncio.wait_for(_ask(process, question), PATIENCE)
        except (TimeoutError, OSError, ValueError) as fault:
            raise Failed(f"no answer: {fault!r}") from None
        finally:
            if answer is None and process:
                self._kill(process)
                process = None
            self.idle.put_nowait(process)
        if "fault" in answer:
            raise Failed(answer["fault"])
        return answer["answer"]

    def close(self) -> None:
        for process in tuple(self.running):
            self._kill(process)

    async def _start(self) -> Process:
        command = (sys.executable, "-m", "robosite.bots.worker")
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=ROOT,
            env={name: os.environ[name] for name in INHERITED if name in os.environ},
            limit=LONGEST,
        )
        self.running.add(process)
        return process

    def _kill(self, process: Process) -> None:
        self.running.discard(process)
        with contextlib.suppress(ProcessLookupError):
            process.kill()


async def _ask(process: Process, question: Question) -> dict[str, Any]:
    assert process.stdin and process.stdout
    process.stdin.write(question.packed())
    await process.stdin.drain()
    line = await process.stdout.readline()
    answer: dict[str, Any] = json.loads(line or b"null")
    if not isinstance(answer, dict):
        raise ValueError("the process died")
    return answer
