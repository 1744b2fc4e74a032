"""The texts on the pictures of a match: the players' names, the result, and the site's address."""

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
"""The average width of a character of a name, as a fraction of the font size."""
PLATE = 54
"""The width in pixels of the plate with a seat's letter, and of the space before the player's name."""
IN_A_ROW = 4
NOTE = 32
"""The height in pixels of the line that says that a match was imported."""


class Caption(NamedTuple):
    """The position of a player's plate (a coloured sign) and name on a picture, in pixels."""

    seat: str
    side: str
    name: str
    x: int
    y: int


class People(NamedTuple):
    """The texts on the pictures of a match; a name is "" if the pictures' fonts cannot show it."""

    names: dict[Letter, str]
    sides: dict[Letter, str]
    result: str
    address: str
    note: str = ""

    @property
    def tag(self) -> str:
        """A hash of the players' names, the address and the note, for the cache keys of pictures."""
        parts = sorted(self.names.items()), self.address, self.note
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]

    def plates(self, *, x: int, y: int, width: int, size: int = 26, apart: int = 56) -> list[Caption]:
        """Lays out the players in rows of at most IN_A_ROW, with names shortened to fit; all in pixels."""
        columns = min(len(self.names), IN_A_ROW)
        each = width // columns
        letters = int((each - PLATE - 16) / (size * LETTER))
        return [
            Caption(
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
    """The texts for a match's pictures, in the site's language; names that fonts lack are left out."""
    state = state_of(match)
    with translation.override(settings.LANGUAGE_CODE):
        names = {seat.at: seat.name or _("a free seat") for seat in match.seats.order_by("letter")}
        ended = film.result(match, {at: name if written(name) else at for at, name in names.items()})
        shown = {at: name if written(name) else "" for at, name in names.items()}
        sides = {at: state.side(at) for at in names}
        result = render_sentence(ended) if ended else ""
        return People(shown, sides, result, address, imported_note(imported=match.imported))


def write_out(sentences: Sequence[Sentence], names: Mapping[Letter, str]) -> str:
    """Renders sentences in the site's default language; a seat with an empty name is named by its letter."""
    with translation.override(settings.LANGUAGE_CODE):
        shown = {at: name or at for at, name in names.items()}
        return " ".join(render_sentence(sentence, shown) for sentence in sentences)


def written(name: str) -> bool:
    """Returns True if the fonts of pictures, which have only Latin letters, can show all of a name."""
    return all(ord(letter) < 0x100 for letter in name)


def shortened(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: max(letters - 1, 1)].rstrip()}…"
