"""Squares (files a, b, c … from the left, ranks 1, 2, 3 … from the bottom), and rows of squares as text."""

from __future__ import annotations

import re
from typing import NamedTuple

FILES = "abcdefghijklmnop"
FREE = "."
"""The character for an empty square in a row that has one character for each square."""
RUN = re.compile(re.escape(FREE) + "+")


class Square(NamedTuple):
    """A square by its file and rank, both counted from 0."""

    file: int
    rank: int

    @classmethod
    def named(cls, name: str) -> Square:
        """Returns the square with this name, such as `d8`; raises ValueError if the text is no such name."""
        file, rank = FILES.find(name[:1]), name[1:]
        if len(name) < 2 or file < 0 or not (rank.isascii() and rank.isdigit()) or rank[0] == "0":
            raise ValueError(f"“{name}” is no square.")
        return cls(file, int(rank) - 1)

    def __str__(self) -> str:
        return f"{FILES[self.file]}{self.rank + 1}"

    def on(self, width: int, height: int) -> bool:
        return 0 <= self.file < width and 0 <= self.rank < height

    def centre(self, height: int) -> tuple[float, float]:
        """The centre of the square in a drawing, in squares from the top left corner."""
        return self.file + 0.5, height - self.rank - 0.5


def shorten_runs(rows: str) -> str:
    """Replaces each run of empty squares with its length: `...b...` becomes `3b3` (docs/record.md)."""
    return RUN.sub(lambda run: str(len(run[0])), rows)
