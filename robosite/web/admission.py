"""Shares out a limited number of slots (places in a queue, open sockets) fairly among their owners.

While there is room, everybody gets one. At a limit, owners are compared in groups, by network, address and
guest: a request gets a slot only if another group holds more than its own then would, and that group loses
the newest slot of its heaviest owner. So nobody gains by many addresses or guests. At one address, newcomers
never displace guests who are settled (created a day ago), but are displaced by them as soon as they hold
more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from ipaddress import ip_network
from threading import RLock
from typing import Generic, NamedTuple, TypeVar

from robosite.web.addresses import parse_network

WIDER = {4: (16, 24), 6: (32, 48)}
"""The prefix lengths of the networks around an address, by IP version, typical of companies and providers."""
AT_ADDRESS, AT_SETTLED = 2, 3
"""The indices in `Owner.path` of the address and of the flag `settled`."""


class Owner(NamedTuple):
    """A client: a guest ("" if none) at an address (`addresses.counted`); `settled` if created a day ago."""

    address: str
    guest: str = ""
    settled: bool = False

    @property
    def path(self) -> tuple[Hashable, ...]:
        """The keys of the nested groups in which the owner's slots are counted, the widest group first."""
        return (*networks_around(self.address), self.address, self.settled, self.guest)


@lru_cache(4096)
def networks_around(address: str) -> tuple[str, ...]:
    """The networks around an address, the widest first; a host name stands for each of its networks."""
    found = parse_network(address)
    if found is None:
        return (address,) * AT_ADDRESS
    at = found.network_address
    return tuple(str(ip_network((at, prefix), strict=False)) for prefix in WIDER[found.version])


class HeldSlot:
    """A slot in use; `about` names its object, such as a match; `put_out` is called when it is taken away."""

    __slots__ = ("about", "owner", "put_out")

    def __init__(self, owner: Owner, about: str, put_out: Callable[[], object]) -> None:
        self.owner, self.about, self.put_out = owner, about, put_out


class _Group:
    """A node of a tree along `Owner.path`; only leaves have `slots`. `latest`: the newest slot's number."""

    __slots__ = ("latest", "size", "slots", "within")

    def __init__(self) -> None:
        self.size = self.latest = 0
        self.within: dict[Hashable, _Group] = {}
        self.slots: dict[HeldSlot, None] = {}

    def add(self, slot: HeldSlot, path: tuple[Hashable, ...], number: int) -> None:
        self.size, self.latest = self.size + 1, number
        if path:
            self.within.setdefault(path[0], _Group()).add(slot, path[1:], number)
        else:
            self.slots[slot] = None

    def remove(self, slot: HeldSlot, path: tuple[Hashable, ...]) -> None:
        self.size -= 1
        if not path:
            del self.slots[slot]
            return
        within = self.within[path[0]]
        within.remove(slot, path[1:])
        if not within.size:
            del self.within[path[0]]

    def find(self, path: tuple[Hashable, ...]) -> _Group:
        group: _Group | None = self
        for step in path:
            group = group.within.get(step) if group else None
        return group or _Group()

    def heaviest(self, *, besides: Hashable = None) -> _Group | None:
        """Returns the subgroup with the most slots, apart from `besides`; None if there is none."""
        others = [group for step, group in self.within.items() if step != besides]
        return max(others, key=lambda group: (group.size, group.latest), default=None)

    def newest_slot(self, at: int) -> HeldSlot:
        """The newest slot of the heaviest owner; newcomers lose first. `at` is the group's depth."""
        if self.slots:
            return next(reversed(self.slots))
        newcomers = self.within.get(False) if at == AT_SETTLED else None
        heaviest = newcomers or self.heaviest()
        assert heaviest
        return heaviest.newest_slot(at + 1)


