"""The events of a turn of Robble, as data and as sentences, and the board in words."""

from typing import Any

from games.core import Event, Seat, Sentence
from games.robble.rules import Position
from games.robble.stones import (
    LETTERS,
    OFF,
    PUSHED,
    SWAPPED,
    TURNED,
    Board,
    Group,
    Touched,
    bits,
    counted,
    score,
    touched,
)

COLOURS = (Sentence("Black"), Sentence("White"))
STONES = (Sentence("black stone"), Sentence("white stone"))


PLACED = "placed"


def events(state: Position) -> list[Event]:
    """Returns the events of the turn that led here, or `state.news` (see `teaching/described.py`)."""
    seat = seat_of_turn(state)
    if seat is None:
        return [dict(event) for event in state.news]
    side, names = state.side(seat), state.board.names
    if state.square == SWAPPED:
        return [{"kind": "swapped", "by": seat, "side": side}]
    happened: list[Event] = [{"kind": PLACED, "by": seat, "side": side, "at": names[state.square]}]
    for kind, colour, at, to in touches(state):
        if kind == TURNED:
            happened.append({"kind": kind, "by": seat, "side": LETTERS[1 - colour], "at": names[at]})
        else:
            event = {"kind": kind, "by": seat, "side": LETTERS[colour], "from": names[at]}
            happened.append(event if to is None else {**event, "to": names[to]})
    return happened + _ending(state, seat)


def _ending(state: Position, by: Seat) -> list[Event]:
    if not state.ended:
        return []
    if state.ended.reason == "repetition":
        return [{"kind": "repeated", "by": by}]
    result = score(state.board, state.stones)
    if result.winner is None:
        return [{"kind": "cancelled", "by": state.seat(state.colour_to_move)}]
    by = state.seat(result.winner)
    return [{"kind": "won", "by": by, "size": result.bigger, "other": result.smaller}]


def seat_of_turn(state: Position) -> Seat | None:
    """The seat whose turn led to this position; None if the last change was not a turn of the game."""
    if state.square == SWAPPED:
        return state.seat(0)
    return state.seat(state.board.to_move(state.before)) if state.square >= 0 else None


def touches(state: Position) -> list[Touched]:
    """The effects on neighbours of the placement that led to this position; [] if none led to it."""
    return touched(state.board, state.before, state.square) if state.square >= 0 else []


HIGHLIGHTS = {PUSHED: 2, TURNED: 3, OFF: 4, "swapped": 4, "won": 5, "cancelled": 5}


def highlight(event: Event) -> int:
    """Rates an event: 5 for an end that the groups decide, 2 to 4 for a swap or an effect, else 0."""
    return HIGHLIGHTS.get(event["kind"], 0)


SENTENCES = {
    (PLACED, "b"): "{by} places a black stone on {at}.",
    (PLACED, "w"): "{by} places a white stone on {at}.",
    (PUSHED, "b"): "The black stone on {start} is pushed to {to}.",
    (PUSHED, "w"): "The white stone on {start} is pushed to {to}.",
    (OFF, "b"): "The black stone on {start} is pushed off the board.",
    (OFF, "w"): "The white stone on {start} is pushed off the board.",
    (TURNED, "b"): "The white stone on {at} turns over and is black.",
    (TURNED, "w"): "The black stone on {at} turns over and is white.",
    ("swapped", "b"): (
        "{by} swaps colours, since Black’s first stone looks better than any answer to it: {by} plays "
        "Black from now on, and {other} plays White."
    ),
    ("swapped", "w"): (
        "{by} swaps colours, since White’s first stone looks better than any answer to it: {by} plays "
        "White from now on, and {other} plays Black."
    ),
}


def touched_words(board: Board, touch: Touched) -> Sentence:
    """A sentence on the effect of a placement, played or planned, on a neighbour."""
    kind, colour, at, to = touch
    names = board.names
    if kind == TURNED:
        return Sentence(SENTENCES[kind, LETTERS[1 - colour]], at=names[at])
    if to is None:
        return Sentence(SENTENCES[kind, LETTERS[colour]], start=names[at])
    return Sentence(SENTENCES[kind, LETTERS[colour]], start=names[at], to=names[to])


def tell(event: Event) -> Sentence:
    facts = {key: value for key, value in event.items() if key not in ("kind", "side", "from")}
    facts["by"] = Seat(event["by"])
    if "from" in event:
        facts["start"] = event["from"]
    if event["kind"] == "swapped":
        facts["other"] = Seat("A" if event["by"] == "B" else "B")
    match event:
        case {"kind": "won", "other": 0}:
            return Sentence(
                "The board is full. {by} wins with a group of {size} left; the opponent has none.",
                **facts,
            )
        case {"kind": "won"}:
            return Sentence("The board is full. {by} wins: biggest groups left {size} to {other}.", **facts)
        case {"kind": "cancelled"}:
            return Sentence(
                "The board is full and all groups cancel out. Whoever placed last loses: {by} wins.", **facts
            )
        case {"kind": "repeated"}:
            return Sentence("This position has occurred for the third time: a draw.", **facts)
        case {"kind": kind, "side": side} if (kind, side) in SENTENCES:
            return Sentence(SENTENCES[kind, side], **facts)
    raise ValueError(f"no sentence for {event}")


