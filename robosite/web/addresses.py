"""Parses network addresses as peers and proxies write them: with ports, brackets, zones, IPv4 within IPv6.

All code that counts, bans or trusts by address uses this module.
"""

import logging
import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings

log = logging.getLogger("robosite")

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

CONNECTION = 56
"""The prefix length of the IPv6 network that an Internet connection typically gets."""
LONGEST = 64
"""The number of characters after which the name of a peer without an IP address is cut."""

_TRANSLATED = ip_network("64:ff9b::/96")
"""The IPv6 network in which a translator before an IPv6-only host embeds IPv4 addresses (RFC 6052)."""
_PORT = re.compile(r":\d{0,5}$")
_BRACKETS = re.compile(r"\[([^\]]*)\](?::\d{0,5})?")


def parse_address(text: str) -> Address | None:
    """Parses an IP address, perhaps with port, brackets, quotes or zone; unwraps embedded IPv4; else None."""
    text = _plain(text)
    for spelling in (text, _PORT.sub("", text)):
        try:
            found = ip_address(spelling.partition("%")[0])
        except ValueError:
            continue
        return unwrapped(found)
    return None


def parse_network(text: str) -> Network | None:
    """Parses a network in CIDR notation, or an address as one; unwraps embedded IPv4; else None."""
    try:
        return _inner_network(ip_network(text.strip(), strict=False))
    except ValueError:
        found = parse_address(text)
        return ip_network(found) if found else None


@lru_cache(4096)
def counted(text: str) -> str:
    """The key under which a peer is counted: its IPv4 address, its IPv6 network (/56), or else its name."""
    found = parse_address(text)
    if found is None:  # such as a name that a proxy gives its peers
        return _PORT.sub("", _plain(text)).casefold()[:LONGEST]
    return str(found) if found.version == 4 else str(ip_network((found, CONNECTION), strict=False))


def address_behind(peer: str | None, forwarded: str) -> str:
    """The key (`counted`) of a client at or behind `peer`; `forwarded` is the header X-Forwarded-For."""
    at = peer or ""
    hops = [hop for part in forwarded.split(",") if (hop := part.strip())]
    while hops and is_proxy(at):
        at = hops.pop()
    return counted(at)


def is_proxy(text: str) -> bool:
    return is_in(text, settings.TRUSTED_PROXIES)


def is_in(text: str, networks: list[str]) -> bool:
    """Returns True if the address is in a setting's ranges; a text that is no address must equal an entry."""
    if not networks:
        return False
    found = parse_address(text)
    if found is None:
        return text in networks
    return any(found in network for network in _networks(tuple(networks)))


@lru_cache
def _networks(texts: tuple[str, ...]) -> list[Network]:
    found = []
    for text in texts:
        network = parse_network(text)
        if network is None:
            log.warning("“%s” in the settings is neither an address nor a network", text)
        else:
            found.append(network)
    return found


def _plain(text: str) -> str:
    text = text.strip().strip('"').strip()
    within = _BRACKETS.fullmatch(text)
    return within[1].strip() if within else text


def unwrapped(found: Address) -> Address:
    """The IPv4 address in a mapped or translated IPv6 address; any other address as it is."""
    if isinstance(found, IPv6Address):
        if found in _TRANSLATED:
            return IPv4Address(int(found) & 0xFFFF_FFFF)
        return found.ipv4_mapped or found
    return found


def _inner_network(found: Network) -> Network:
    if isinstance(found, IPv6Network) and found.prefixlen >= 96:
        inner = unwrapped(found.network_address)
        if isinstance(inner, IPv4Address):
            return IPv4Network((inner, found.prefixlen - 96))
    return found
