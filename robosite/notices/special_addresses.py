"""Decides which addresses are on the public internet, by IANA's registries, stored as data beside this file.

`special_addresses.csv` has IANA's special-purpose address registries for IPv4 and IPv6, the reserved blocks
of its address spaces, and public addresses at which clouds serve data for their own machines only. So the
result does not depend on Python's own list, which differs between versions.
"""

from __future__ import annotations

import csv
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).with_suffix(".csv")

_NAT64 = IPv6Network("64:ff9b::/96")


class Block(NamedTuple):
    """A row of a registry. `globally_reachable` is False also where the registry has N/A."""

    network: IPv4Network | IPv6Network
    name: str
    globally_reachable: bool


@cache
def blocks() -> tuple[Block, ...]:
    """All rows, the smallest blocks first: the first one that contains an address decides."""
    with DATA.open(newline="", encoding="utf-8") as file:
        rows = [
            Block(ip_network(row["block"]), row["name"], row["globally_reachable"] == "True")
            for row in csv.DictReader(file)
        ]
    return tuple(sorted(rows, key=lambda row: row.network.prefixlen, reverse=True))


def is_global(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is on the public internet; an address in no block is."""
    return next((row.globally_reachable for row in blocks() if address in row.network), True)


def embedded(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    """The IPv4 address that is reached through a mapped or translated (NAT64) IPv6 address; else None."""
    if isinstance(address, IPv6Address):
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped
    return None
