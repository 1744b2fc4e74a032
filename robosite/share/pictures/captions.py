"""The texts on pictures of a match: the players, the result, and the site's address."""

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
"""The average width of a letter, as a fraction of the font size."""
PLATE = 54
"""The width in pixels of a plate with its letter, including the space after it."""
IN_A_ROW = 4
NOTE = 32
"""The height in pixels of the line with the note."""


class Plate(NamedTuple):
    """A seat with its name, and its position on the picture in pixels."""

    seat: str
    side: str
    name: str
    x: int
    y: int


class People(NamedTuple):
    """The players of a match, the result ("" while the match goes on), and the site's address.

    `note` marks a match that was not played on this site.
    """

    names: dict[Letter, str]
    sides: dict[Letter, str]
    result: str
    address: str
    note: str = ""

    @property
    def tag(self) -> str:
        """A hash of names, address and note, for names in the cache.

        All three can change: players may be forgotten, and a site can have several addresses.
        """
        parts = sorted(self.names.items()), self.address, self.note
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]

    def plates(self, *, x: int, y: int, width: int, size: int = 26, apart: int = 56) -> list[Plate]:
        """The players' plates in rows of at most four, with names shortened to fit; sizes in pixels."""
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
    """The players of a match, with the result and the note, for its pictures.

    A name that the typefaces cannot show is replaced by the seat's letter alone.
    """
    state = state_of(match)
    with translation.override(settings.LANGUAGE_CODE):
        names = {seat.at: seat.name or _("a free seat") for seat in match.seats.order_by("letter")}
        ended = film.result(match, {at: name if written(name) else at for at, name in names.items()})
        shown = {at: name if written(name) else "" for at, name in names.items()}
        sides = {at: state.side(at) for at in names}
        result = render_sentence(ended) if ended else ""
        return People(shown, sides, result, address, imported_note(imported=match.imported))


def write_out(sentences: Sequence[Sentence], names: Mapping[Letter, str]) -> str:
    """Renders the sentences in the language of pictures, with these names."""
    with translation.override(settings.LANGUAGE_CODE):
        shown = {at: name or at for at, name in names.items()}
        return " ".join(render_sentence(sentence, shown) for sentence in sentences)


def written(name: str) -> bool:
    """Tell whether the typefaces, which are Latin, have all letters of this name."""
    return all(ord(letter) < 0x100 for letter in name)


def shortened(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: max(letters - 1, 1)].rstrip()}…"
