"""Matches as JSON, as one seat or a spectator may see them.

Positions, events and legal orders come only from `State.view`; orders of played turns are shown unless
`State.conceals` them.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

from pydantic_core import to_json

from games.core import Seat as Letter
from games.core import State
from robosite.api import schemas
from robosite.api.proposals import may_propose, proposals_of
from robosite.engine.prepared import Prepared
from robosite.matches import flow, reading
from robosite.matches.flow import seat_requests, signs
from robosite.matches.history import film, state_of, turns_of
from robosite.matches.models import Match, Program, Seat
from robosite.matches.records import Ready
from robosite.matches.time import timekeeping
from robosite.web import later
from robosite.web.caches import made_once, once_made

MOST_LEGAL = 1_000
"""The maximum number of legal orders in a response; a seat that has more gets no list."""


def see(match: Match, seat: Seat | None, *, since: int = 0, legal: bool = False) -> Ready:
    """Returns a match as JSON, as `seat` (None: a spectator) may see it; caches the events of played turns.

    `since` is the first turn whose orders and events are returned.
    """
    since = min(since, match.turn)
    events = _events(match, seat.at if seat else None, since)
    shown = _present(match, seat, since, legal=legal)
    texts = (
        f'"{name}":[{",".join(events)}]'
        if name == "events"
        else f'"{name}":{to_json(getattr(shown, name)).decode()}'
        for name in schemas.Match.model_fields
    )
    return Ready("{" + ",".join(texts) + "}")


def _present(match: Match, seat: Seat | None, since: int, *, legal: bool) -> schemas.Match:
    match.know_seats(reading.seats_of(match))  # read once for all functions below
    you = seat.at if seat else None
    standing = flow.standing_of(match)
    seats = standing.seats
    playing, going_on = match.status == Match.Status.PLAYING, match.status in flow.GOING_ON
    seals = _seals_of(match)[: match.turn + going_on]
    return schemas.Match.of(
        match,
        match=match.key,
        game=match.game_slug,
        options=match.given_options,
        seats=see_seats(seats),
        you=you,
        to_act=_letters(standing.owing),
        sealed=_letters(seals[-1]) if going_on else [],
        seals=seals,
        draws=[s.letter for s in seats if playing and flow.standing_draw(s, match)],
        resigned=[s.letter for s in seats if playing and s.resigned_turn == match.turn],
        deadline=moment(match.deadline) if match.deadline else None,
        **_time(standing),
        claimable=_letters({late for seat in standing.state.still_in() for late in standing.claimable(seat)}),
        position=standing.state.view(you).position(),
        turns=_turns(match, standing.state, you)[since:],
        events=[],
        outcome=schemas.Outcome(**match.outcome_json) if match.outcome_json else None,
        **_own(match, seat, standing, legal=legal),
        proposals=proposals_of(standing, seat),
        may_propose=may_propose(standing, seat) if seat else [],
        nudged_by=_letters(signs.nudged_by(match, you)) if you in standing.owing else [],
    )


def _turns(match: Match, state: State, you: Letter | None) -> list[dict[str, str | None]]:
    return [
        {str(at): None if at != you and state.conceals(turn, at) else order for at, order in orders.items()}
        for turn, orders in enumerate(turns_of(match)[: match.turn])
    ]


def _time(standing: flow.Standing) -> dict[str, Any]:
    match = standing.match
    left = timekeeping.reserves_left(match, [seat.at for seat in standing.seats])
    owing = standing.owing if match.status == Match.Status.PLAYING else []
    return {
        "deadlines": {at: moment(when) for at, when in timekeeping.deadlines_of(match, owing).items()},
        "reserve_hours": match.reserve_hours,
        "reveal_at": match.reveal_at,
        "reveals": moment(match.due) if match.reveal_at and match.due else None,
        "reserve": {at: int(rest.total_seconds()) for at, rest in left.items()},
    }


def _own(match: Match, seat: Seat | None, standing: flow.Standing, *, legal: bool) -> dict[str, Any]:
    listed = _legal(match, standing.state, seat) if seat and legal else None
    reason = "not asked for" if not legal else "more than 1,000" if seat else "no token"
    own = {"legal": listed, "legal_reason": reason if listed is None else None}
    if seat is None:
        return {"draft": None, "order": None, "seat_request": None, **own}
    receipt = flow.order_of(match, seat, standing) if match.status in flow.GOING_ON else None
    return {
        "draft": flow.draft_of(match, seat, standing) or None,
        "order": receipt.order if receipt else None,
        "seat_request": _request(match, seat),
        **own,
    }


def _request(match: Match, seat: Seat) -> schemas.SeatRequest | None:
    asked_at, due = seat_requests.open_request(match, seat) or (None, None)
    if asked_at is None:
        return None
    return schemas.SeatRequest(asked_at=moment(asked_at), due=moment(due) if due else None)


def see_seats(seats: Iterable[Seat]) -> dict[str, schemas.Player | None]:
    """Returns the player of each seat by the seat's letter; None for a free seat."""
    return {
        s.letter: schemas.Player(name=s.name, kind="bot" if s.is_program else "human") if s.taken else None
        for s in seats
    }


