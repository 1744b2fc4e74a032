"""Parses the texts of Robosoccer: the board of a setup, and positions in the notation of docs/record.md."""

import re

from games.core import Setup
from games.robosoccer.board import (
    BALL,
    BLACK,
    BUILT_IN,
    EMPTY,
    LETTERS,
    ROBOTS,
    Board,
    board_of,
    kind,
    owner,
    read_spec,
)
from games.robosoccer.turns import PLACING, PLAYING


def board_for(setup: Setup) -> Board:
    spec = read_spec(setup["board"]) if "board" in setup else BUILT_IN
    return board_of(spec.turned(setup["arrows"]) if "arrows" in setup else spec)


def read_cells(text: str, board: Board) -> tuple[bytes, int]:
    """Parses a position's text into `cells` and the side to act; raises ValueError for another text."""
    place, _, side = text.partition(" ")
    rows = place.split("/")
    if side not in ("w", "b") or len(rows) != board.rows:
        raise ValueError(f"“{text}” is no position: {board.rows} rows, and w or b.")
    cells = bytearray()
    for row in reversed(rows):
        squares = bytearray()
        for digits, letter in re.findall(r"(\d+)|(.)", row, re.ASCII | re.DOTALL):
            if letter and (letter == LETTERS[EMPTY] or letter not in LETTERS):
                raise ValueError(f"“{letter}” in “{text}” is no piece.")
            if digits and (digits[0] == "0" or len(digits) > 2):
                raise ValueError(f"“{digits}” in “{text}” is no number of squares.")
            squares += bytes(int(digits)) if digits else bytes([LETTERS.index(letter)])
        if len(squares) != board.columns:
            raise ValueError(f"“{row}” in “{text}” has {len(squares)} squares, not {board.columns}.")
        cells += squares
    return bytes(cells), int(side == "b")


def read_stage(text: str, board: Board, cells: bytes, side: int) -> int:
    """Returns the number of setup turns that have been played (ruling S1); ValueError if none fits."""
    counts = [cells.count(code) for code in range(len(LETTERS))]
    balls = [counts[BALL], counts[BALL + BLACK]]
    if balls == [1, 1]:
        if any(counts[code + colour] > 2 for code in ROBOTS for colour in (0, BLACK)):
            raise ValueError(f"“{text}” has more than two robots of one size.")
        return PLAYING
    for stage, (white, black, white_ball) in enumerate([(0, 0, 0), (2, 0, 0), (2, 2, 0), (2, 2, 1)]):
        robots = [white] * 3, [black] * 3
        if (counts[1:4], counts[5:8]) == robots and balls == [white_ball, 0] and side == PLACING[stage]:
            if _in_their_rows(board, cells):
                return stage
    raise ValueError(f"“{text}” is no position that a match can come to.")


def _in_their_rows(board: Board, cells: bytes) -> bool:
    """Returns True if all pieces are in the rows where the setup puts them (ruling S1)."""
    for square, code in enumerate(cells):
        if code:
            rows = board.second_rows if kind(code) == BALL else board.homes
            row = rows[owner(code)]
            if not row.start <= square < row.stop:
                return False
    return True