def words(state: Position) -> list[Sentence]:
    """The board in words: each side's groups; during the match also the standing, and whose turn it is."""
    found = counted(state.board, state.stones)
    sentences = [sentence for colour in (0, 1) for sentence in _side_in_words(state, colour, found)]
    if not state.ended:
        sentences.append(standing(state))
        sentences.append(Sentence("It’s {by}’s turn.", by=state.seat(state.colour_to_move)))
    return sentences


def _side_in_words(state: Position, colour: int, found: list[Group]) -> list[Sentence]:
    own = [group for group in found if group.colour == colour]
    facts: dict[str, Any] = {"by": state.seat(colour), "colour": COLOURS[colour]}
    if not own:
        return [Sentence("{by} plays {colour} and has no stones on the board.", **facts)]
    sentences = [Sentence("{by} plays {colour}: {n} stones.", n=sum(group.size for group in own), **facts)]
    if sum(group.size for group in own) == 1:
        sentences = [Sentence("{by} plays {colour}: one stone.", **facts)]
    for group in own:
        if group.size > 1:
            squares = squares_of(state.board, group)
            sentences.append(
                Sentence("{colour}: a group of {n} on {squares}.", n=group.size, squares=squares, **facts)
            )
    alone = ", ".join(sorted(squares_of(state.board, group) for group in own if group.size == 1))
    if alone:
        sentences.append(Sentence("{colour}: alone on {squares}.", squares=alone, **facts))
    return sentences


def squares(state: Position) -> dict[str, Sentence]:
    return {
        name: STONES[colour]
        for colour in (0, 1)
        for name in (state.board.names[at] for at in bits(state.board.stones_of(state.stones, colour)))
    }


def squares_of(board: Board, group: Group) -> str:
    return ", ".join(sorted(board.names[square] for square in bits(group.squares)))


def standing(state: Position) -> Sentence:
    """A sentence on who would win if the board were full now, with the sizes that decide (ruling B3)."""
    result = score(state.board, state.stones)
    if not state.board.stones_of(state.stones, 0) | state.board.stones_of(state.stones, 1):
        return Sentence("The board is empty.")
    if result.winner is None:
        return Sentence(
            "If the board were full now, all groups would cancel out, and whoever placed last would lose."
        )
    facts = {"by": state.seat(result.winner), "size": result.bigger, "other": result.smaller}
    if not result.smaller:
        return Sentence(
            (
                "If the board were full now, {by} would win with a group of {size}; the opponent "
                "would have none left."
            ),
            **facts,
        )
    return Sentence(
        "If the board were full now, {by} would win: biggest groups left {size} to {other}.", **facts
    )


SECOND_PERSON = {
    ("{by} places a black stone on {at}.", "by"): "You place a black stone on {at}.",
    ("{by} places a white stone on {at}.", "by"): "You place a white stone on {at}.",
    (
        "{by} swaps colours, since Black’s first stone looks better than any answer to it: {by} plays "
        "Black from now on, and {other} plays White.",
        "by",
    ): ("You swap colours: you play Black from now on, and {other} plays White."),
    (
        "{by} swaps colours, since Black’s first stone looks better than any answer to it: {by} plays "
        "Black from now on, and {other} plays White.",
        "other",
    ): (
        "{by} swaps colours, since your first stone looks better than any answer to it: {by} plays Black "
        "from now on, and you play White."
    ),
    (
        "{by} swaps colours, since White’s first stone looks better than any answer to it: {by} plays "
        "White from now on, and {other} plays Black.",
        "by",
    ): ("You swap colours: you play White from now on, and {other} plays Black."),
    (
        "{by} swaps colours, since White’s first stone looks better than any answer to it: {by} plays "
        "White from now on, and {other} plays Black.",
        "other",
    ): (
        "{by} swaps colours, since your first stone looks better than any answer to it: {by} plays White "
        "from now on, and you play Black."
    ),
    ("The board is full. {by} wins with a group of {size} left; the opponent has none.", "by"): (
        "The board is full. You win: you have a group of {size} left, your opponent none."
    ),
    ("The board is full. {by} wins: biggest groups left {size} to {other}.", "by"): (
        "The board is full. You win: biggest groups left {size} to {other}."
    ),
    ("The board is full and all groups cancel out. Whoever placed last loses: {by} wins.", "by"): (
        "The board is full and all groups cancel out. Whoever placed last loses: you win."
    ),
    ("It’s {by}’s turn.", "by"): "It’s your turn.",
    ("{by} plays {colour} and has no stones on the board.", "by"): (
        "You play {colour} and have no stones on the board."
    ),
    ("{by} plays {colour}: {n} stones.", "by"): "You play {colour}: {n} stones.",
    ("{by} plays {colour}: one stone.", "by"): "You play {colour}: one stone.",
    (
        "If the board were full now, {by} would win with a group of {size}; the opponent would have "
        "none left.",
        "by",
    ): ("If the board were full now, you’d win with a group of {size}; your opponent would have none left."),
    ("If the board were full now, {by} would win: biggest groups left {size} to {other}.", "by"): (
        "If the board were full now, you’d win: biggest groups left {size} to {other}."
    ),
}
"""The sentences of this module as the player concerned reads them (`Game.second_person`)."""
