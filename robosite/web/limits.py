"""Rate limits on the requests of one address, of one guest, or of everybody together.

A limit of 60/6 allows 60 uses in a window of ten minutes from the first use on; over the next ten, they are
given back.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from math import inf

from django.conf import settings
from django.http import HttpRequest

from robosite.web import later, rate_windows
from robosite.web.addresses import address_behind
from robosite.web.admission import Admission, networks_around
from robosite.web.bounds import Bucket, bucket_of

Use = tuple[str, str]
"""A use of a rate limit: the limit's name, and an address or a guest, or "" for everybody together."""


class TooMany(Exception):
    """Raised when a limit is exhausted for `seconds`; the middleware Busy answers 429."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"wait {seconds} s")


def wait(name: str, who: str = "") -> int:
    """Counts one use by `who` against the limit `name` (bounds.py); returns 0, or the seconds to wait."""
    return wait_for([(name, who)])


def wait_for(uses: Iterable[Use]) -> int:
    """Counts all these uses and returns 0, or none of them and returns the seconds until all are allowed."""
    if settings.LIMITS == "off":
        return 0
    counted: list[tuple[Use, int]] = []
    asked = list(Counter(uses).items())
    for use, n in asked:
        take = partial(rate_windows.take, *_window(*use), cost=n)
        if seconds := later.once_a_request((*use, n), take):
            for one, before in counted:
                rate_windows.give_back(*_window(*one), cost=before)
            return max(seconds, *(rate_windows.until_free(*_window(*one), cost=m) for one, m in asked))
        counted.append((use, n))
    return 0


def give_back(uses: Iterable[Use]) -> None:
    """Takes these uses back from the counts of their limits."""
    if settings.LIMITS == "off":
        return
    for use in uses:
        later.once_a_request(("given back", *use), partial(rate_windows.give_back, *_window(*use)))


def of_all(name: str, who: str) -> list[Use]:
    """The uses that an attempt by `who` counts besides their own: of each network around them, and of all."""
    networks = dict.fromkeys(networks_around(who))
    return [*((f"{name}/network", network) for network in networks), (f"{name}/all", "")]


def left(name: str, who: str = "") -> tuple[Bucket, int, int]:
    """Returns the rate limit `name`, how much of it `who` has left, and the seconds until the window ends."""
    bucket = bucket_of(settings.BUCKETS, name)
    return bucket, *rate_windows.left(*_window(name, who))


def charge(name: str, who: str, parts: int, room: int) -> int:
    """Counts `parts` that `who` has used; returns the seconds until `room` is free, or 0."""
    return rate_windows.charge(*_window(name, who), cost=parts, room=room)


def _window(name: str, who: str) -> tuple[rate_windows.Limit, str, str]:
    bucket = bucket_of(settings.BUCKETS, name)
    limit = rate_windows.Limit(bucket.capacity * bucket.parts, bucket.seconds)
    return limit, name.replace(" ", "-"), _hashed(who)


def take(*uses: Use) -> None:
    """Counts these uses as `wait_for` does; raises TooMany if they are not allowed."""
    if seconds := wait_for(uses):
        raise TooMany(seconds)


def open_slots(of_one: str, of_all: str) -> Admission:
    """Creates the Admission that limits what clients hold open in this process, such as sockets."""

    def most(row: str) -> Callable[[], float]:
        return lambda: inf if settings.LIMITS == "off" else settings.MOST[row]

    return Admission(most(of_all), most(of_one))


class OpenCount:
    """Counts what each client has open in this process, against the bound `name`."""

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
