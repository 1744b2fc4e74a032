"""Positions of matches, replayed from the programs and cached in memory. The database stores no positions.

The states here may contain hidden information: players and watchers must be shown only what `State.view`
returns. A turn may be taken back and played anew, so cached states are valid for one value of `taken_back`.
"""

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from threading import Lock
from typing import NamedTuple

from cachetools import LRUCache
from django.db import transaction
from django.db.models import Q

from games.core import Order, State, play_turn
from games.core import Seat as Letter
from robosite.matches import reading
from robosite.matches.models import Match, Program, TakenBack
from robosite.matches.reading import PlayedOrder
from robosite.matches.seals import KeyMissing, decrypt_secret
from robosite.web import later

Turn = dict[Letter, Order]

STEP = 600
"""The most orders that one step replays (but a turn at least) if a request waits for it (`web/later.py`)."""
MOST_MATCHES = 512
MOST_POSITIONS = 50_000
"""The most positions that a process caches; the match used last is always cached, however long it is."""
ENDED_WITHOUT_PLAY = ("resigned", "agreed")
"""The reasons (`Outcome.reason`) of endings in whose last turn nothing was played."""


class Replayed(NamedTuple):
    """Replayed turns, and the states before, between and after them, valid for one `taken_back`."""

    taken_back: int
    turns: list[Turn]
    states: list[State]

    @property
    def newness(self) -> tuple[int, int]:
        return self.taken_back, len(self.turns)


def _cache(matches: int, positions: int) -> LRUCache[str, Replayed]:
    least = positions // matches
    return LRUCache(positions, lambda replayed: min(max(len(replayed.states), least), positions))


_kept = _cache(MOST_MATCHES, MOST_POSITIONS)
_lock = Lock()


def turns_of(match: Match) -> list[Turn]:
    """The orders of all turns played: for each turn, a dict of orders by seat."""
    return _replayed(match).turns


def states_of(match: Match) -> list[State]:
    """The states at the start of each turn; the present one has the index `match.turn`."""
    return _replayed(match).states


def state_of(match: Match) -> State:
    return states_of(match)[match.turn]


def count_played(match: Match) -> int:
    """The number of turns really played, without a last one that only ended the match."""
    return match.turn - bool(match.outcome and match.outcome.reason in ENDED_WITHOUT_PLAY)


def film(match: Match, turn: int) -> list[State]:
    """The states of a turn that was played: the one before it, then the one after each step."""
    _, turns, states = _replayed(match)
    return [states[turn], *play_turn(states[turn], turns[turn])]


def read_ahead(matches: Iterable[Match], most: int) -> list[Match]:
    """Replays matches with one query, at most `most` turns in all; returns those then in memory."""
    ready, behind = [], {}
    for match in matches:
        with _lock:
            replayed = _kept.get(match.key)
        known = len(replayed.turns) if replayed and replayed.taken_back == match.taken_back else 0
        if match.turn - known <= most:
            ready.append(match)
            most -= match.turn - known
            if known < match.turn:
                behind[match.pk] = match, known
    wanted = [
        Q(seat__match=pk, turn__gte=known, turn__lt=match.turn) for pk, (match, known) in behind.items()
    ]
    orders: dict[int, list[PlayedOrder]] = {pk: [] for pk in behind}
    if wanted:
        found = Program.objects.filter(reduce(or_, wanted)).order_by("turn", "seat__letter")
        for row in found.values_list(*reading.ORDER):
            order = PlayedOrder(*row)
            orders[order.match_id].append(order)
    for pk, (match, _known) in behind.items():
        try:
            _replayed(match, orders[pk])
        except KeyMissing:
            ready.remove(match)
    return ready


def keep(match: Match, turns: list[Turn], states: list[State]) -> None:
    """Caches the turns and states of a new match, after the commit, so that they need no replay."""
    replayed = Replayed(match.taken_back, turns, states)
    transaction.on_commit(lambda: _keep(match.key, replayed))


def secret_binding(match: Match, turn: int, letter: str) -> str:
    """The text to which the encryption of a seat's order is bound."""
    return f"{match.key}/{turn}/{letter}"


def _replayed(match: Match, orders: Iterable[PlayedOrder] | None = None) -> Replayed:
    """All turns before `match.turn`, and perhaps later ones, from the cache or by replaying.

    Without `orders`, raises Later if the request can wait and one step is not enough. Raises KeyMissing.
    """
    replayed: Replayed | None = match.replayed
    if replayed is None or replayed.taken_back != match.taken_back:
        replayed = _known(match)
    elif len(replayed.turns) < match.turn:
        replayed = max(replayed, _known(match), key=lambda one: one.newness)
    if len(replayed.turns) < match.turn:
        if orders is None and later.can_wait() and match.turn - len(replayed.turns) > _turns_a_step(match):
            later.do_in_steps(_steps(match.key))
        replayed = _extended(match, replayed, match.turn, orders)
    if match.status != Match.Status.OPEN and replayed is not match.replayed:  # an open table may lose seats
        match.replayed = replayed
        transaction.on_commit(lambda: _keep(match.key, replayed))  # what is rolled back was never played
    return replayed


def _known(match: Match) -> Replayed:
    with _lock:
        replayed = _kept.get(match.key)
    if replayed is None or replayed.taken_back != match.taken_back:
        start = match.game.state.start(match.options, match.seats.count(), match.setup)
        replayed = Replayed(match.taken_back, [], [start])
    return replayed


def _extended(
    match: Match, replayed: Replayed, until: int, orders: Iterable[PlayedOrder] | None = None
) -> Replayed:
    longer = Replayed(match.taken_back, list(replayed.turns), list(replayed.states))
    for turn in _played(match, len(longer.turns), until, orders):
        *_, last = play_turn(longer.states[-1], turn)
        longer.turns.append(turn)
        longer.states.append(last)
    return longer


def _turns_a_step(match: Match) -> int:
    return max(STEP // match.seats.count(), 1)


def _steps(key: str) -> Iterator[None]:
    """Replays a match in steps and caches them; stops where a key is missing, as the waiting request will."""
    while (match := reading.match_by_key(key)) is not None:
        replayed = _known(match)
        if len(replayed.turns) >= match.turn:
            return
        until = min(len(replayed.turns) + _turns_a_step(match), match.turn)
        try:
            _keep(key, _extended(match, replayed, until))
        except KeyMissing:
            return
        yield


def _keep(key: str, replayed: Replayed) -> None:
    with _lock:
        cached = _kept.get(key)
        if cached is None or replayed.newness >= cached.newness:
            _kept[key] = replayed


def _played(match: Match, since: int, until: int, orders: Iterable[PlayedOrder] | None = None) -> list[Turn]:
    turns: list[Turn] = [{} for _ in range(since, until)]
    if orders is None:
        orders = reading.played_orders.rows(match.pk, since, until)
    for _match, turn, letter, order, seal, secret in orders:
        if seal and secret:  # played, and concealed still
            order = decrypt_secret(secret_binding(match, turn, letter), secret).text  # noqa: PLW2901
        if order:
            turns[turn - since][Letter(letter)] = order
    if not all(turns):
        _add_taken_back(match, since, turns)
    return turns


def _add_taken_back(match: Match, since: int, turns: list[Turn]) -> None:
    """Fills empty turns with orders that were taken back after `match` was read."""
    gone = TakenBack.objects.filter(seat__match=match, turn__gte=since, number__gt=match.taken_back)
    for order in gone.select_related("seat").order_by("number"):
        if order.turn < since + len(turns) and not turns[order.turn - since]:
            turns[order.turn - since] = {order.seat.at: order.order}
