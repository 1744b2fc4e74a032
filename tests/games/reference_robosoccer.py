"""A second Robosoccer, slow and plain, written from the rulings S1 to S12 alone, to compare the rules with.

Squares are (file, row) from 1; the pitch is a dict from squares to letters as positions write them (white
capitals, black small ones). A turn is every sequence that can be played, tried one after the other.
"""

from __future__ import annotations

import json
from pathlib import Path

BUILT_IN = json.loads((Path(__file__).parents[2] / "games" / "robosoccer" / "board.json").read_text())
WEIGHT = {"S": 1, "M": 2, "L": 3}
WAYS = {"up": (0, 1), "down": (0, -1), "right": (1, 0), "left": (-1, 0)}


class Pitch:
    def __init__(self, board=None, signs=None):
        board = board or BUILT_IN
        self.width, self.height = board["columns"], board["rows"]
        self.walls = {frozenset(map(self.at, pair)) for pair in board["lines"]}
        self.one_way = set()
        for n, (tail, head) in enumerate(board["arrows"]):
            if signs and signs[n] == "-":
                tail, head = head, tail
            self.one_way.add((self.at(tail), self.at(head)))
        for tail, head in board.get("fixed_arrows", []):
            self.one_way.add((self.at(tail), self.at(head)))

    @staticmethod
    def at(name):
        return ord(name[0]) - ord("a") + 1, int(name[1:])

    @staticmethod
    def name(square):
        return chr(ord("a") + square[0] - 1) + str(square[1])

    def beside(self, square, way):
        """The neighbour, around the cylinder; None above the top and below the bottom (S2)."""
        file, row = square[0] + WAYS[way][0], square[1] + WAYS[way][1]
        if row < 1 or row > self.height:
            return None
        if file == 0:
            file = self.width
        if file == self.width + 1:
            file = 1
        return file, row

    def passable(self, here, there):
        return frozenset((here, there)) not in self.walls and (there, here) not in self.one_way


def side_of(letter):
    return "w" if letter.isupper() else "b"


