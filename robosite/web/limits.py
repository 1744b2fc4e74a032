"""The limits on what one address, one guest, or everybody together may request.

The table is in bounds.py, and LIMITS changes it; rate_windows.py counts. A row of 60/6 lets 60 pass at once,
and in the long run six a minute: 60 in a window of ten minutes that begins with the first of them, and what
was used in a window is given back over the next ten minutes, six a minute. addresses.py says what one address
is.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from math import inf

from django.conf import settings
from django.http import HttpRequest

from robosite.web import later, rate_windows
from robosite.web.addresses import address_behind
from robosite.web.admission import Admission, networks_around
from robosite.web.bounds import Bucket, bucket_of

PARTS = 4
"""One in so many: a network may use a quarter of what everybody together may."""


class TooMany(Exception):
    """Somebody must wait for `seconds`; answered with 429."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"wait {seconds} s")


def wait(name: str, who: str = "") -> int:
    """Counts one use by `who` (or by all together) against this row; 0, or the seconds to wait.

    A Redis that does not answer limits nobody: play goes on.
    """
    if settings.LIMITS == "off":
        return 0
    return _take(_limit(bucket_of(settings.BUCKETS, name)), name, who)


def wait_among_all(name: str, who: str) -> int:
    """Counts one use by an address, as it is counted, against the row `name/all`; 0, or the seconds to wait.

    Each network around the address has only a fraction of that row (PARTS), so that nobody uses it up for all
    others.
    """
    if settings.LIMITS == "off":
        return 0
    bucket = settings.BUCKETS[f"{name}/all"]
    part = rate_windows.Limit(max(bucket.capacity // PARTS, 1), bucket.seconds)
    for network in dict.fromkeys(networks_around(who)):
        if seconds := _take(part, f"{name}/network", network):
            return seconds
    return wait(f"{name}/all")


def left(name: str, who: str = "") -> tuple[Bucket, int, int]:
    """A row of the table, how much `who` has left of it, and in how many seconds the window ends."""
    bucket = bucket_of(settings.BUCKETS, name)
    return bucket, *rate_windows.left(_limit(bucket), _plain(name), _hashed(who))


def charge(name: str, who: str, parts: int, room: int) -> int:
    """Counts what `who` has used already, in parts of the row's unit.

    0, or for how many seconds there will not be `room` for more.
    """
    limit = _limit(bucket_of(settings.BUCKETS, name))
    return rate_windows.charge(limit, _plain(name), _hashed(who), cost=parts, room=room)


def _take(limit: rate_windows.Limit, name: str, who: str) -> int:
    return later.once_a_request((name, who), lambda: rate_windows.take(limit, _plain(name), _hashed(who)))


def _limit(bucket: Bucket) -> rate_windows.Limit:
    return rate_windows.Limit(bucket.capacity * bucket.parts, bucket.seconds)


def _plain(name: str) -> str:
    return name.replace(" ", "-")


def take(name: str, who: str = "") -> None:
    """Counts one use, or raises TooMany."""
    if seconds := wait(name, who):
        raise TooMany(seconds)


def take_among_all(name: str, who: str) -> None:
    """Counts one use as `wait_among_all` does, or raises TooMany."""
    if seconds := wait_among_all(name, who):
        raise TooMany(seconds)


def open_places(of_one: str, of_all: str) -> Admission:
    """The places for what may be open in this process, by two rows of bounds.py."""

    def most(row: str) -> Callable[[], float]:
        return lambda: inf if settings.LIMITS == "off" else settings.MOST[row]

    return Admission(most(of_all), most(of_one))


class Open:
    """Counts what each owner has open in this process, up to a row of bounds.py."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count: Counter[str] = Counter()

    @property
    def most(self) -> int:
        most: int = settings.MOST[self.name]
        return most

    def may(self, who: str) -> bool:
        return settings.LIMITS == "off" or self.count[who] < self.most

    def opened(self, who: str) -> None:
        self.count[who] += 1

    def ended(self, who: str) -> None:
        self.count[who] -= 1
        if self.count[who] <= 0:
            del self.count[who]


def address(request: HttpRequest) -> str:
    """The counted address of the caller, behind the proxies of TRUSTED_PROXIES."""
    return address_behind(request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""))


def _hashed(who: str) -> str:
    return hashlib.sha256(who.encode("utf-8", "surrogatepass")).hexdigest()[:32]
