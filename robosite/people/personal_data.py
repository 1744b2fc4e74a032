"""A guest's data in other parts of the site: each part registers once, at start, to handle its own.

parts.register("matches", Part(has=…, export=…, merge=…, forget=…, warns=…))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from pydantic_core import to_json

from robosite.people.models import Guest


def _nothing(*given: Any) -> None:
    pass


def _no(guest: Guest) -> bool:
    return False


def _nothing_stays() -> list[str]:
    return []


def _no_words(guest: Guest) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Part:
    """A part's functions for a guest; all but `forget_more` run inside the caller's transaction."""

    has: Callable[[Guest], list[str]] = _no_words
    """Belongings that are worth bringing along, in words such as “3 matches”; [] for nothing."""
    warns: Callable[[Guest], list[str]] = _no_words
    """The consequences of forgetting the guest, in sentences."""
    stays: Callable[[], list[str]] = _nothing_stays
    """The data that is kept after a guest has been forgotten, in sentences."""
    export: Callable[[Guest, HttpRequest], Any] = _nothing
    """All that it keeps of the guest and that this browser may show now, as JSON data; None if nothing."""
    export_for_host: Callable[[Guest], Any] | None = None
    """The same for a host, with nothing sealed, private or secret. None: `export` has nothing such."""
    merge: Callable[[Guest, Guest], None] = _nothing
    """Makes the first guest's belongings the second one's: both are one person."""
    forget: Callable[[Guest], None] = _nothing
    """Erases the part's data of the guest, at once; the guest's row goes afterwards."""
    forget_more: Callable[[Guest], bool] = _no
    """Erases the next thing that takes long, in a transaction of its own; says whether there was one."""
    played: Callable[[Guest], bool] = _no
    """Tell whether the guest has ever played."""
    leave: Callable[[HttpRequest, Guest], None] = _nothing
    """This browser forgets the guest; in other browsers nothing changes."""


_parts: dict[str, Part] = {}


def register(name: str, part: Part) -> None:
    """Registers a part, whose data are exported under `name`; called from an app's `ready`."""
    _parts[name] = part


def parts() -> dict[str, Part]:
    return dict(_parts)


def has(guest: Guest) -> list[str]:
    return [words for part in _parts.values() for words in part.has(guest)]


def warnings(guest: Guest) -> list[str]:
    return [words for part in _parts.values() for words in part.warns(guest)]


def what_stays() -> list[str]:
    """The data that is kept after a guest has been forgotten, in sentences."""
    others = _("What others have downloaded, shared or printed stays with them.")
    backups = _("Backups are kept for as long as the host of this site keeps them.")
    return [*(words for part in _parts.values() for words in part.stays()), others, backups]


def export(guest: Guest, request: HttpRequest) -> dict[str, Any]:
    parts = {name: part.export(guest, request) for name, part in _parts.items()}
    return {name: data for name, data in parts.items() if data is not None}


LEFT_OUT = "private notes, words with orders that are not revealed, private messages, addresses for notices"
"""The parts that a host's export lacks, since no page of the staff shows them."""


def export_all(guest: Guest, request: HttpRequest) -> str:
    """All that the site keeps of a guest and may show to that guest, as JSON text."""
    return _as_text({**_own_fields(guest), **export(guest, request)})


def export_for_host(guest: Guest, request: HttpRequest) -> str:
    """The same for a host who answers a request by letter, without secrets; it says what was left out."""
    parts = {
        name: part.export(guest, request) if part.export_for_host is None else part.export_for_host(guest)
        for name, part in _parts.items()
    }
    present = {name: data for name, data in parts.items() if data is not None}
    return _as_text({**_own_fields(guest), **present, "left_out": LEFT_OUT})


def _own_fields(guest: Guest) -> dict[str, Any]:
    return {
        "name": guest.name,
        "language": guest.language,
        "zone": guest.zone,
        "email": guest.email,
        "email_confirmed_at": guest.email_confirmed_at,
        "phrase_made_at": guest.phrase_made_at,
        "first_seen_at": guest.created_at,
    }


def _as_text(data: dict[str, Any]) -> str:
    return to_json(data, indent=1, fallback=str).decode()
