"""The queue of reviews to be made: it serves addresses in rotation, a few rounds of one review at a time.

Results are stored with the pictures (`share/pictures/drawn_files.py`), within the same limits. Each round is
stored as soon as it is done, so later requests find it even after a restart.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable
from threading import RLock, Thread
from typing import Any, NamedTuple

from games.review import VERSION
from robosite.reviews.review_process import PATIENCE, Round, review_in_process
from robosite.share.pictures import drawn_files
from robosite.web.admission import Admission, HeldSlot, Owner
from robosite.web.fair_queue import FairQueue

log = logging.getLogger("robosite")

MOST_WAITING, MOST_OF_ONE = 20, 3
"""The maximum number of matches in the queue of a process: in total, and for one address."""
MOST_REMEMBERED = 1_000
"""The maximum number of reviews displaced from the queue that a process remembers."""
TRIES = 2
"""The number of attempts at a round. An attempt also fails if the server is stopped meanwhile."""
FRESH = PATIENCE + 30
"""Seconds after a review's last result during which another process is assumed to be working on the review.
"""


class Task(NamedTuple):
    """A request to review some turns of a match.

    `key` is the match's key. `turns_key` identifies the match's turns (`complete_reviews.turns_key`).
    `record` is the match's record as JSON data. `wanted` are the turns to review, counted from 0.
    """

    key: str
    turns_key: str
    record: Any
    wanted: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name under which the review that this task makes is stored."""
        return review_name(self.key, self.turns_key)


def review_name(key: str, turns_key: str) -> str:
    """The name under which a review is stored: the match, the key of its turns, the version of reviews."""
    return f"{key}/{turns_key}/review/{VERSION}"


class Found(NamedTuple):
    """The stored part of a match's review: the reviewed turns, by turn (counted from 0).

    `at` is the time, in Unix seconds, at which the last one was stored.
    """

    rounds: dict[int, Round]
    at: float


def find(name: str) -> Found:
    """Reads the stored part of a review.

    The result has no rounds if nothing is stored, or if the stored file cannot be read.
    """
    try:
        stored = json.loads(drawn_files.find(name, drawn=False) or b"{}")
        return Found({one["turn"]: one for one in stored["rounds"]}, stored["at"])
    except (ValueError, KeyError, TypeError):
        return Found({}, 0.0)


class ReviewQueue:
    """The queue of reviews to be made; a few turns of each review are computed, then the next one is served.

    A thread works through the queue, and ends when the queue is empty. The thread makes no database queries,
    since a task contains all that it needs.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._line: FairQueue[tuple[str, Task]] = FairQueue()
        self.admission = Admission(lambda: MOST_WAITING, lambda: MOST_OF_ONE)
        self.waiting: dict[str, HeldSlot] = {}
        """The slot in the queue of each review that is in the queue, by the review's name."""
        self.displaced: set[str] = set()
        """The names of reviews that lost their slot in the queue and have not got another one."""
        self._running = False

    def is_being_made(self, name: str) -> bool:
        """Returns True if the review with this name is being made, by this process or by another one."""
        return name in self.waiting or (name not in self.displaced and time.time() - find(name).at < FRESH)

    def put(self, owner: Owner, task: Task) -> bool:
        """Adds a review to the queue, unless it is in the queue already.

        Returns True if the review has been added or was in the queue already, and False if there is no room.
        """
        with self._lock:
            if task.name in self.waiting:
                return True
            slot = self.admission.take(owner, put_out=lambda: self._lose(task.name))
            if slot is None:
                return False
            self.waiting[task.name] = slot
            self.displaced.discard(task.name)
            self._line.put(owner.address, task.key, (owner.address, task))
            return True

    def _lose(self, name: str) -> None:
        """Removes a review from the queue, to make room for another client's; finished rounds stay stored."""
        with self._lock:
            del self.waiting[name]
            if len(self.displaced) >= MOST_REMEMBERED:
                self.displaced.clear()
            self.displaced.add(name)

    def wake(self) -> None:
        """Starts a thread that works through the queue, unless a thread is running or the queue is empty."""
        with self._lock:
            if self._running or not len(self._line):
                return
            self._running = True
        Thread(target=self.work_off, name="reviews", daemon=True).start()

    def work_off(self) -> None:
        """Makes the reviews in the queue, some rounds of each in turn, until the queue is empty."""
        while True:
            with self._lock:
                taken = self._line.take()
                if taken is None:
                    self._running = False
                    return
            address, task = taken
            if task.name not in self.waiting:
                continue
            try:
                done = _some_of(task)
            except Exception:
                log.exception("a review cannot be made")
                done = True
            with self._lock:
                if done and (slot := self.waiting.pop(task.name, None)):
                    self.admission.leave(slot)
                elif task.name in self.waiting:
                    self._line.put(address, task.key, taken)

    def clear(self) -> None:
        """Empties the queue (for tests)."""
        with self._lock:
            while self._line.take():
                pass
            for slot in self.waiting.values():
                self.admission.leave(slot)
            self.waiting.clear()
            self.displaced.clear()


def _some_of(task: Task) -> bool:
    """Computes some missing rounds of a review and stores each of them; returns True if no work is left.

    If a round cannot be stored, gives the review up and returns True, even if work is left.
    """
    before = find(task.name).rounds
    missing = missing_of(task.wanted, before)
    if not missing:
        return True
    rounds = before
    for one in review_in_process(task.record, missing, awaited=not before):
        turn = one["turn"]
        if "failed" in one:
            one["failed"] = before.get(turn, {}).get("failed", 0) + 1
            log.warning("turn %d of match %s could not be reviewed", turn, task.key)
        _store(task.name, Found(find(task.name).rounds | {turn: one}, time.time()))
        rounds = find(task.name).rounds
        if turn not in rounds:
            return True  # not stored, as on a full disk: trying again would never end
    return not missing_of(task.wanted, rounds)


def _store(name: str, found: Found) -> None:
    text = json.dumps({"at": found.at, "rounds": list(found.rounds.values())})
    drawn_files.store(name, text.encode(), drawn=False)


def missing_of(wanted: Iterable[int], rounds: dict[int, Round]) -> list[int]:
    """The wanted turns whose reviews are not done, in the order of `wanted`."""
    return [turn for turn in wanted if turn not in rounds or 0 < rounds[turn].get("failed", 0) < TRIES]


review_queue = ReviewQueue()
