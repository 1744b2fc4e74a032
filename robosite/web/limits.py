"""Rate limits on the requests of one address, of one guest, or of everybody together.

bounds.py has the table of limits, which the setting LIMITS can change; rate_windows.py counts the uses. A
limit of 60/6 allows 60 uses at once, and six per minute in the long run. More exactly, it allows 60 uses in a
window of ten minutes, which begins with the first use. After the window, its uses are given back over the
next ten minutes, six per minute. addresses.py defines which addresses are counted together.
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
"""The divisor for a limit of everybody together: one network may use at most a quarter of it."""


class TooMany(Exception):
    """Raised when a limit is exhausted; `seconds` is the time until the next use is allowed.

    The middleware Busy responds to this exception with status 429.
    """

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"wait {seconds} s")


def wait(name: str, who: str = "") -> int:
    """Counts one use by `who` against the rate limit `name`, a row of the table in bounds.py.

    Returns 0 if the use is allowed, otherwise the seconds to wait. An empty `who` stands for everybody
    together. If the limits are off, or if Redis does not answer, every use is allowed.
    """
    if settings.LIMITS == "off":
        return 0
    return _take(_limit(bucket_of(settings.BUCKETS, name)), name, who)


def wait_among_all(name: str, who: str) -> int:
    """Counts one use against the rate limit `<name>/all`, which all addresses share.

    Returns 0 if the use is allowed, otherwise the seconds to wait. `who` is the address, as `counted` returns
    it. Each network around the address may use up to a quarter of the limit (1/PARTS). If the limits are off,
    or if Redis does not answer, every use is allowed.
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
    """Returns the rate limit `name`, how much of it `who` has left, and the seconds until the window ends.

    `who` is an address or a guest, or "" for everybody together. The amount is in parts of the limit's unit
    (`Bucket.parts`).
    """
    bucket = bucket_of(settings.BUCKETS, name)
    return bucket, *rate_windows.left(_limit(bucket), _plain(name), _hashed(who))


def charge(name: str, who: str, parts: int, room: int) -> int:
    """Counts a use by `who` that has already happened against the rate limit `name`.

    `parts` is the size of the use, in parts of the limit's unit (`Bucket.parts`). Returns 0 if `room` parts
    are free afterwards, otherwise the seconds until `room` parts are free.
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
    """Counts one use as `wait` does; raises TooMany if the use is not allowed."""
    if seconds := wait(name, who):
        raise TooMany(seconds)


def take_among_all(name: str, who: str) -> None:
    """Counts one use by the address `who` as `wait_among_all` does; raises TooMany if it is not allowed."""
    if seconds := wait_among_all(name, who):
        raise TooMany(seconds)


def open_slots(of_one: str, of_all: str) -> Admission:
    """Creates the Admission that limits what clients hold open in this process, such as sockets.

    `of_one` and `of_all` are the names of two limits in bounds.py: for one address, and for all addresses
    together.
    """

    def most(row: str) -> Callable[[], float]:
        return lambda: inf if settings.LIMITS == "off" else settings.MOST[row]

    return Admission(most(of_all), most(of_one))


class OpenCount:
    """Counts the streams or sockets that each client has open in this process.

    `name` is the name of their limit in bounds.py. `may` returns True if a client may open one more.
    """

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
    """Returns the key under which the request's client is counted (`counted`), even behind proxies."""
    return address_behind(request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""))


def _hashed(who: str) -> str:
    return hashlib.sha256(who.encode("utf-8", "surrogatepass")).hexdigest()[:32]
