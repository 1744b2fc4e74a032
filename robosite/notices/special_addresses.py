"""Decides whether an IP address is on the public internet, by IANA's registries.

`special_addresses.csv` has IANA's special-purpose address registries for IPv4 and IPv6, the reserved blocks
of the IPv4 and IPv6 address spaces, and public addresses at which clouds serve data for their own machines
only. Python's own list is not used, since it differs between versions.
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
    """A row of IANA's registries: a block of IP addresses, its name, and whether the block is public.

    `globally_reachable` is True if the block is on the public internet; otherwise, or if the registry says
    N/A, it is False.
    """

    network: IPv4Network | IPv6Network
    name: str
    globally_reachable: bool


@cache
def blocks() -> tuple[Block, ...]:
    """Returns all blocks of special IP addresses, the smallest first.

    The first block that contains an address counts.
    """
    with DATA.open(newline="", encoding="utf-8") as file:
        rows = [
            Block(ip_network(row["block"]), row["name"], row["globally_reachable"] == "True")
            for row in csv.DictReader(file)
        ]
    return tuple(sorted(rows, key=lambda row: row.network.prefixlen, reverse=True))


def is_global(address: IPv4Address | IPv6Address) -> bool:
    """Returns True if an address is on the public internet, and also if no block contains the address."""
    return next((row.globally_reachable for row in blocks() if address in row.network), True)


def embedded(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    """Returns the IPv4 address in a mapped or translated (NAT64) IPv6 address; None for any other address."""
    if isinstance(address, IPv6Address):
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped
    return None
