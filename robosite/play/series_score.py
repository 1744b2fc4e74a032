"""The series that a match belongs to, as pages show it: the match's number, the score, what comes next."""

from collections.abc import Mapping
from typing import Any

from games.core import Seat as Letter
from robosite.matches.flow import series
from robosite.matches.models import Match

HALF, NEARLY = "½", 1e-9


def points_text(points: float) -> str:
    """Points as text: 2, 1½, or 0.33 for a third."""
    whole, rest = divmod(points + NEARLY, 1)
    if rest < 2 * NEARLY:
        return str(int(whole))
    if abs(rest - 0.5) < 2 * NEARLY:
        return f"{int(whole) or ''}{HALF}"
    return f"{points:.2f}"


def score_text(points: Mapping[Letter, float], names: Mapping[Letter, str], own: Letter | None = None) -> str:
    """`Ada 2 : 1 Ben` or, with more players, `Ada 2, Ben 1, Charlie 0`; the reader's seat (`own`) first."""
    seats = sorted(points, key=lambda seat: (seat != own, seat))
    if len(seats) == 2:
        one, other = seats
        return f"{names[one]} {points_text(points[one])} : {points_text(points[other])} {names[other]}"
    return ", ".join(f"{names[seat]} {points_text(points[seat])}" for seat in seats)


def show_series(match: Match, names: Mapping[Letter, str], own: Letter | None) -> dict[str, Any] | None:
    """The context of the match's series, for the reader's seat `own`; None if it belongs to none."""
    score = series.score_of(match)
    if score is None:
        return None
    other = series.other_of_pair(match) if score.pair else None
    by = 1 if score.number == 1 else -1
    to = other.get_absolute_url() if other else ""
    if other and own:
        to = f"{to}{series.next_seat(own, len(score.points), by)}/"
    in_order = sorted(score.points, key=lambda seat: (seat != own, seat))
    winners = score.winners if score.decided else []
    return {
        "of": score.of,
        "pair": score.pair,
        "number": score.number,
        "played": score.played,
        "score": score_text(score.points, names, own),
        "decided": score.decided,
        "winner": names[winners[0]] if len(winners) == 1 else "",
        "won": winners == [own],
        "numbers": " : ".join(points_text(score.points[seat]) for seat in in_order),
        "goes_on": series.is_under_way(match),
        "other": to,
    }