def see_free_match(match: Match) -> dict[str, Any]:
    hour = {"reveal_at": match.reveal_at} if match.reveal_at else {}
    return {
        "match": match.key,
        "game": match.game_slug,
        "options": match.given_options,
        "seats": see_seats(match.seats.all()),
        "deadline_hours": match.turn_hours,
        **hour,
    }


def moment(at: datetime) -> str:
    """Formats a time as ISO 8601 in UTC, with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _letters(seats: Iterable[str]) -> list[str]:
    return sorted(map(str, seats))


_seals = Prepared(
    lambda match, last: (
        Program.objects.filter(seat__match=match, turn__lte=last)
        .exclude(seal="")
        .order_by("turn", "seat__letter")
        .values_list("turn", "seat__letter", "seal")
    ),
    int,
    int,
)


def _seals_of(match: Match) -> list[dict[str, str]]:
    seals: list[dict[str, str]] = [{} for _ in range(match.turn + 1)]
    for turn, letter, seal in _seals.rows(match.pk, match.turn):
        seals[turn][letter] = seal
    return seals


STEP = 100
"""The number of played turns whose events are rendered in one step (`web/later.py`)."""


def _events(match: Match, you: Letter | None, since: int) -> list[str]:
    """The events of each played turn as JSON, as a reader may see them; raises Later to render many."""
    state_of(match)  # replayed before, in steps of its own
    names = [("events", match.key, match.taken_back, you, turn) for turn in range(since, match.turn)]
    missing = [name for name in names if name not in made_once]
    if len(missing) > STEP and later.can_wait():
        later.do_in_steps(_steps(match, missing))
    return [once_made(name, partial(_written, match, you, name[-1])) for name in names]


def _steps(match: Match, missing: list[tuple[Any, ...]]) -> Iterator[None]:
    for at, name in enumerate(missing):
        if at % STEP == 0:
            yield
            now = reading.match_by_key(match.key)
            if now is None or now.taken_back != match.taken_back:
                return
        *_rest, you, turn = name
        once_made(name, partial(_written, match, you, turn))


def _written(match: Match, you: Letter | None, turn: int) -> str:
    events = [event for state in film(match, turn)[1:] for event in state.view(you).events]
    return to_json(events).decode()


def _legal(match: Match, state: State, seat: Seat) -> list[str] | None:
    if match.status not in (Match.Status.OPEN, Match.Status.PLAYING) or seat.resigned_turn == match.turn:
        return []
    legal = state.view(seat.at).legal(seat.at, MOST_LEGAL)
    return None if legal is None else sorted(legal)
