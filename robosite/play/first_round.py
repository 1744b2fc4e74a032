"""Hints for newcomers: marks on their pieces, speech bubbles, the goal of the game, a ready-made order."""

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
"""The last turn, counted from 0, in which a page may show the goal."""
MOST_MARKS = 6
"""If the reader has more pieces, none of them is marked."""
FAR = 3
"""The least distance of the middles of two groups, in squares, at which one is left or right of the other."""
NOVELTIES = 5
Point = tuple[float, float]
PLACES = {
    "": "",
    "up": _("at the top"),
    "down": _("at the bottom"),
    "left": _("on the left"),
    "right": _("on the right"),
}


class OwnSide(NamedTuple):
    """The reader's side, its colour, where its pieces are; `marks`: their points, if at most MOST_MARKS."""

    side: str
    colour: Sentence
    place: str
    """The direction from all other pieces to the reader's (a key of PLACES); "" if either has none."""
    aside: str
    """"left" or "right" of all other pieces; "" if less than FAR apart, or if either side has none."""
    changed: bool
    """True if the last turn changed the reader's side, or the match is a rematch in the same game."""
    marks: list[Point]

    @property
    def where(self) -> str:
        return PLACES[self.place]


def first_goal(standing: flow.Standing, seat: Seat, *, sealed: bool) -> Sentence | None:
    """The goal of the game, until the seat's first order or turn NEWCOMER; then, and in a rematch, None."""
    match = standing.match
    if match.status not in flow.GOING_ON or match.turn > NEWCOMER or _is_rematch(match):
        return None
    begun = sealed or any(seat.at in turn for turn in turns_of(match)[:NEWCOMER])
    return None if begun else match.game.goal(match.options, len(standing.seats))


def _is_rematch(match: Match) -> bool:
    return match.rematch_of is not None and match.rematch_of.game_slug == match.game_slug


def note_introduced(seat: Seat, guest: Guest | None) -> None:
    """Stores which explanations a guest has seen with this turn's bubbles (`Guest.seen`)."""
    if guest:
        match = seat.match
        guided = [_turn(match)] if match.turn < match.game.guided or match.game.guided == 1 else []
        guest.note_seen(match.game_slug, [*guided, *(name for name, _told in news(match, seat, guest))])


def _turn(match: Match) -> str:
    """The key of the present turn's explanation, such as "turn 2"; "turn 0" if the game has only one."""
    return f"turn {0 if match.game.guided == 1 else match.turn}"


def news(match: Match, seat: Seat, guest: Guest) -> list[tuple[str, Sentence]]:
    """The first feature that is usable now and not explained to the guest yet: [(name, sentence)], or []."""
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
    """The speech bubbles of this turn: an introduction or, if the guest needs none, a novelty (`news`)."""
    match = standing.match
    if match.status != Match.Status.PLAYING or guest is None:
        return ()
    introduction = _introduction(match, len(standing.seats), guest, goal=goal)
    return introduction or tuple(told for _name, told in news(match, seat, guest))


def _introduction(match: Match, seats: int, guest: Guest, *, goal: Any) -> tuple[Sentence, ...]:
    """The bubbles of the first, guided turns, for a guest who has neither seen them nor played the game."""
    game, turn = match.game, match.turn
    is_due = bool(goal) if game.guided == 1 else turn < game.guided
    if not is_due or _turn(match) in guest.seen.get(game.slug, ()) or _has_played(guest, match):
        return ()
    return game.introduce(match.options, seats, 0 if game.guided == 1 else turn)


def bubble_points(match: Match, seats: int, told: Sequence[Sentence]) -> tuple[str, ...]:
    """The target of each bubble (`BubbleTarget`): the board, unless the game has one for each of them."""
    points = match.game.points_at(match.turn, seats)
    return points if len(points) == len(told) else ("ground",) * len(told)


def ready_order(standing: flow.Standing, seat: Seat, guest: Guest | None) -> str:
    """An order for a newcomer's planner (`State.ready`) or "": the same each time, known to nobody else."""
    match = standing.match
    secret = salted_hmac("ready order", f"{match.key} {seat.letter} {match.turn}").hexdigest()
    ready = standing.state.view(seat.at).ready(seat.at, Random(secret))
    return "" if not ready or guest is None or _has_played(guest, match) else ready


def _has_played(guest: Guest, match: Match) -> bool:
    held = Hold.objects.filter(guest=guest, seat__match__game_slug=match.game_slug).exclude(seat__match=match)
    return held.filter(seat__match__turn__gte=match.game.guided).exists()


def own_side(standing: flow.Standing, seat: Seat, drawing: Mapping[str, Any]) -> OwnSide | None:
    """The reader's side, before the first turn and right after a turn that changed it; otherwise None."""
    match, state = standing.match, standing.state
    if match.status not in flow.GOING_ON or seat.at not in state.still_in():
        return None
    side = state.side(seat.at)
    swapped = match.turn > 0 and states_of(match)[match.turn - 1].side(seat.at) != side
    if match.turn and not swapped:
        return None
    own, others = _apart(drawing, side)
    aside = ""
    if own and others and abs(_middle(own)[0] - _middle(others)[0]) >= FAR:
        aside = "left" if _middle(own)[0] < _middle(others)[0] else "right"
    marks = [(piece.x, piece.y) for piece in drawing.get("pieces", ()) if piece.side == side]
    return OwnSide(
        side=side,
        colour=match.game.colour(side),
        place=_place(own, others),
        aside=aside,
        changed=swapped or _is_rematch(match),
        marks=marks if len(marks) <= MOST_MARKS else [],
    )


def _apart(drawing: Mapping[str, Any], side: str) -> tuple[list[Point], list[Point]]:
    """The points of a side's pieces, and of all others; for a side without pieces, its home counts as one."""
    pieces = drawing.get("pieces", ())
    present = {piece.side for piece in pieces}
    places = [*pieces, *(home for home in drawing.get("homes", ()) if home.side not in present)]
    own = [(place.x, place.y) for place in places if place.side == side]
    others = [(place.x, place.y) for place in places if place.side != side]
    return own, others


def _place(own: Sequence[Point], others: Sequence[Point]) -> str:
    if not own or not others:
        return ""
    (x, y), (x2, y2) = _middle(own), _middle(others)
    if abs(y - y2) >= abs(x - x2):
        return "up" if y < y2 else "down"
    return "left" if x < x2 else "right"


def _middle(points: Sequence[Point]) -> Point:
    return sum(x for x, _y in points) / len(points), sum(y for _x, y in points) / len(points)
