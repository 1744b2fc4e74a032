"""Shares of an address's limits, so that guests who have played do not wait for others at their address.

Many people in a club, a school or a household can have one address. So each guest who has played has a limit
of their own, as large as the limit of an address. In addition, all guests at an address who have played share
a wider limit (`web/bounds.py`). Everybody else at the address shares one limit, since they could be one
browser that clears its cookies. Each shared limit exists twice: for guests created at least a day ago, and
for everybody else (`share_of`).
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple

from cachetools import TTLCache, cached
from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from robosite.people.current_guest import current_guest, share_of
from robosite.people.models import Guest
from robosite.people.personal_data import parts
from robosite.web import limits, rate_windows

MOST_REMEMBERED = 10_000
"""The maximum number of guests for whom a process caches the result of `has_played`."""
TTL = 30.0
"""Seconds for which the result of `has_played` is kept."""


@cached(
    TTLCache(MOST_REMEMBERED, TTL, timer=lambda: rate_windows.now()),  # noqa: PLW0108  # tests put it forward
    key=lambda guest: guest.pk,
    lock=Lock(),
)
def has_played(guest: Guest) -> bool:
    """Returns True if a guest has ever played (`Part.played`); the answer is kept for TTL seconds."""
    return any(part.played(guest) for part in parts().values())


def uses(name: str, request: HttpRequest) -> list[limits.Use]:
    """Returns the limits against which one use of the limit `name` by this browser counts.

    A guest who has played has a limit of their own, and shares a wider one with other such guests at the
    address. All others at the address share one limit. Returns [] if the limits are off.
    """
    if settings.LIMITS == "off":
        return []
    guest, share = current_guest(request), share_of(request)
    if guest is None or not has_played(guest):
        return [(name, share)]
    return [(name, f"guest {guest.pk}"), (f"{name}/players", share)]


def take(request: HttpRequest, *names: str, also: Iterable[limits.Use] = ()) -> None:
    """Counts one use of each limit in `names` by this browser, and the uses in `also`, or none of them."""
    limits.take(*(use for name in names for use in uses(name, request)), *also)


class Origin(NamedTuple):
    """The origin of a request: a keyed hash of its address, and the key of its guest if they have played.

    `share` is the key under which what strangers hold is counted: those who have played apart from all others
    at the address.
    """

    key: str
    guest: int | None = None

    @property
    def share(self) -> str:
        return f"{self.key}+" if self.guest else self.key


NOWHERE = Origin("")
"""The origin of requests that no limit counts."""


def origin_of(request: HttpRequest) -> Origin:
    """Returns where the request comes from; NOWHERE if the limits are off."""
    if settings.LIMITS == "off":
        return NOWHERE
    guest, address = current_guest(request), limits.address(request)
    key = salted_hmac("robosite.people.shares", address, algorithm="sha256").hexdigest()[:32]
    return Origin(key, guest.pk if guest and has_played(guest) else None)


def may_make(request: HttpRequest, *, bots: int = 0, matches: int = 1) -> None:
    """Counts new matches, each with `bots` bots, against this browser's limits on matches and bots."""
    guest = current_guest(request)
    own = [("match/guest", str(guest.pk))] if guest else []
    take(request, *["bots"] * bots * matches, *["match"] * matches, also=own * matches)


def reset() -> None:
    """Clears the cache of `has_played` (for tests)."""
    has_played.cache_clear()
