"""What other parts of the site keep of a guest: each says so once, at start, and hears when a guest changes.

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


def _no_words(guest: Guest) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Part:
    """What a part of the site can say and do of a guest; all inside the transaction of who asks."""

    has: Callable[[Guest], list[str]] = _no_words
    """What belongs to him and is worth bringing along, in words such as “3 matches”; [] for nothing."""
    warns: Callable[[Guest], list[str]] = _no_words
    """What follows from forgetting him, in sentences."""
    export: Callable[[Guest], Any] = _nothing
    """All that it keeps of him and that he may know, as data for JSON; None for nothing."""
    merge: Callable[[Guest, Guest], None] = _nothing
    """Makes what belongs to the first guest the second one's: both are one person."""
    forget: Callable[[Guest], None] = _nothing
    """Erases what it keeps of him; his row goes afterwards."""
    leave: Callable[[HttpRequest, Guest], None] = _nothing
    """This browser forgets him; he stays who he is elsewhere."""


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


def export(guest: Guest) -> dict[str, Any]:
    told = {name: part.export(guest) for name, part in _parts.items()}
    return {name: data for name, data in told.items() if data is not None}
