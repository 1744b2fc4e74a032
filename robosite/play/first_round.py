"""Hints for newcomers: marks on the reader's own pieces, speech bubbles, and the goal of the game.

The reader's pieces are marked before the first turn, and after a turn that changed the reader's side. If the
reader has more than MOST_MARKS pieces, none of them is marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop as _

from games.core import Sentence
from robosite.matches import flow
from robosite.matches.history import state_of, states_of, turns_of
from robosite.matches.models import Hold, Match, Seat
from robosite.people.models import Guest

NEWCOMER = 8
"""The last turn of a match, counted from 0, in which a page may show the goal."""
MOST_MARKS = 6
"""The maximum number of own pieces that are marked; if there are more, none of them is marked."""
FAR = 3
"""The minimum distance at which one group of pieces counts as left or right of another, in squares.

It is the horizontal distance between the middles of the groups.
"""
NOVELTIES = 5
"""The maximum number of features in `State.novelties` that are explained."""
Point = tuple[float, float]
PLACES = {
    "": "",
    "up": _("at the top"),
    "down": _("at the bottom"),
    "left": _("on the left"),
    "right": _("on the right"),
}


class OwnSide(NamedTuple):
    """The reader's side, its colour, and the part of the board where its pieces are, as a hint for newcomers.

    `place` is the direction from all other pieces to the reader's, and `aside` is "left", "right" or "".
    `changed` tells whether the side is new to the reader. `marks` are the points (x, y) of the reader's
    pieces, with a square as the unit; [] if there are more than MOST_MARKS pieces.
    """

    side: str
    colour: Sentence
    place: str
    """The direction from all other pieces to the reader's pieces: a key of PLACES.

    If a side has no pieces yet, its home counts as a piece. The value is "" if the reader's side, or every
    other side, has neither pieces nor a home.
    """
    aside: str
    """The position of the reader's pieces relative to all others: "left" or "right".

    The value is "" if the two groups are less than FAR apart horizontally, or if one of them is empty.
    """
    changed: bool
    """A flag: True if the last turn changed the reader's side, or if the match is a rematch in its game."""
    marks: list[Point]

    @property
    def where(self) -> str:
        return PLACES[self.place]


def first_steps(standing: flow.Standing, seat: Seat, *, sealed: bool) -> dict[str, Any]:
    """The template variable `goal`, the goal of the game, for a seat that has not given an order yet.

    It is None in a rematch. `sealed` tells whether the seat has sealed an order in the present turn. Returns
    {} if the match is over, or if the number of turns played is above NEWCOMER.
    """
    match = standing.match
    if match.status not in flow.GOING_ON or match.turn > NEWCOMER:
        return {}
    begun = sealed or any(seat.at in turn for turn in turns_of(match)[:NEWCOMER])
    return {
        "goal": None if begun or _is_rematch(match) else match.game.goal(match.options, len(standing.seats))
    }


def _is_rematch(match: Match) -> bool:
    """Returns True if the match follows another one of the same game, with the same players."""
    return match.rematch_of is not None and match.rematch_of.game_slug == match.game_slug


def introduced_by(match: Match, seat: Seat, guest: Guest) -> list[str]:
    """The names of the explanations that a guest has seen with this turn's bubbles (`Guest.seen`)."""
    guided = match.turn < match.game.guided or match.game.guided == 1
    return [*([_turn(match)] if guided else []), *(name for name, _told in news(match, seat, guest))]


def _turn(match: Match) -> str:
    """The name of the explanation of the present turn; a game may explain the first turn alone."""
    return f"turn {0 if match.game.guided == 1 else match.turn}"


def news(match: Match, seat: Seat, guest: Guest) -> list[tuple[str, Sentence]]:
    """The first feature of the game that the player can use now and that was not explained to the guest yet.

    Returns a list with one pair: the name of the explanation (`Guest.seen`), and the explanation, a sentence
    of `State.novelties`. Returns [] if there is no such feature, or if the match is not being played.
    """
    names = [f"news {n}" for n in range(NOVELTIES)]
    known = set(guest.seen.get(match.game_slug, ()))
    if match.status != Match.Status.PLAYING or known.issuperset(names):
        return []
    found = state_of(match).view(seat.at).novelties(seat.at)
    unknown = [
        (name, sentence)
        for name, sentence in zip(names, found, strict=False)
        if sentence and name not in known
    ]
    return unknown[:1]


def bubbles(standing: flow.Standing, seat: Seat, guest: Guest | None, *, goal: Any) -> tuple[Sentence, ...]:
    """The texts of the speech bubbles that the board shows to the guest in this turn; () if there are none.

    The bubbles introduce the game or, if the guest needs no introduction in this turn, explain a new feature
    (`news`). `goal` is the goal that the page shows (`first_steps`), or None.
    """
    match = standing.match
    if match.status != Match.Status.PLAYING or guest is None:
        return ()
    introduction = _introduction(match, len(standing.seats), guest, goal=goal)
    return introduction or tuple(told for _name, told in news(match, seat, guest))