def single_actions(pitch, pieces, side):
    """Every single action: its text, and the pieces after it."""
    found = {}
    for here, letter in pieces.items():
        if side_of(letter) != side or letter in "Oo":
            continue
        for way in WAYS:
            there = pitch.beside(here, way)
            if there is None or not pitch.passable(here, there):
                continue
            if there not in pieces:  # S3
                then = {s: p for s, p in pieces.items() if s != here}
                then[there] = letter
                found[f"{pitch.name(here)}-{pitch.name(there)}"] = then
                continue
            other = pieces[there]
            if side_of(other) == side or other in "Oo":
                continue
            behind = pitch.beside(there, way)
            if behind is None or not pitch.passable(there, behind) or behind in pieces:
                continue
            then = {s: p for s, p in pieces.items() if s not in (here, there)}
            if WEIGHT[other.upper()] <= WEIGHT[letter.upper()]:  # S5
                then[there], then[behind] = letter, other
                found[f"{pitch.name(here)}>{pitch.name(there)}"] = then
            else:  # S6
                then[there], then[behind] = other, letter
                found[f"{pitch.name(here)}^{pitch.name(behind)}"] = then
    for here, letter in pieces.items():  # S4
        for there, other in pieces.items():
            if side_of(letter) != side or side_of(other) != side:
                continue
            if letter in "Oo" or other not in "Oo":
                continue
            dx, dy = there[0] - here[0], there[1] - here[1]
            if dx == 0 or (dy != 0 and abs(dx) != abs(dy)):
                continue
            n = abs(dx)
            between = [(here[0] + k * dx // n, here[1] + k * dy // n) for k in range(1, n)]
            if any(square in pieces for square in between):
                continue
            then = dict(pieces)
            then[here], then[there] = other, letter
            found[f"{pitch.name(here)}={pitch.name(there)}"] = then
    return found


def scored(pitch, pieces, side):
    ball, row = ("O", pitch.height) if side == "w" else ("o", 1)
    return any(letter == ball and square[1] == row for square, letter in pieces.items())


def own(pieces, side):
    return sorted((square, letter) for square, letter in pieces.items() if side_of(letter) == side)


def may_stop(pitch, before, then, side):
    if scored(pitch, then, side):  # S8
        return True
    if own(before, side) == own(then, side):  # S9
        return False
    home = 1 if side == "w" else pitch.height
    return len([square for square, _ in own(then, side) if square[1] == home]) < 6  # S10


def legal_turns(pitch, pieces, side, exactly_two=False):
    """Every legal turn's text, and the pieces after it (S7, with `actions: two` if `exactly_two`)."""
    found = {}
    for first, between in single_actions(pitch, pieces, side).items():
        wins = scored(pitch, between, side)
        if wins or (not exactly_two and may_stop(pitch, pieces, between, side)):
            found[first] = between
        if wins:
            continue
        for second, then in single_actions(pitch, between, side).items():
            if may_stop(pitch, pieces, then, side):
                found[f"{first} {second}"] = then
    return found


def written(pitch, pieces, side):
    rows = []
    for row in range(pitch.height, 0, -1):
        text, gap = "", 0
        for file in range(1, pitch.width + 1):
            if (file, row) in pieces:
                text += (str(gap) if gap else "") + pieces[file, row]
                gap = 0
            else:
                gap += 1
        rows.append(text + (str(gap) if gap else ""))
    return "/".join(rows) + " " + side


def read(pitch, text):
    """The pieces and the side of a position."""
    rows, side = text.split(" ")
    pieces = {}
    for down, row in enumerate(rows.split("/")):
        file, digits = 1, ""
        for sign in row + " ":
            if sign.isdigit():
                digits += sign
                continue
            file += int(digits or 0)
            digits = ""
            if sign != " ":
                pieces[file, pitch.height - down] = sign
                file += 1
    return pieces, side


class Match:
    """A whole match: `turn` plays an order that must be legal and gives the position after it."""

    def __init__(self, board=None, signs=None, exactly_two=False):
        self.pitch, self.exactly_two = Pitch(board, signs), exactly_two
        self.pieces, self.turns, self.outcome, self.past = {}, 0, None, []

    @property
    def side(self):
        return ("w", "b", "w", "b")[self.turns] if self.turns < 4 else "bw"[self.turns % 2]

    def legal(self):
        """All legal orders now."""
        pitch, side = self.pitch, self.side
        if self.turns < 2:
            return line_ups(pitch.width)
        if self.turns < 4:
            row = 2 if side == "w" else pitch.height - 1
            return [pitch.name((file, row)) for file in range(1, pitch.width + 1)]
        return list(legal_turns(pitch, self.pieces, side, self.exactly_two))

    def turn(self, order):
        pitch, side = self.pitch, self.side
        if self.turns < 2:
            row = 1 if side == "w" else pitch.height
            for file, letter in enumerate(order, 1):
                if letter != ".":
                    self.pieces[file, row] = letter if side == "w" else letter.lower()
        elif self.turns < 4:
            self.pieces[pitch.at(order)] = "O" if side == "w" else "o"
        else:
            self.pieces = legal_turns(pitch, self.pieces, side, self.exactly_two)[order]
        self.turns += 1
        text = written(pitch, self.pieces, self.side)
        if self.turns >= 4:
            self.past.append(text)
            if scored(pitch, self.pieces, side) and self.turns > 4:
                self.outcome = ("goal", side)
            elif self.past.count(text) == 3:  # S12, before S11
                self.outcome = ("repetition", None)
            elif not legal_turns(pitch, self.pieces, self.side, self.exactly_two):
                self.outcome = ("no legal turn", side)
        return text


def line_ups(width):
    """Every arrangement of two L, M and S on a row of that many squares, dots between them."""
    found = [""]
    for _ in range(width):
        found = [
            text + letter
            for text in found
            for letter in "LMS."
            if text.count(letter) < (2 if letter != "." else width - 6)
        ]
    return found
