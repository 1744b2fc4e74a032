"""Matches with orders that cannot be decrypted, since a key is missing from SEAL_KEYS.

It may only have been left out by mistake, so nothing is changed: pages say so, and a write that needs a
sealed order gets a 503. If it is lost for good, there is `manage.py rotate_keys --give-up-lost`.
"""

import logging
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from robosite.matches import flow, key_check
from robosite.matches.models import Match, Program
from robosite.matches.seals import KeyMissing

log = logging.getLogger("robosite")

AT_A_TIME = 100


def matches() -> list[Match]:
    """The open or running matches with a sealed order that no key of SEAL_KEYS decrypts."""
    return list(
        {
            p.seat.match_id: p.seat.match for p in _sealed() if flow.is_unreadable(p.seat.match, p.seat, p)
        }.values()
    )


def warn() -> None:
    """Logs an error if keys are missing, and another if some matches need missing keys."""
    if wrong := key_check.fault():
        log.error("%s", wrong)
    found = matches()
    if found:
        log.error(
            "%s matches hold seals that none of SEAL_KEYS opens. Is a key missing? If it is lost for good: "
            "manage.py rotate_keys --give-up-lost",
            len(found),
        )


def give_up() -> tuple[int, int]:
    """Gives up all missing keys, and all orders that only these keys decrypt.

    Their players seal again; a match that cannot be replayed is called off. Returns the counts of both.
    """
    found = matches()
    for match in found:
        flow.give_up_unreadable(match)
    key_check.give_up_missing()
    off = sum(match.status == Match.Status.ABORTED for match in found)
    return len(found) - off, off


def _sealed() -> Iterator[Program]:
    going_on = Program.objects.filter(seat__match__status__in=flow.GOING_ON, secret__isnull=False)
    rows = going_on.exclude(seal="").select_related("seat__match").order_by("pk")
    last = 0
    while some := list(rows.filter(pk__gt=last)[:AT_A_TIME]):
        yield from some
        last = some[-1].pk


def was_called_off(match: Match) -> bool:
    """Returns True if a match was called off because played orders can no longer be decrypted."""
    if match.status != Match.Status.ABORTED:
        return False
    secrets = Program.objects.filter(seat__match=match, turn__gte=match.turn, secret__isnull=False)
    return secrets.exclude(seal="").exists()


class LostKeys(MiddlewareMixin):
    """Middleware that answers 503, with an explanation, if a view raises KeyMissing."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, KeyMissing):
            return None
        log.error("none of SEAL_KEYS opens %s, which %s %s needs", exception, request.method, request.path)
        response = HttpResponse(render_to_string("play/lost.html", {}, request), status=503)
        response["Retry-After"] = "3600"
        return response