def _introduction(match: Match, seats: int, guest: Guest, *, goal: Any) -> tuple[Sentence, ...]:
    """The speech bubbles that explain the game to the guest in the present turn; () if there are none.

    Returns () after the first, guided turns (`Game.guided`), and for a guest who has seen the bubbles of this
    turn before. Also returns () for a guest with a seat in another match of the game that is past the guided
    turns.
    `goal` is the goal that the page shows. If `goal` is None, returns () for a game that guides only the
    first turn. `seats` is the number of seats.
    """
    game, turn = match.game, match.turn
    is_due = bool(goal) if game.guided == 1 else turn < game.guided
    if not is_due or guest.has_seen(game.slug, _turn(match)) or _has_played(guest, match):
        return ()
    return game.introduce(match.options, seats, 0 if game.guided == 1 else turn)


def bubble_points(match: Match, seats: int, told: Sequence[Sentence]) -> tuple[str, ...]:
    """The target of each speech bubble: a part of the page, such as "plan" (`BubbleTarget`).

    `told` are the texts of the bubbles, and `seats` is the number of seats. Bubbles point at the board as a
    whole unless the game has exactly one target for each of them (`Game.points_at`).
    """
    points = match.game.points_at(match.turn, seats)
    return points if len(points) == len(told) else ("ground",) * len(told)


def ready_order(standing: flow.Standing, seat: Seat, guest: Guest | None) -> str:
    """A whole order with which a newcomer's planner begins (`State.ready`); "" if the game has none here.

    It is the same each time the page is shown, and nobody else can compute it. Returns "" for a guest with a
    seat in another match of the game that is past the guided turns.
    """
    match = standing.match
    secret = salted_hmac("ready order", f"{match.key} {seat.letter} {match.turn}").hexdigest()
    ready = standing.state.view(seat.at).ready(seat.at, Random(secret))
    return "" if not ready or guest is None or _has_played(guest, match) else ready


def _has_played(guest: Guest, match: Match) -> bool:
    """Returns True if the guest holds a seat in another match of this game that is past its guided turns.

    Guided turns are those in which speech bubbles explain the game.
    """
    held = Hold.objects.filter(guest=guest, seat__match__game_slug=match.game_slug).exclude(seat__match=match)
    return held.filter(seat__match__turn__gte=match.game.guided).exists()


def own_side(standing: flow.Standing, seat: Seat, drawing: Mapping[str, Any]) -> OwnSide | None:
    """The reader's side, before the first turn and right after a turn that changed the side; otherwise None.

    Returns None, too, if the match is over or the reader's seat is out of the match. `drawing` is the drawing
    of the present position (`State.drawing`).
    """
    match, state = standing.match, standing.state
    if match.status not in flow.GOING_ON or seat.at not in state.still_in():
        return None
    side = state.side(seat.at)
    swapped = match.turn > 0 and states_of(match)[match.turn - 1].side(seat.at) != side
    if match.turn and not swapped:
        return None
    own, others = _apart(drawing, side)
    marks = [(piece.x, piece.y) for piece in drawing.get("pieces", ()) if piece.side == side]
    return OwnSide(
        side=side,
        colour=match.game.colour(side),
        place=_place(own, others),
        aside=_aside(own, others),
        changed=swapped or _is_rematch(match),
        marks=marks if len(marks) <= MOST_MARKS else [],
    )


def _apart(drawing: Mapping[str, Any], side: str) -> tuple[list[Point], list[Point]]:
    """The points where a side's pieces are, and the points where all other pieces are.

    `drawing` is the drawing of a position (`State.drawing`). For a side that has no pieces yet, its home
    counts as a piece.
    """
    pieces = drawing.get("pieces", ())
    present = {piece.side for piece in pieces}
    places = [*pieces, *(home for home in drawing.get("homes", ()) if home.side not in present)]
    own = [(place.x, place.y) for place in places if place.side == side]
    others = [(place.x, place.y) for place in places if place.side != side]
    return own, others


def _place(own: Sequence[Point], others: Sequence[Point]) -> str:
    """The direction in which the points `own` lie from the points `others`: "up", "down", "left" or "right".

    The middles of the two groups are compared. Returns "" if one of the groups is empty.
    """
    if not own or not others:
        return ""
    (x, y), (x2, y2) = _middle(own), _middle(others)
    if abs(y - y2) >= abs(x - x2):
        return "up" if y < y2 else "down"
    return "left" if x < x2 else "right"


def _aside(own: Sequence[Point], others: Sequence[Point]) -> str:
    if not own or not others or abs(_middle(own)[0] - _middle(others)[0]) < FAR:
        return ""
    return "left" if _middle(own)[0] < _middle(others)[0] else "right"


def _middle(points: Sequence[Point]) -> Point:
    return sum(x for x, _y in points) / len(points), sum(y for _x, y in points) / len(points)
