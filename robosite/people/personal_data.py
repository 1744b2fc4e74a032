"""The registry of guests' data: each part of the site registers functions for its own in `ready`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from pydantic_core import to_json

from robosite.people.models import Guest


@dataclass(frozen=True, slots=True)
class Part:
    """The functions of one part of the site for its data about a guest, such as to export or erase it.

    `merge` and `forget` are called in a transaction; `forget_next_step` opens its own.
    """

    has: Callable[[Guest], list[str]] = lambda _guest: []
    """The things that the guest may want to keep, in words such as “3 matches”."""
    warns: Callable[[Guest], list[str]] = lambda _guest: []
    """The consequences of erasing the guest."""
    stays: Callable[[], list[str]] = list
    """The data that stays after a guest has been erased."""
    export: Callable[[Guest, HttpRequest], Any] = lambda _guest, _request: None
    """The part's data as JSON values, as far as this request may show it; None if there is none."""
    export_for_host: Callable[[Guest], Any] | None = None
    """The data of `export` for a host, without anything secret; None if `export` returns nothing secret."""
    merge: Callable[[Guest, Guest], None] = lambda _gone, _guest: None
    """Moves the first guest's data to the second: both are one person."""
    forget: Callable[[Guest], None] = lambda _guest: None
    """Erases the part's data, as far as that is quick; the guest's row is deleted later."""
    forget_next_step: Callable[[Guest], bool] = lambda _guest: False
    """Does the next slow step of erasing, in a transaction of its own; False if no step is left."""
    played: Callable[[Guest], bool] = lambda _guest: False
    """Returns True if an order was ever sealed for a seat that the guest holds."""


parts: dict[str, Part] = {}
"""The parts of the site by the name under which their data are exported; apps add theirs in `ready`."""


def has(guest: Guest) -> list[str]:
    return [words for part in parts.values() for words in part.has(guest)]


def warnings(guest: Guest) -> list[str]:
    return [words for part in parts.values() for words in part.warns(guest)]


def what_stays() -> list[str]:
    """Sentences on all data that stays after a guest has been erased."""
    others = _("What others have downloaded, shared or printed stays with them.")
    backups = _("How long backups are kept is up to the host of this site.")
    return [*(words for part in parts.values() for words in part.stays()), others, backups]


def export(guest: Guest, request: HttpRequest) -> dict[str, Any]:
    found = {name: part.export(guest, request) for name, part in parts.items()}
    return {name: data for name, data in found.items() if data is not None}


LEFT_OUT = "private notes, words with orders that are not revealed, private messages, addresses for notices"
"""The names of the data that an export for a host leaves out. No page of the staff shows such data."""


def export_all(guest: Guest, request: HttpRequest) -> str:
    """All data that the site stores about a guest and may show to the guest, as JSON text."""
    return _as_text({**_own_fields(guest), **export(guest, request)})


def export_for_host(guest: Guest, request: HttpRequest) -> str:
    """A guest's data without secrets, as JSON text that names what is left out, for a written request."""
    found = {
        name: part.export(guest, request) if part.export_for_host is None else part.export_for_host(guest)
        for name, part in parts.items()
    }
    present = {name: data for name, data in found.items() if data is not None}
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
