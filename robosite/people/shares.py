"""Shares of an address's limits, so that guests who have played do not wait for others at their address.

Many people in a club, a school or a household can have one address. So each guest who has played has a limit
of their own, as large as the limit of an address. In addition, all guests at an address who have played share
a wider limit (`web/bounds.py`). Everybody else at the address shares one limit, since they could be one
browser that clears its cookies. Each shared limit exists twice: for guests created at least a day ago, and
for everybody else (`share_of`).
"""

from __future__ import annotations

from math import inf

from django.conf import settings
from django.http import HttpRequest

from robosite.people.current_guest import current_guest, share_of
from robosite.people.models import Guest
from robosite.people.personal_data import parts
from robosite.web import limits, rate_windows
from robosite.web.caches import BoundedCache

MOST_REMEMBERED = 10_000
"""The maximum number of guests for whom a process caches the result of `has_played`."""
NEGATIVE_TTL = 30.0
"""Seconds for which `has_played` caches a negative result."""

_asked: BoundedCache[int, float] = BoundedCache(MOST_REMEMBERED)
"""The cached results of `has_played`, by the guest's primary key.

A value is the time (in seconds of `rate_windows.now`) until which the guest counts as not having played,
or infinity if the guest has played."""


def has_played(guest: Guest) -> bool:
    """Returns True if a guest has ever played (`Part.played`); caches False for NEGATIVE_TTL seconds."""
    until = _asked.get(guest.pk, 0.0)
    if until <= rate_windows.now():
        played = any(part.played(guest) for part in parts().values())
        until = _asked[guest.pk] = inf if played else rate_windows.now() + NEGATIVE_TTL
    return until == inf


def wait(name: str, request: HttpRequest) -> int:
    """Counts one use by this browser against the limit `name`.

    Returns 0 if the use is allowed, else the seconds to wait. A guest who has played has a limit of their
    own, and shares a wider one with other such guests at the address. All others at the address share one
    limit.
    """
    if settings.LIMITS == "off":
        return 0
    guest, share = current_guest(request), share_of(request)
    if guest is None or not has_played(guest):
        return limits.wait(name, share)
    return limits.wait(name, f"guest {guest.pk}") or limits.wait(f"{name}/players", share)


def take(name: str, request: HttpRequest) -> None:
    """Counts one use as `wait` does; raises limits.TooMany if the browser must wait."""
    if seconds := wait(name, request):
        raise limits.TooMany(seconds)


def may_make(request: HttpRequest, *, bots: int = 0) -> None:
    """Counts a new match with `bots` bots against this browser's limits on matches and bots.

    Raises limits.TooMany if a limit is exceeded.
    """
    may_let_play(request, bots)
    take("match", request)
    if guest := current_guest(request):
        limits.take("match/guest", str(guest.pk))


def may_let_play(request: HttpRequest, bots: int) -> None:
    """Counts `bots` bots against this browser's limit on bots; raises limits.TooMany if it is exceeded."""
    for _ in range(bots):
        take("bots", request)


def reset() -> None:
    """Clears the cache of `has_played` (for tests)."""
    _asked.clear()
