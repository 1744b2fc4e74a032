"""Presence: a match's page shows which other players have it open now, except those who hide it.

Each process keeps it in memory for its own sockets, and reports it over the channel layer.
"""

import asyncio
from collections import Counter, defaultdict
from secrets import token_hex
from typing import Any
from weakref import WeakKeyDictionary

from robosite.matches.live import push
from robosite.matches.live.push import Hub, Message, hub

PlayerHere = tuple[str, int]
"""The seat's letter, and the guest's primary key."""

KEY = "presence"
"""The key under which processes receive each other's reports; no match has such a key."""
GATHERS = 1.0
"""Seconds for which changes are collected, so that a page that is reloaded is not reported as closed."""
FORGOTTEN_AFTER = 3 * push.ASKS_EVERY
"""Seconds after which a process's reports are dropped, unless it has made new ones."""


class Presence:
    """The players who have pages of matches open, in this process and as other processes report them.

    A process reports those of a match when they change, when asked, and every `push.ASKS_EVERY` seconds.
    """

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.process = token_hex(6)
        self.pages: Counter[str] = Counter()
        """The number of seats' pages open in this process, by the match's key."""
        self.shown: defaultdict[str, Counter[PlayerHere]] = defaultdict(Counter)
        """The number of pages that a player who may be seen has open in this process, by match and player."""
        self.elsewhere: dict[str, dict[str, tuple[float, frozenset[PlayerHere]]]] = {}
        """Other processes' last reports, by the match's key and process: the time, and the players."""
        self.told: dict[str, frozenset[PlayerHere]] = {}
        self.changed: set[str] = set()
        self.asked: set[str] = set()
        self.timer: asyncio.TimerHandle | None = None
        self.tasks: set[asyncio.Task[None]] = set()

    async def enter(self, key: str, player: PlayerHere, *, shown: bool) -> None:
        """Counts a seat's page as open in the match `key`; with `shown`, the other players can see that."""
        if not self.pages:
            await self.hub.add(KEY, self.hear)
        if not self.pages[key]:
            self.asked.add(key)
        self.pages[key] += 1
        if shown:
            self.shown[key][player] += 1
        self._soon(key)

    def leave(self, key: str, player: PlayerHere, *, shown: bool) -> None:
        """Counts a page as closed that `enter` counted as open."""
        self.pages[key] -= 1
        if shown:
            self.show(key, player, shown=False)
        if not self.pages[key]:
            del self.pages[key]
            self.elsewhere.pop(key, None)
            self.told.pop(key, None)
        if not self.pages:
            self.hub.remove(KEY, self.hear)
        self._soon(key)

    def show(self, key: str, player: PlayerHere, *, shown: bool) -> None:
        """Lets the other players in the match `key` see that a page is open; hides it if `shown` is False."""
        self.shown[key][player] += 1 if shown else -1
        if not self.shown[key][player]:
            del self.shown[key][player]
        if not self.shown[key]:
            del self.shown[key]
        self._soon(key)

    def at(self, key: str) -> frozenset[PlayerHere]:
        """The players who have a page of the match `key` open, in any process, and may be seen."""
        others = (players for _at, players in self.elsewhere.get(key, {}).values())
        return frozenset(self.shown.get(key, ())).union(*others)

    def hear(self, message: Message) -> None:
        """Handles another process's report; at `push.HOLDS`, drops old reports and reports again."""
        if message["type"] == "holds":
            self._forget()
            self._tell(self.shown)
        if message["type"] != "present" or message["process"] == self.process:
            return
        for key, players in message["open"].items():
            if key in self.pages:
                there = frozenset((str(letter), int(guest)) for letter, guest in players)
                self.elsewhere.setdefault(key, {})[message["process"]] = self._now(), there
                self._pass_on(key)
        if message["asks"]:
            self._soon(*(self.shown.keys() & message["open"].keys()))

    def _soon(self, *keys: str) -> None:
        self.changed.update(keys)
        if self.timer is None and self.changed:
            self.timer = asyncio.get_running_loop().call_later(GATHERS, self._tell_changes)

    def _tell_changes(self) -> None:
        changed, asked = self.changed, self.asked
        self.timer, self.changed, self.asked = None, set(), set()
        for key in changed:
            self._pass_on(key)
        self._tell(changed & asked, asks=True)
        self._tell(changed - asked)

    def _tell(self, keys: Any, *, asks: bool = False) -> None:
        keys = sorted(keys)
        for start in range(0, len(keys), push.AT_ONCE):
            some = keys[start : start + push.AT_ONCE]
            open_ = {key: [list(player) for player in self.shown.get(key, ())] for key in some}
            message = {"type": "present", "match": KEY, "process": self.process, "open": open_, "asks": asks}
            task = asyncio.get_running_loop().create_task(push.deliver(message))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    def _pass_on(self, key: str) -> None:
        now = self.at(key)
        if key in self.pages and now != self.told.get(key, frozenset()):
            self.told[key] = now
            for listener in tuple(self.hub.listeners.get(key, ())):
                listener({"type": "present", "match": key})

    def _forget(self) -> None:
        oldest = self._now() - FORGOTTEN_AFTER
        for key, told in self.elsewhere.items():
            for process in [process for process, (at, _players) in told.items() if at < oldest]:
                del told[process]
                self._pass_on(key)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


_presences: WeakKeyDictionary[Hub, Presence] = WeakKeyDictionary()


def presence() -> Presence:
    ours = hub()
    if ours not in _presences:
        _presences[ours] = Presence(ours)
    return _presences[ours]
