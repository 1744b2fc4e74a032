"""The links to seats that a browser keeps (`people/browser_links.py`)."""

from __future__ import annotations

from django.http import HttpRequest

from robosite.matches.link_secrets import hash_secret, secret_behind
from robosite.matches.models import Seat
from robosite.people.browser_links import own_links


def own_link(request: HttpRequest, seat: Seat) -> str | None:
    """The secret of the valid link to a seat, if this browser has it or, in a rematch, it is computed."""
    links = own_links(request).items()
    mine = [secret for what, secret in links if what.startswith(f"seat/{seat.match.key}/")]
    known = next((secret for secret in mine if hash_secret(secret) == seat.link_hash), None)
    if known is None and seat.match.rematch_of_id:
        return secret_behind(seat.link_hash, seat.match.key, seat.letter)
    return known


def link_key(seat: Seat) -> str:
    """The key, such as `seat/KEY/A`, under which a browser stores the secret link to a seat."""
    return f"seat/{seat.match.key}/{seat.letter}"
