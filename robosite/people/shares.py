"""Shares of an address's limits, so that guests who have played do not wait for others at their address.

Each of them has a limit as large as an address's, and all of them share a wider one (`web/bounds.py`).
Everybody else there shares one, as they could be one browser that clears its cookies. Shared limits exist
twice: for settled guests, and for others (`share_of`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from cachetools import TTLCache, cached
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext

from robosite.people.current_guest import current_guest, share_of
from robosite.people.models import Guest
from robosite.people.personal_data import parts
from robosite.web import limits, rate_windows

MOST_REMEMBERED = 10_000
TTL = 30.0


@cached(
    TTLCache(MOST_REMEMBERED, TTL, timer=lambda: rate_windows.now()),  # noqa: PLW0108  # tests put it forward
    key=lambda guest: guest.pk,
    lock=Lock(),
)
def has_played(guest: Guest) -> bool:
    """Returns True if a guest has ever played (`Part.played`); the answer is kept for TTL seconds."""
    return any(part.played(guest) for part in parts.values())


def uses(name: str, request: HttpRequest) -> list[limits.Use]:
    """Returns the limits against which one use of `name` by this browser counts."""
    if settings.LIMITS == "off":
        return []
    guest, share = current_guest(request), share_of(request)
    if guest is None or not has_played(guest):
        return [(name, share)]
    return [(name, f"guest {guest.pk}"), (f"{name}/players", share)]


def take(request: HttpRequest, *names: str, also: Iterable[limits.Use] = ()) -> None:
    """Counts a use of each limit in `names` by this browser, and those in `also`; or raises TooMany."""
    limits.take(*(use for name in names for use in uses(name, request)), *also)


class Origin(NamedTuple):
    """A request's address as a keyed hash, and its guest if they have played, who count apart (`share`)."""

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
    """Counts new matches, with `bots` bots each, against this browser's limits on both; may raise TooMany."""
    guest = current_guest(request)
    own = [("match/guest", str(guest.pk))] if guest else []
    take(request, *["bots"] * bots * matches, *["match"] * matches, also=own * matches)


def count_import(request: HttpRequest) -> None:
    """Counts the import of a record against this browser's and everybody's limits; may raise TooMany."""
    take(request, "import", also=limits.of_all("import", limits.address(request)))


def reset() -> None:
    has_played.cache_clear()


LANES = 255


def lane_of(request: HttpRequest) -> int:
    """The lane (from 1 to LANES) in the bots' queue for matches made from this request's address."""
    day = timezone.now().date().isoformat()
    code = salted_hmac(f"lane/{day}", limits.address(request), algorithm="sha256").digest()
    return int.from_bytes(code[:8]) % LANES + 1


@dataclass(frozen=True, slots=True)
class Tries:
    """A kind of attempt, limited for each address (`name` in `web/bounds.py`) and for all (“name/all”)."""

    name: str
    guesses: bool = False
    """True if each attempt guesses a secret: it counts for the address even if a guest has played."""

    def wait(self, request: HttpRequest, *also: limits.Use) -> int:
        """Counts an attempt, against the limits in `also` too. Returns 0 if allowed, else seconds to wait."""
        return limits.wait_for(self._uses(request, also))

    def give_back(self, request: HttpRequest, *also: limits.Use) -> None:
        """Takes back what `wait` has counted; to be called once the attempt has succeeded."""
        limits.give_back(self._uses(request, also))

    def _uses(self, request: HttpRequest, also: Iterable[limits.Use]) -> list[limits.Use]:
        address = limits.address(request)
        own = [(self.name, address)] if self.guesses else uses(self.name, request)
        return [*own, *also, *limits.of_all(self.name, address)]


PHRASES = Tries("phrase", guesses=True)
MAILS = Tries("mail")


def wait_to_write(request: HttpRequest, email: str) -> int:
    """Counts a request for a mail to `email`; returns 0 if it is allowed, else the seconds to wait."""
    return MAILS.wait(request, ("mail/to", email))


def mail_was_right(request: HttpRequest, email: str) -> None:
    """Takes back the count of a mail to `email`, since the link in it has been opened and used."""
    MAILS.give_back(request, ("mail/to", email))


def too_many(seconds: int) -> str:
    """A sentence that asks a guest to wait; the seconds are rounded up to minutes."""
    minutes = -(-seconds // 60)
    text = ngettext(
        "Too many attempts from your network, maybe not yours. Wait a minute, then try again.",
        "Too many attempts from your network, maybe not yours. Wait %(n)s minutes, then try again.",
        minutes,
    )
    return text % {"n": minutes}
