"""Lanes of the bots' queue: an address with many matches delays only others in its lane.

Many addresses share a lane, so it reveals none; an address changes its lane every day.
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
