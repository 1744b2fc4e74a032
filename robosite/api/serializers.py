"""Matches as JSON, as one seat or a spectator may see them.

Positions, events and legal orders come only from `State.view`; orders of played turns are shown unless
`State.conceals` them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from pydantic_core import to_json

from games.core import Seat as Letter
from games.core import State
from robosite.api import schemas
from robosite.api.proposals import may_propose, nudged_by, proposals_of
from robosite.engine.prepared import PreparedTuples
from robosite.matches import flow, reading
from robosite.matches.flow import seat_requests
from robosite.matches.history import film, state_of, turns_of
from robosite.matches.models import Match, Program, Seat
from robosite.matches.records import Ready
from robosite.matches.time import timekeeping
from robosite.web import later
from robosite.web.caches import BoundedCache

MOST_LEGAL = 1_000
"""The maximum number of legal orders in a response; a seat that has more gets no list."""


def see(match: Match, seat: Seat | None, *, since: int = 0, legal: bool = False) -> Ready:
    """Returns a match as JSON, as `seat` (None: a spectator) may see it; caches played turns by reader.

    `since` is the first turn whose orders and events are returned.
    """
    you = seat.at if seat else None
    since = min(since, match.turn)
    played = _played(match, you, since)
    shown = _present(match, seat, legal=legal)
    listed = {
        "seals": [*played.seals[: match.turn], *(to_json(sealed).decode() for sealed in shown.seals)],
        "turns": _turns(match, you, played)[since:],
        "events": [text or "[]" for text in played.events[since : match.turn]],
    }
    texts = (
        f'"{name}":[{",".join(listed[name])}]'
        if name in listed
        else f'"{name}":{to_json(getattr(shown, name)).decode()}'
        for name in schemas.Match.model_fields
    )
    return Ready("{" + ",".join(texts) + "}")


def _present(match: Match, seat: Seat | None, *, legal: bool) -> schemas.Match:
    match.know_seats(reading.seats_of(match))  # read once for all functions below
    you = seat.at if seat else None
    standing = flow.standing_of(match)
    seats = standing.seats
    playing, going_on = match.status == Match.Status.PLAYING, match.status in flow.GOING_ON
    sealed = dict(_seals_since(match, match.turn, match.turn)) if going_on else {}
    return schemas.Match.of(
        match,
        match=match.key,
        game=match.game_slug,
        options=match.given_options,
        seats=see_seats(seats),
        you=you,
        to_act=_letters(standing.owing),
        sealed=_letters(sealed.get(match.turn, {})),
        seals=[sealed.get(match.turn, {})] if going_on else [],
        draws=[s.letter for s in seats if playing and flow.standing_draw(s, match)],
        resigned=[s.letter for s in seats if playing and s.resigned_turn == match.turn],
        deadline=moment(match.deadline) if match.deadline else None,
        **_time(standing),
        claimable=_letters({late for seat in standing.state.still_in() for late in standing.claimable(seat)}),
        position=standing.state.view(you).position(),
        turns=[],
        events=[],
        outcome=schemas.Outcome(**match.outcome_json) if match.outcome_json else None,
        **_own(match, seat, standing, legal=legal),
        **_dealings(standing, seat),
    )


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


def _dealings(standing: flow.Standing, seat: Seat | None) -> dict[str, Any]:
    return {
        "proposals": proposals_of(standing, seat),
        "may_propose": may_propose(standing, seat) if seat else [],
        "nudged_by": nudged_by(standing, seat) if seat else [],
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
    """Returns the fields of `schemas.FreeMatch`."""
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


_seals = PreparedTuples(
    lambda match, first, last: (
        Program.objects.filter(seat__match=match, turn__gte=first, turn__lte=last)
        .exclude(seal="")
        .order_by("turn", "seat__letter")
        .values_list("turn", "seat__letter", "seal")
    ),
    int,
    int,
    int,
)


def _seals_since(match: Match, turn: int, last: int) -> Iterator[tuple[int, dict[str, str]]]:
    for at, given in groupby(_seals.rows(match.pk, turn, last), key=itemgetter(0)):
        yield at, {letter: seal for _, letter, seal in given}


# The turns that were played: rendered once for each turn and reader, and cached as text

KEPT_BYTES = 64 * 1024 * 1024
"""The maximum number of bytes of cached turns in a process, for all matches together."""
EACH = 64
"""Bytes that are counted for each cached text in addition to its characters."""
STEP = 100
"""The number of played turns that are rendered in one step (`web/later.py`)."""


@dataclass(slots=True)
class _Played:
    """The played turns as one reader may see them, as JSON texts.

    None stands in `turns` for what is not rendered or still secret, in `events` for what was not asked
    for yet.
    """

    seals: list[str] = field(default_factory=list)
    turns: list[str | None] = field(default_factory=list)
    events: list[str | None] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(len(text or "") + EACH for text in (*self.seals, *self.turns, *self.events))

    def missing(self, since: int, until: int) -> list[int]:
        """The turns that must still be rendered for a response with events from the turn `since` on."""
        unseen = [turn for turn, text in enumerate(self.events[since:until], since) if text is None]
        return [*unseen, *range(len(self.seals), until)]


_kept_played: BoundedCache[tuple[str, int, Letter | None], _Played] = BoundedCache(
    KEPT_BYTES, lambda played: played.size
)


def _played(match: Match, you: Letter | None, since: int) -> _Played:
    """The turns, perhaps more than `match.turn`; raises Later to render many in steps."""
    state_of(match)  # replayed before, in steps of its own
    played = _known(match, you)
    missing = played.missing(since, match.turn)
    if len(missing) > STEP and later.can_wait():
        later.do_in_steps(_steps(match, you, since))
    return _written(match, you, played, since, missing)


def _known(match: Match, you: Letter | None) -> _Played:
    return _kept_played.get((match.key, match.taken_back, you)) or _Played()


def _steps(match: Match, you: Letter | None, since: int) -> Iterator[None]:
    while missing := (played := _known(match, you)).missing(since, match.turn):
        now = reading.match_by_key(match.key)
        if now is None or now.taken_back != match.taken_back:
            return
        _written(match, you, played, since, missing[:STEP])
        yield


def _written(match: Match, you: Letter | None, before: _Played, since: int, missing: list[int]) -> _Played:
    """Returns and caches a copy of `before` with the turns `missing`; turns before `since` get no events."""
    if not missing:
        return before
    played = _Played([*before.seals], [*before.turns], [*before.events])  # the cached one is shared
    first = len(played.seals)
    seals = dict(_seals_since(match, first, missing[-1])) if missing[-1] >= first else {}
    for turn in missing:
        events_json = None
        if turn >= since:
            events = [event for state in film(match, turn)[1:] for event in state.view(you).events]
            events_json = to_json(events).decode()
        if turn < first:
            played.events[turn] = events_json
        else:
            played.seals.append(to_json(seals.get(turn, {})).decode())
            played.turns.append(None)
            played.events.append(events_json)
    _kept_played[match.key, match.taken_back, you] = played
    return played


def _turns(match: Match, you: Letter | None, played: _Played) -> list[str]:
    """Each played turn's orders; null if secret. Only what has no secret order is cached."""
    state, turns = state_of(match), turns_of(match)
    found = []
    for turn, text in enumerate(played.turns[: match.turn]):
        if text is None:
            orders = {
                str(seat): None if seat != you and state.conceals(turn, seat) else order
                for seat, order in turns[turn].items()
            }
            text = to_json(orders).decode()  # noqa: PLW2901
            if None not in orders.values():
                played.turns[turn] = text
        found.append(text)
    return found


def _legal(match: Match, state: State, seat: Seat) -> list[str] | None:
    if match.status not in (Match.Status.OPEN, Match.Status.PLAYING) or seat.resigned_turn == match.turn:
        return []
    legal = state.view(seat.at).legal(seat.at, MOST_LEGAL)
    return None if legal is None else sorted(legal)
