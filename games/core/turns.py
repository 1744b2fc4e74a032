"""Functions that check and play a turn of any game, with resignations and draws (rulings G1 and G2)."""

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, TypeVar

from games.core.outcome import Outcome
from games.core.sentences import DRAW, FAREWELLS, RESIGN, Event, IllegalOrder, Order, Seat, Sentence
from games.core.state import State

AnyState = TypeVar("AnyState", bound=State)


def whole_turn(
    state: State, sealed: Mapping[Seat, Order], resigning: Set[Seat], drawing: Set[Seat]
) -> dict[Seat, Order] | None:
    """Returns the turn that sealed orders, resignations and draw offers make up; None if orders are missing.

    Resignations that end the match, and a draw that all offer, need no sealed order (rulings G1 and G2).
    """
    still_in = state.still_in()
    leaving = {seat: RESIGN for seat in state.seats if seat in still_in & resigning}
    if leaving and len(still_in) - len(leaving) <= 1:
        return leaving
    if still_in and still_in <= drawing:
        return {seat: DRAW for seat in state.seats if seat in still_in}
    owing = state.to_act() - leaving.keys()
    if not still_in or any(seat not in sealed for seat in owing):
        return None
    return {
        seat: RESIGN if seat in leaving else sealed[seat]
        for seat in state.seats
        if seat in owing | leaving.keys()
    }


def check_turn(state: State, orders: Mapping[Any, Any]) -> None:
    """Raises IllegalOrder, with the `seat` at fault, unless `orders` is a legal turn (G1 and G2)."""
    still_in, to_act = state.still_in(), state.to_act()
    strangers = [key for key in orders if key not in state.seats]
    if strangers:
        raise IllegalOrder("There’s no seat “{key}” in this match.", key=strangers[0])
    resigning = {seat for seat in still_in if orders.get(seat) == RESIGN}
    drawing = {seat for seat in still_in if orders.get(seat) == DRAW}
    ending = len(still_in - resigning) <= 1 and resigning
    if drawing and drawing != still_in:
        raise IllegalOrder("A draw must be offered by every seat still in.")
    if ending and any(seat in orders for seat in still_in - resigning):
        raise IllegalOrder("These resignations end the match, so no other order may be given with them.")
    for seat in state.seats:
        if seat not in orders:
            if seat in to_act and not ending and not drawing:
                raise IllegalOrder("The order of seat {at} is missing.", at=str(seat), seat=seat)
        elif seat not in still_in:
            raise IllegalOrder("Seat {at} is out and gives no more orders.", at=str(seat), seat=seat)
        elif seat not in resigning and seat not in drawing:
            _check_order(state, seat, orders[seat], seat in to_act)


def _check_order(state: State, seat: Seat, order: Any, acts: bool) -> None:
    if not acts:
        raise IllegalOrder("It is not seat {at}’s turn.", at=str(seat), seat=seat)
    if not isinstance(order, str):
        raise IllegalOrder("An order is text.", seat=seat)
    try:
        canonical = state.check(seat, order)
    except IllegalOrder as fault:
        fault.seat = seat
        raise
    if canonical != order:
        raise IllegalOrder(
            ("“{order}” must be written “{canonical}”."), order=order, canonical=canonical, seat=seat
        )


def play_turn(state: State, orders: Mapping[Seat, Order]) -> Iterable[State]:
    """Plays a whole legal turn (`check_turn`) of any game, with resignations and draws (rulings G1, G2)."""
    return state.play(orders) if FAREWELLS.isdisjoint(orders.values()) else _play_farewells(state, orders)


def _play_farewells(state: State, orders: Mapping[Seat, Order]) -> Iterator[State]:
    still_in = state.still_in()
    resigning = frozenset(seat for seat in still_in if orders.get(seat) == RESIGN)
    if all(orders.get(seat) == DRAW for seat in still_in):
        yield state.end(Outcome.shared(still_in, state.seats, "agreed"), [{"kind": "agreed"}])
        return
    if resigning:
        stays = still_in - resigning
        if len(stays) <= 1:
            outcome = Outcome.shared(stays or resigning, state.seats, "resigned")
            yield state.end(outcome, [{"kind": "resigned", "by": seat} for seat in sorted(resigning)])
            return
        state = state.leave(resigning)
        yield state
    yield from state.play({seat: order for seat, order in orders.items() if seat not in resigning})


def after_turn(state: AnyState, orders: Mapping[Seat, Order]) -> AnyState:
    *_, last = state.play(orders)
    return last


def tell(state: State, event: Event) -> Sentence:
    """Returns an event's sentence; resignations and agreed draws have the same in all games."""
    match event["kind"]:
        case "agreed":
            return Sentence("All agree on a draw.")
        case "resigned":
            return Sentence("{by} resigns.", by=Seat(event["by"]))
        case _:
            return state.tell(event)


def highlight(state: State, event: Event) -> int:
    """Rates an event: 0 for resignations and agreed draws, else as the game does."""
    return 0 if event["kind"] in ("agreed", "resigned") else state.highlight(event)


def finishing_order(state: State, turns: Iterable[Mapping[Seat, Order]]) -> list[frozenset[Seat]]:
    """Returns the seats of a finished match from the winners down; those in one set share a rank."""
    groups: list[frozenset[Seat]] = []
    for orders in turns:
        for position_after in play_turn(state, orders):
            ended = position_after.outcome()
            won = {seat for seat, share in ended.scores.items() if share} if ended else set()
            out = state.still_in() - position_after.still_in() - won
            groups += [out] * bool(out) + [frozenset(won)] * bool(won)
            state = position_after
    return groups[::-1]
