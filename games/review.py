"""Reviews a finished match from its record alone: the regret of each order, and equilibrium mixes."""

from collections.abc import Container, Iterator
from random import Random
from typing import Any

from games.core import DRAW, HITS, RESIGN, SHARE, Judged, Review, Seat, play_turn
from games.record import Record, read, replay

VERSION = 3
"""The version of reviews; raise it whenever their figures change, since stored reviews are keyed by it."""

UNITS = {
    HITS: "hits landed less hits taken in the turn, a repair counted as a hit taken back, and 2 more for the "
    "hit that ends the match; what the position is worth after the turn is not known",
    SHARE: "the share of the point that the thorough bot hopes for, from 0 to 1: an estimate, except where "
    "the better order is sure to win",
}
"""The units of a review's values, each with a sentence on what the value measures and leaves out."""


def review(data: Any) -> Iterator[dict[str, Any]]:
    """Yields the review of a finished match as JSON: a head, each judged turn, the regrets; or an `error`."""
    replayed = replay(data)
    if replayed.fault:
        yield {"error": replayed.fault.as_json()}
        return
    if not replayed.outcome:
        yield {"error": {"message": "The match is not over: a review would tell what its players may need."}}
        return
    record = read(data)
    yield {
        "game": record.game.slug,
        "unit": UNITS[record.start().review_unit or HITS],
        "outcome": replayed.outcome.as_json(),
    }
    regrets: dict[Seat, float] = dict.fromkeys(record.seats, 0.0)
    for judged in rounds(record, range(len(record.turns))):
        if "seats" in judged:
            yield judged
            for seat, one in judged["seats"].items():
                regrets[seat] += one["regret"]
    yield {"regret": {seat: round(regret, 4) for seat, regret in regrets.items()}}


def rounds(record: Record, wanted: Container[int]) -> Iterator[dict[str, Any]]:
    """Yields the review of each turn whose number is in `wanted`; of one not judged, its number alone.

    The record must have been replayed without a fault.
    """
    state = record.start()
    for number, turn in enumerate(record.turns):
        orders = {Seat(seat): order for seat, order in turn.items()}
        if number in wanted:
            played_on = not {RESIGN, DRAW} & set(orders.values())
            # The dice follow from the turn, so the same turn always gets the same review.
            judged = state.review(orders, Random(state.turn)) if played_on else None
            facts = {"position": state.position(), **as_json(judged)} if judged else {}
            yield {"turn": number, **facts}
        *_, state = play_turn(state, orders)


def as_json(found: Review) -> dict[str, Any]:
    """Returns the review of a turn as JSON data; missing parts, such as an `equilibrium`, are left out."""
    shown: dict[str, Any] = {
        "seats": {
            seat: {
                "order": one.order,
                "value": one.value,
                "landed": one.landed,
                "taken": one.taken,
                "best": one.best,
                "best_value": one.best_value,
                "regret": one.regret,
                **({"sure": True} if one.sure else {}),
                **({"then": _then(one.with_knowledge_then)} if one.with_knowledge_then else {}),
                **({"in_reach": list(one.in_reach)} if one.in_reach else {}),
            }
            for seat, one in found.judged.items()
        }
    }
    if found.mixes:
        shown["equilibrium"] = {
            seat: {"mix": dict(one.mix), "value": round(one.value, 6), "gap": round(one.gap, 6)}
            for seat, one in found.mixes.items()
        }
    return shown


def _then(one: Judged) -> dict[str, Any]:
    facts = {"value": one.value, "best": one.best, "best_value": one.best_value, "regret": one.regret}
    return {**facts, "sure": True} if one.sure else facts
