"""A match as one token, or nobody, may see it. Everything of a game in it comes through `State.view`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from django.db.models import prefetch_related_objects

from games.core import IllegalOrder, State
from games.core import Seat as Letter
from robosite.api import shapes
from robosite.matches import flow
from robosite.matches.history import film, state_of, turns_of
from robosite.matches.models import Match, Program, Seat

MOST_LEGAL = 1_000
"""More legal orders than these are not listed."""
MOST_TRIED = 6_000
"""How many unfinished orders are looked at before the list is given up."""


def see(match: Match, seat: Seat | None, *, since: int = 0, legal: bool = False) -> shapes.Match:
    prefetch_related_objects([match], "seats")  # once for all that asks for them below
    you = seat.at if seat else None
    state = state_of(match)
    seats = list(match.seats.all())
    playing = match.status == Match.Status.PLAYING
    going_on = playing or match.status == Match.Status.OPEN
    seals = _seals(match, going_on)
    return shapes.Match(
        match=match.key,
        game=match.game_slug,
        rules=match.rules,
        options=match.given_options,
        setup=match.setup,
        status=match.status,  # type: ignore[arg-type]
        version=match.version,
        seats=see_seats(seats),
        you=you,
        turn=match.turn,
        to_act=_letters(flow.owing(match)),
        sealed=_letters(seals[match.turn]) if going_on else [],
        seals=seals,
        draws=[s.letter for s in seats if playing and flow.standing_draw(s, match)],
        resigned=[s.letter for s in seats if playing and s.resigned_turn == match.turn],
        draft=(flow.draft_of(match, seat) or None) if seat else None,
        order=_own_order(match, seat) if seat and going_on else None,
        deadline=moment(match.deadline) if match.deadline else None,
        late=match.late,  # type: ignore[arg-type]
        claimable=_claimable(match, state),
        position=state.view(you).position(),
        turns=_turns(match, state, you, since),
        events=[_events(match, turn, you) for turn in range(since, match.turn)],
        outcome=shapes.Outcome(**match.outcome_json) if match.outcome_json else None,
        legal=_legal(match, state, seat) if seat and legal else None,
    )


def see_seats(seats: Iterable[Seat]) -> dict[str, shapes.Player | None]:
    return {s.letter: shapes.Player(name=s.name, kind=s.kind) if s.taken else None for s in seats}  # type: ignore[arg-type]


def moment(at: datetime) -> str:
    """ISO 8601 in UTC."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _letters(seats: Iterable[str]) -> list[str]:
    return sorted(map(str, seats))


def _seals(match: Match, going_on: bool) -> list[dict[str, str]]:
    """The seals of the played turns, and of the present one while there is one."""
    seals: list[dict[str, str]] = [{} for _ in range(match.turn + going_on)]
    rows = Program.objects.filter(seat__match=match, turn__lt=len(seals)).exclude(seal="")
    for turn, letter, seal in rows.order_by("seat__letter").values_list("turn", "seat__letter", "seal"):
        seals[turn][letter] = seal
    return seals


def _own_order(match: Match, seat: Seat) -> str | None:
    receipt = flow.order_of(match, seat)
    return receipt.order if receipt else None


def _claimable(match: Match, state: State) -> list[str]:
    """Who is late, if anybody is there who may stop waiting for them: the same for every reader."""
    if not match.overdue:
        return []
    return _letters({late for seat in state.still_in() for late in flow.claimable(match, seat)})


def _turns(match: Match, state: State, you: Letter | None, since: int) -> list[dict[str, str | None]]:
    return [
        {
            str(seat): None if seat != you and state.conceals(turn, seat) else order
            for seat, order in orders.items()
        }
        for turn, orders in enumerate(turns_of(match)[: match.turn])
        if turn >= since
    ]


# What happened, and what may be done: worked out once a turn and reader, and kept for a while

KEPT = 4_096

_kept_events: OrderedDict[tuple[str, int, int, str | None], list[dict[str, Any]]] = OrderedDict()
_kept_legal: OrderedDict[tuple[str, int, int, str, str], list[str] | None] = OrderedDict()


def _keep(kept: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    kept[key] = value
    while len(kept) > KEPT:
        kept.popitem(last=False)


def _events(match: Match, turn: int, you: Letter | None) -> list[dict[str, Any]]:
    """What this viewer may know of what happened in a turn that was played, in order."""
    key = (match.key, match.taken_back, turn, you)
    if key not in _kept_events:
        _keep(
            _kept_events, key, [event for state in film(match, turn)[1:] for event in state.view(you).events]
        )
    return _kept_events[key]


def _legal(match: Match, state: State, seat: Seat) -> list[str] | None:
    """The seat's canonical orders for the present turn, or None if they are too many."""
    if match.status not in (Match.Status.OPEN, Match.Status.PLAYING) or seat.resigned_turn == match.turn:
        return []
    key = (match.key, match.taken_back, match.turn, seat.letter, match.status)
    if key not in _kept_legal:
        _keep(_kept_legal, key, legal_orders(state.view(seat.at), seat.at))
    return _kept_legal[key]


def legal_orders(view: State, seat: Letter) -> list[str] | None:
    """All that the planner's choices lead to, sorted; None if they are more than MOST_LEGAL."""
    if seat not in view.to_act():
        return []
    found: set[str] = set()
    seen, left = {""}, [""]
    while left:
        plan = view.plan(seat, left.pop())
        if plan.missing is None:
            with suppress(IllegalOrder):
                found.add(view.check(seat, plan.order))
        if len(found) > MOST_LEGAL or len(seen) > MOST_TRIED:
            return None
        for choice in plan.choices:
            if choice.allowed and choice.leads_to not in seen:
                seen.add(choice.leads_to)
                left.append(choice.leads_to)
    return sorted(found)
