"""Robble once more, slowly and naively: dictionaries of square names, everything searched, nothing shared.

Written from the rulings B1 to B4 and the notation alone, to be compared with `games.robble`.
"""

from __future__ import annotations

FILES = "abcdefghi"
OTHER = {"b": "w", "w": "b"}


def read(text: str) -> tuple[dict[str, str], str]:
    """The stone on each square ("" for none), and the colour to move."""
    rows, mover = text.split(" ")
    board = {}
    lines = rows.split("/")
    for i, line in enumerate(lines):
        rank = len(lines) - i
        file = 0
        for c in line:
            if c in "bw":
                board[FILES[file] + str(rank)] = c
                file += 1
            else:
                for _ in range(int(c)):
                    board[FILES[file] + str(rank)] = ""
                    file += 1
    return board, mover


def write(board: dict[str, str], mover: str) -> str:
    size = int(len(board) ** 0.5)
    lines = []
    for rank in range(size, 0, -1):
        line = "".join(board[file + str(rank)] or "." for file in FILES[:size])
        for run in range(size, 0, -1):
            line = line.replace("." * run, str(run))
        lines.append(line)
    return "/".join(lines) + " " + mover


def beside(square: str, dx: int, dy: int) -> str:
    """The name that many files and ranks away, maybe of no square."""
    i = FILES.find(square[0]) + dx
    return (FILES[i] if 0 <= i < len(FILES) else "?") + str(int(square[1:]) + dy)


def place(text: str, square: str) -> str:
    """The position after whoever is to move has placed there (B1)."""
    old, mover = read(text)
    assert old[square] == ""
    new = dict(old)
    new[square] = mover
    for dx, dy in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
        a, b = beside(square, dx, dy), beside(square, 2 * dx, 2 * dy)
        if not old.get(a):
            continue
        if b not in old:
            new[a] = ""
        elif old[b]:
            new[a] = OTHER[old[a]]
        else:
            new[a] = ""
            new[b] = old[a]
    return write(new, OTHER[mover])


def group_sizes(board: dict[str, str], colour: str) -> list[int]:
    todo = [square for square in board if board[square] == colour]
    sizes = []
    while todo:
        group = [todo.pop()]
        for square in group:  # grows while it is walked
            for dx, dy in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
                near = beside(square, dx, dy)
                if near in todo:
                    todo.remove(near)
                    group.append(near)
        sizes.append(len(group))
    return sizes


def left_over(text: str) -> dict[str, list[int]]:
    """The sizes that are left once pairs of equal size and different colours are gone (B3)."""
    board, _ = read(text)
    black, white = group_sizes(board, "b"), group_sizes(board, "w")
    while pairs := [size for size in black if size in white]:
        black.remove(pairs[0])
        white.remove(pairs[0])
    return {"b": sorted(black, reverse=True), "w": sorted(white, reverse=True)}


def winner(text: str) -> str:
    """The colour that wins on this full board (B3)."""
    board, mover = read(text)
    assert all(board.values())
    left = left_over(text)
    if not left["b"] and not left["w"]:
        return mover  # the other one placed last
    return "b" if max([*left["b"], 0]) > max([*left["w"], 0]) else "w"


def play(size: int, orders: list[str], pie: bool = True) -> tuple[list[str], dict[str, float] | None, str]:
    """A whole match from the empty board: positions, scores and reason at the end (or None and "")."""
    position = write({f + str(r + 1): "" for f in FILES[:size] for r in range(size)}, "b")
    positions, counted = [position], [position]
    colours = {"A": "b", "B": "w"}
    for number, order in enumerate(orders):
        if order == "swap":
            assert number == 1 and pie
            colours = {"A": "w", "B": "b"}
            positions.append(position)
            continue
        seat = {c: s for s, c in colours.items()}[position[-1]]
        assert seat == "AB"[number % 2]
        position = place(position, order)
        positions.append(position)
        counted.append(position)
        board, _ = read(position)
        if all(board.values()):
            assert number == len(orders) - 1
            won = winner(position)
            left = left_over(position)
            reason = "largest group" if left["b"] or left["w"] else "cancelled"
            return positions, {s: float(c == won) for s, c in colours.items()}, reason
        if counted.count(position) == 3:
            assert number == len(orders) - 1
            return positions, {"A": 0.5, "B": 0.5}, "repetition"
    return positions, None, ""
