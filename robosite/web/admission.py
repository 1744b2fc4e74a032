"""Shares out a limited number of slots fairly among their owners.

A slot is the right to use a part of a limited resource, such as an entry in a queue, an open socket or an
open stream. While there is room, every request gets a slot. When a limit is reached, the owners are compared
in groups: first by network, then by address, then by guest. A request then gets a slot only if, at one of
these levels, another group holds more slots than the requesting group would hold with the new slot. The other
group then loses the newest slot of its owner with the most slots, and the slot's callback `put_out` is
called.

Two groups with equally many slots cannot displace each other, and nobody can fill a queue by using many
addresses of one network, or many guests at one address.

A guest is settled if they were created at least a day ago. At one address, guests who are not settled never
displace settled guests. Settled guests displace the others as soon as the others together hold more slots
than the settled guests do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from ipaddress import ip_network
from threading import RLock
from typing import NamedTuple

from robosite.web.addresses import parse_network

WIDER = {4: (16, 24), 6: (32, 48)}
"""The prefix lengths of the networks around an address, by IP version.

They are typical of the networks of companies and providers.
"""
AT_ADDRESS, AT_SETTLED = 2, 3
"""The indices in `Owner.path` of the address and of the flag `settled`."""


class Owner(NamedTuple):
    """A client to whom slots of a limited resource, such as open sockets, can be given.

    A client is a guest at an address. `address` is the key that `addresses.counted` returns for the client's
    address. `guest` is the guest's ID, or "" if there is no guest. `settled` is True if the guest was created
    at least a day ago.
    """

    address: str
    guest: str = ""
    settled: bool = False

    @property
    def path(self) -> tuple[Hashable, ...]:
        """The keys of the nested groups in which the owner's slots are counted, the widest group first."""
        return (*networks_around(self.address), self.address, self.settled, self.guest)


@lru_cache(4096)
def networks_around(address: str) -> tuple[str, ...]:
    """The networks around an IP address, as text in CIDR notation, the widest first.

    `address` is a key that `addresses.counted` has returned. If the key is a host name instead of an IP
    address, it takes the place of each network.
    """
    found = parse_network(address)
    if found is None:
        return (address,) * AT_ADDRESS
    at = found.network_address
    return tuple(str(ip_network((at, prefix), strict=False)) for prefix in WIDER[found.version])


class HeldSlot:
    """A slot, such as an entry in a queue or an open socket, that is in use by `owner`.

    `about` names the object for which the slot is used, such as a match; "" if there is none. `put_out` is
    called when the slot is taken away from the owner.
    """

    __slots__ = ("about", "owner", "put_out")

    def __init__(self, owner: Owner, about: str, put_out: Callable[[], object]) -> None:
        self.owner, self.about, self.put_out = owner, about, put_out


class _Group:
    """A node in the tree of all slots that are in use: the slots of a network, an address or a guest.

    `within` maps keys to subgroups; the keys are the next elements of `Owner.path`. `slots` has the slots of
    a guest, the oldest first, and is empty in wider groups. `size` is the number of all slots in the group.
    `latest` is the serial number of the slot that was added last.
    """

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
        """Returns the group at the end of `path` (a part of `Owner.path`).

        If nobody holds a slot there, returns a new empty group.
        """
        group: _Group | None = self
        for step in path:
            group = group.within.get(step) if group else None
        return group or _Group()

    def heaviest(self, *, besides: Hashable = None) -> _Group | None:
        """Returns the subgroup with the most slots, or None if there is no subgroup."""
        others = [group for step, group in self.within.items() if step != besides]
        return max(others, key=lambda group: (group.size, group.latest), default=None)

    def newest_slot(self, at: int) -> HeldSlot:
        """Returns the slot to take away from this group: the newest slot of the owner with the most slots.

        Among guests at one address, those created less than a day ago lose their slots first. `at` is the
        depth of this group in the tree: its subgroups have the elements `Owner.path[at]` as keys.
        """
        if self.slots:
            return next(reversed(self.slots))
        newcomers = self.within.get(False) if at == AT_SETTLED else None
        heaviest = newcomers or self.heaviest()
        assert heaviest
        return heaviest.newest_slot(at + 1)


class Admission:
    """Shares out the slots of one resource fairly, within limits on the number of slots in use.

    The limits are functions, called at each request for a slot: `most` (in total), `most_of_one` (for each
    address) and `most_about_one` (for each object, such as a match, for which slots are used). When a limit
    is reached, an owner with fewer slots can take a slot away from an owner with more.
    """

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
        """The number of slots that have been taken away from their owners so far."""

    def __len__(self) -> int:
        return self._all.size

    def may(self, owner: Owner, about: str = "") -> bool:
        """Returns True if `take` would give this owner a slot now; `about` is the same as for `take`."""
        with self._lock:
            return self._slots_to_evict(owner, about) is not None

    def take(self, owner: Owner, about: str = "", *, put_out: Callable[[], object]) -> HeldSlot | None:
        """Gives the owner a slot and returns it; returns None if the owner gets no slot.

        If a limit is reached, the slot may be taken away from an owner with more slots. `about` names the
        object for which the slot is used, such as a match. `put_out` is called, in any thread, if the new
        slot is taken away later.
        """
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
        """Chooses the slots to take away from other owners so that this owner gets a slot.

        Returns [] if there is room already, and None if the owner gets no slot.
        """
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
    """Chooses the slot that another owner in this group loses so that the requesting owner gets a slot.

    `path` is the `Owner.path` of the requesting owner. Returns None if that owner gets no slot. `at` is the
    depth of `group` in the tree: its subgroups have the elements `Owner.path[at]` as keys.
    """
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
