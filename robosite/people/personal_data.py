"""Data of a guest in other parts of the site: each registers once, at start, and hears when a guest changes.

parts.register("matches", Part(has=…, export=…, merge=…, forget=…, warns=…))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from robosite.people.models import Guest


def _nothing(*given: Any) -> None:
    pass


def _no(guest: Guest) -> bool:
    return False


def _no_words(guest: Guest) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Part:
    """A part's answers and deeds for a guest; all but `forget_more` inside the caller's transaction."""

    has: Callable[[Guest], list[str]] = _no_words
    """His belongings that are worth bringing along, in words such as “3 matches”; [] for nothing."""
    warns: Callable[[Guest], list[str]] = _no_words
    """The consequences of forgetting the guest, in sentences."""
    export: Callable[[Guest, HttpRequest], Any] = _nothing
    """All that it keeps of the guest and that this browser may show now, as JSON data; None if nothing."""
    merge: Callable[[Guest, Guest], None] = _nothing
    """Makes the first guest's belongings the second one's: both are one person."""
    forget: Callable[[Guest], None] = _nothing
    """Erases the part's data of the guest, at once; the guest's row goes afterwards."""
    forget_more: Callable[[Guest], bool] = _no
    """Erases the next thing that takes long, in a transaction of its own; says whether there was one."""
    played: Callable[[Guest], bool] = _no
    """Tells whether the guest has ever played."""
    leave: Callable[[HttpRequest, Guest], None] = _nothing
    """This browser forgets the guest; in other browsers nothing changes."""


_parts: dict[str, Part] = {}


def register(name: str, part: Part) -> None:
    """Called from an app's `ready`; the name is the key under which its data are exported."""
    _parts[name] = part


def parts() -> dict[str, Part]:
    return dict(_parts)


def has(guest: Guest) -> list[str]:
    return [words for part in _parts.values() for words in part.has(guest)]


def warnings(guest: Guest) -> list[str]:
    return [words for part in _parts.values() for words in part.warns(guest)]


def export(guest: Guest, request: HttpRequest) -> dict[str, Any]:
    told = {name: part.export(guest, request) for name, part in _parts.items()}
    return {name: data for name, data in told.items() if data is not None}