class Admission:
    """Shares out the slots of one resource, with limits for all, for each address, and for each object."""

    def __init__(
        self,
        most: Callable[[], float],
        most_of_one: Callable[[], float],
        most_about_one: Callable[[], float] = lambda: float("inf"),
    ) -> None:
        self.most, self.most_of_one, self.most_about_one = most, most_of_one, most_about_one
        self._lock = RLock()
        self._all = _Group()
        self._about: dict[str, _Group] = {}
        self._number = 0
        self.put_out = 0

    def __len__(self) -> int:
        return self._all.size

    def may(self, owner: Owner, about: str = "") -> bool:
        """Returns True if `take` would give this owner a slot now; `about` is the same as for `take`."""
        with self._lock:
            return self._slots_to_evict(owner, about) is not None

    def take(self, owner: Owner, about: str = "", *, put_out: Callable[[], object]) -> HeldSlot | None:
        """Gives the owner a slot, even another's, or None; losing it later calls `put_out`, in any thread."""
        with self._lock:
            gone = self._slots_to_evict(owner, about)
            if gone is None:
                return None
            for one in gone:
                self.leave(one)
            self.put_out += len(gone)
            slot = HeldSlot(owner, about, put_out)
            self._number += 1
            for group in self._groups(about):
                group.add(slot, owner.path, self._number)
        for one in gone:
            one.put_out()
        return slot

    def leave(self, slot: HeldSlot) -> None:
        """Gives a slot back; does nothing if the slot was taken away or given back before."""
        with self._lock:
            if slot not in self._all.find(slot.owner.path).slots:
                return
            for group in self._groups(slot.about):
                group.remove(slot, slot.owner.path)
            if slot.about and not self._about[slot.about].size:
                del self._about[slot.about]

    def _groups(self, about: str) -> Iterator[_Group]:
        yield self._all
        if about:
            yield self._about.setdefault(about, _Group())

    def _slots_to_evict(self, owner: Owner, about: str) -> list[HeldSlot] | None:
        """The slots to take away for the owner: [] if there is room, None if the owner gets no slot."""
        path, gone = owner.path, list[HeldSlot]()
        own = path[: AT_ADDRESS + 1]
        of_table = self._about.get(about, _Group())
        bounds = (
            (
                self._all.find(own),
                len(own),
                self.most_of_one(),
                lambda one: one.owner.address == owner.address,
            ),
            (of_table, 0, self.most_about_one(), lambda one: one.about == about),
            (self._all, 0, self.most(), lambda one: True),
        )
        for group, at, most, counts in bounds:
            if group.size - sum(map(counts, gone)) < most:
                continue
            one = _to_put_out(group, path, at)
            if one is None:
                return None
            gone.append(one)
        return gone


def _to_put_out(group: _Group, path: tuple[Hashable, ...], at: int) -> HeldSlot | None:
    """The slot that another owner in the group loses for that of `path`; None if no group is heavier."""
    for step in range(at, len(path)):
        own = group.within.get(path[step])
        other = group.heaviest(besides=path[step])
        if step == AT_SETTLED:
            if path[step] and other and other.size > (own.size if own else 0):
                return other.newest_slot(step + 1)  # the slot of a newcomer
        elif other and other.size > (own.size if own else 0) + 1:
            return other.newest_slot(step + 1)
        if own is None:
            return None
        group = own
    return None


Item = TypeVar("Item")


class FairQueue(Generic[Item]):
    """A queue in which owners take turns, and the tables (such as matches) of each owner."""

    def __init__(self) -> None:
        self.owners: dict[Hashable, dict[Hashable, deque[Item]]] = {}

    def __len__(self) -> int:
        return sum(len(items) for tables in self.owners.values() for items in tables.values())

    def put(self, owner: Hashable, table: Hashable, item: Item) -> None:
        """Adds an item for an owner; `table` is the object that the item is about, such as a match."""
        self.owners.setdefault(owner, {}).setdefault(table, deque()).append(item)

    def take(self) -> Item | None:
        """Removes and returns the next item, or None; its owner and its table move behind the others."""
        if not self.owners:
            return None
        owner = next(iter(self.owners))
        tables = self.owners.pop(owner)
        table = next(iter(tables))
        items = tables.pop(table)
        item = items.popleft()
        if items:
            tables[table] = items
        if tables:
            self.owners[owner] = tables
        return item
