"""The registry for a guest's data: each part of the site registers functions for its own data, at the start.

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
    """The functions of one part of the site for a guest's data there.

    All except `forget_more` run inside the caller's transaction.
    """

    has: Callable[[Guest], list[str]] = _no_words
    """Returns what the guest has here and may want to keep, as words such as “3 matches”; [] for nothing."""
    warns: Callable[[Guest], list[str]] = _no_words
    """Returns sentences on the consequences of forgetting the guest."""
    stays: Callable[[], list[str]] = _nothing_stays
    """Returns sentences on the data that stays after a guest has been forgotten."""
    export: Callable[[Guest, HttpRequest], Any] = _nothing
    """Returns the part's data of the guest that this browser may show now, as JSON values; or None."""
    export_for_host: Callable[[Guest], Any] | None = None
    """Returns the same data for a host, without all that is sealed, private or secret.

    None if `export` contains nothing of that kind."""
    merge: Callable[[Guest, Guest], None] = _nothing
    """Moves the first guest's data to the second guest, since both are one person."""
    forget: Callable[[Guest], None] = _nothing
    """Erases the part's data of the guest, as far as that is quick. The guest's row is deleted later."""
    forget_more: Callable[[Guest], bool] = _no
    """Does the next slow step of erasing, in its own transaction. Returns False if none was left."""
    played: Callable[[Guest], bool] = _no
    """Tell whether the guest has ever played."""
    leave: Callable[[HttpRequest, Guest], None] = _nothing
    """Removes what is stored for the guest at this browser, when they sign out of it alone."""


_parts: dict[str, Part] = {}


def register(name: str, part: Part) -> None:
    """Registers a part; its data is exported under `name`. Call it in an app's `ready`."""
    _parts[name] = part


def parts() -> dict[str, Part]:
    return dict(_parts)


def has(guest: Guest) -> list[str]:
    return [words for part in _parts.values() for words in part.has(guest)]


def warnings(guest: Guest) -> list[str]:
    return [words for part in _parts.values() for words in part.warns(guest)]


def what_stays() -> list[str]:
    """Sentences on all data that stays after a guest has been forgotten."""
    others = _("What others have downloaded, shared or printed stays with them.")
    backups = _("Backups are kept for as long as the host of this site keeps them.")
    return [*(words for part in _parts.values() for words in part.stays()), others, backups]


def export(guest: Guest, request: HttpRequest) -> dict[str, Any]:
    parts = {name: part.export(guest, request) for name, part in _parts.items()}
    return {name: data for name, data in parts.items() if data is not None}


LEFT_OUT = "private notes, words with orders that are not revealed, private messages, addresses for notices"
"""The note, in an export for a host, on the data that it lacks because no page of the staff shows it."""


def export_all(guest: Guest, request: HttpRequest) -> str:
    """All data that the site keeps of a guest and may show to that guest, as JSON text."""
    return _as_text({**_own_fields(guest), **export(guest, request)})


def export_for_host(guest: Guest, request: HttpRequest) -> str:
    """The data of a guest as JSON text, for a host who answers a request by letter: without secrets.

    It says what was left out.
    """
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
