"""Lanes of the bots' queue: an address with many matches against bots delays only others in its lane.

A lane is a number from 1 to LANES. Many addresses share a lane, so a lane does not reveal an address. The
lane of an address changes every day, so that no address shares its lane with a busy address for long.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from robosite.web import limits

LANES = 255


def lane_of(request: HttpRequest) -> int:
    """The lane (from 1 to LANES) in the bots' queue for matches made from this request's address."""
    day = timezone.now().date().isoformat()
    code = salted_hmac(f"lane/{day}", limits.address(request), algorithm="sha256").digest()
    return int.from_bytes(code[:8]) % LANES + 1
