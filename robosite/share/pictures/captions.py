"""The words on pictures of a match: the players, the outcome, and the site's address."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from games.core import Seat as Letter
from games.core import Sentence
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.matches.wording import imported_note
from robosite.play import film
from robosite.web.sentences import render_sentence

LETTER = 0.52
"""The width of a letter as a part of its size, on average."""
PLATE = 54
"""The width of a plate with its letter, and of the space after it."""
IN_A_ROW = 4
NOTE = 32
"""The height of a line with the note."""


class Plate(NamedTuple):
    """A seat with its name, at a place of the picture."""

    seat: str
    side: str
    name: str
    x: int
    y: int


class People(NamedTuple):
    """The players of a match, how it ended ("" while it goes on), and the site's address.

    `note` marks a match that was not played here.
    """

    names: dict[Letter, str]
    sides: dict[Letter, str]
    result: str
    address: str
    note: str = ""

    @property
    def tag(self) -> str:
        """A hash of names, address and note: players may be forgotten, and a site has several addresses."""
        parts = sorted(self.names.items()), self.address, self.note
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]

    def plates(self, *, x: int, y: int, width: int, size: int = 26, apart: int = 56) -> list[Plate]:
        """The players' plates in rows of at most four, with names cut to the room there is."""
        columns = min(len(self.names), IN_A_ROW)
        each = width // columns
        letters = int((each - PLATE - 16) / (size * LETTER))
        return [
            Plate(
                seat,
                self.sides[seat],
                shortened(name, letters),
                x + n % columns * each,
                y + n // columns * apart,
            )
            for n, (seat, name) in enumerate(self.names.items())
        ]

    def rows(self) -> int:
        return -(-len(self.names) // IN_A_ROW)


def people_of(match: Match, address: str) -> People:
    """The players by name; a name that the typefaces cannot show is replaced by the seat's letter alone."""
    state = state_of(match)
    with translation.override(settings.LANGUAGE_CODE):
        names = {seat.at: seat.name or _("a free seat") for seat in match.seats.order_by("letter")}
        ended = film.result(match, {at: name if written(name) else at for at, name in names.items()})
        shown = {at: name if written(name) else "" for at, name in names.items()}
        sides = {at: state.side(at) for at in names}
        result = render_sentence(ended) if ended else ""
        return People(shown, sides, result, address, imported_note(imported=match.imported))


def write_out(sentences: Sequence[Sentence], names: Mapping[Letter, str]) -> str:
    """The sentences as text, in the language of pictures."""
    with translation.override(settings.LANGUAGE_CODE):
        shown = {at: name or at for at, name in names.items()}
        return " ".join(render_sentence(sentence, shown) for sentence in sentences)


def written(name: str) -> bool:
    """Tell whether the typefaces, which are Latin ones, have the letters of this name."""
    return all(ord(letter) < 0x100 for letter in name)


def shortened(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: max(letters - 1, 1)].rstrip()}…"
