"""How much one address may ask: token buckets in Django's cache, all of them here.

A bucket holds so many calls and fills up again at so many a minute. Every call takes one out of the bucket of
its address; IPv6 addresses count by their /64. `LIMITS=off` lifts them, for tests.
"""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

log = logging.getLogger("robosite")


@dataclass(frozen=True, slots=True)
class Bucket:
    holds: int
    a_minute: float
    says: str


BUCKETS = {
    "read": Bucket(600, 600, "looking: matches, records, tables, games"),
    "write": Bucket(240, 240, "drafts, orders and whatever else changes a match"),
    "make": Bucket(120, 30, "making matches and sitting down"),
    "stream": Bucket(120, 60, "opening event streams"),
}

MOST_STREAMS = 200
"""The most event streams that one address may have open in a process."""

_streams: Counter[str] = Counter()


def wait(request: HttpRequest, name: str) -> int:
    """Takes one call out of the bucket; 0, or for how many seconds the caller must wait.

    A cache that does not answer limits nobody: play goes on.
    """
    if settings.LIMITS == "off":
        return 0
    bucket, now = BUCKETS[name], time.time()
    key = f"limit/{name}/{_hashed(address(request))}"
    try:
        level, since = cache.get(key, (float(bucket.holds), now))
        level = min(bucket.holds, level + max(0.0, now - since) * bucket.a_minute / 60)
        if level < 1:
            return math.ceil((1 - level) * 60 / bucket.a_minute)
        cache.set(key, (level - 1, now), timeout=math.ceil(60 * bucket.holds / bucket.a_minute) + 1)
    except Exception:
        log.warning("the cache does not answer: no limits are kept", exc_info=True)
    return 0


def may_stream(request: HttpRequest) -> bool:
    return settings.LIMITS == "off" or _streams[address(request)] < MOST_STREAMS


def stream_opened(at: str) -> None:
    _streams[at] += 1


def stream_ended(at: str) -> None:
    _streams[at] -= 1
    if _streams[at] <= 0:
        del _streams[at]


def address(request: HttpRequest) -> str:
    """Who calls. X-Forwarded-For is believed only as far as proxies of TRUSTED_PROXIES wrote it."""
    at: str = request.META.get("REMOTE_ADDR", "") or ""
    behind = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    while _is_proxy(at) and behind:
        at = behind.pop()
    try:
        known = ip_address(at)
    except ValueError:
        return at[:64]
    return str(ip_network(f"{known}/64", strict=False)) if known.version == 6 else str(known)


def _is_proxy(at: str) -> bool:
    proxies = tuple(settings.TRUSTED_PROXIES)
    if not proxies:
        return False
    try:
        known = ip_address(at)
    except ValueError:
        return at in proxies
    return any(known in network for network in _networks(proxies))


@lru_cache
def _networks(proxies: tuple[str, ...]) -> list[IPv4Network | IPv6Network]:
    networks = []
    for proxy in proxies:
        try:
            networks.append(ip_network(proxy.strip(), strict=False))
        except ValueError:
            log.warning("TRUSTED_PROXIES: “%s” is neither an address nor a network", proxy)
    return networks


def _hashed(at: str) -> str:
    return hashlib.sha256(at.encode("utf-8", "surrogatepass")).hexdigest()[:32]
