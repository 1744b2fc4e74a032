"""The queue of reviews to be made: addresses take turns, a few rounds at a time, each stored once done."""

import json
import logging
import time
from collections.abc import Iterable
from threading import RLock, Thread
from typing import Any, NamedTuple

from games.review import VERSION
from robosite.reviews.review_process import PATIENCE, Round, review_in_process
from robosite.share.pictures import drawn_files
from robosite.web.admission import Admission, FairQueue, HeldSlot, Owner

log = logging.getLogger("robosite")

MOST_WAITING, MOST_OF_ONE = 20, 3
"""The most matches in the queue of a process: in total, and for one address."""
MOST_REMEMBERED = 1_000
TRIES = 2
"""Attempts at a round. An attempt also fails if the server is stopped meanwhile."""
FRESH = PATIENCE + 30
"""Seconds after a review's last result in which another process is assumed to be working on it."""


class Task(NamedTuple):
    """A request to review some turns (from 0) of a match, given as JSON data."""

    key: str
    turns_key: str
    record: Any
    wanted: tuple[int, ...]

    @property
    def name(self) -> str:
        return review_name(self.key, self.turns_key)


def review_name(key: str, turns_key: str) -> str:
    """The name under which a review is stored: the match, the key of its turns, the version of reviews."""
    return f"{key}/{turns_key}/review/{VERSION}"


class Found(NamedTuple):
    """The stored part of a review, by turn (from 0); `at` is the Unix time at which it was last stored."""

    rounds: dict[int, Round]
    at: float


def find(name: str) -> Found:
    """The stored part of a review; without rounds if nothing is stored, or it cannot be read."""
    try:
        stored = json.loads(drawn_files.find(name, drawn=False) or b"{}")
        return Found({one["turn"]: one for one in stored["rounds"]}, stored["at"])
    except (ValueError, KeyError, TypeError):
        return Found({}, 0.0)


class ReviewQueue:
    """The queue of reviews to be made, which a thread works through without any database query."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._line: FairQueue[tuple[str, Task]] = FairQueue()
        self.admission = Admission(lambda: MOST_WAITING, lambda: MOST_OF_ONE)
        self.waiting: dict[str, HeldSlot] = {}
        """The slot of each review that is in the queue, by its name."""
        self.displaced: set[str] = set()
        """The names of reviews that lost their slot in the queue and have not got another one."""
        self._running = False

    def is_being_made(self, name: str) -> bool:
        """Returns True if the review with this name is being made, by this process or by another one."""
        return name in self.waiting or (name not in self.displaced and time.time() - find(name).at < FRESH)

    def put(self, owner: Owner, task: Task) -> bool:
        """Adds a review to the queue, unless it is there already; False if there is no room."""
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
        with self._lock:
            del self.waiting[name]
            if len(self.displaced) >= MOST_REMEMBERED:
                self.displaced.clear()
            self.displaced.add(name)

    def wake(self) -> None:
        """Starts a thread that works through the queue, unless one is running or the queue is empty."""
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
        with self._lock:
            while self._line.take():
                pass
            for slot in self.waiting.values():
                self.admission.leave(slot)
            self.waiting.clear()
            self.displaced.clear()


def _some_of(task: Task) -> bool:
    """Computes and stores some missing rounds; True if no work is left, or a round could not be stored."""
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
