"""Reviews a played round in hits, counted as in `duel.py`; the poses after it count nothing."""

from collections.abc import Mapping
from random import Random

from games.core import Judged, Mixed, Order, Review, Seat
from games.pigs.bot import expectation
from games.pigs.bot.crowd import with_item
from games.pigs.bot.duel import Duel, Mix, decode, encode
from games.pigs.bot.equilibrium import GAP, certify, near_equilibrium
from games.pigs.bot.expectation import expected, gained, hits, payoff
from games.pigs.rules import PLACES, Position
from games.pigs.steps import AFTER, ATTACKS, DAMAGE, FREE, HULK, REPAIRS, STEPS, struck

DIGITS = 4
"""The decimal places of a review's probabilities; the certificate is for these."""
ROUNDING = 0.002
"""The hits by which rounding a mix's probabilities can widen its gap; a search ends so far below GAP."""

Program = tuple[str, ...]


def review(position: Position, orders: Mapping[Seat, Order], rng: Random) -> Review:
    if len(position.still_in()) != 2:
        return _review_of_more(position, orders, rng)
    duel = Duel(position)
    programs = [encode(orders[seat]) for seat in duel.seats]
    landed = hits(position, orders)
    value = duel.payoff(programs[0], programs[1])
    judged = {}
    for side, seat in enumerate(duel.seats):
        best = duel.respond(side, {programs[1 - side]: 1.0})
        judged[seat] = Judged(
            orders[seat], (value, -value)[side], decode(best.program), best.value, *landed[seat]
        )
    return Review(judged, _mixes(duel))


def _mixes(duel: Duel) -> dict[Seat, Mixed]:
    found = near_equilibrium(duel, GAP - ROUNDING)
    one, two = (_rounded(mix) for mix in found.mixes)
    certificate = certify(duel, (one, two))
    return {
        seat: Mixed(
            {decode(program): share for program, share in sorted(mix.items(), key=lambda item: -item[1])},
            (certificate.value, -certificate.value)[side],
            certificate.gaps[side],
        )
        for side, (seat, mix) in enumerate(zip(duel.seats, certificate.mixes, strict=True))
    }


def _rounded(mix: Mix) -> Mix:
    """Rounds a mix to DIGITS places; its largest probability takes what is left to 1."""
    shares = {program: round(share, DIGITS) for program, share in mix.items()}
    largest = max(shares, key=lambda program: shares[program])
    shares[largest] = round(shares[largest] + 1 - sum(shares.values()), DIGITS)
    return {program: share for program, share in shares.items() if share}


def _review_of_more(position: Position, orders: Mapping[Seat, Order], rng: Random) -> Review:
    judged = {seat: _judged(position, seat, orders) for seat in sorted(orders)}
    found = expected(position, rng, {seat: (one.order, one.best) for seat, one in judged.items()})
    gaps = {seat: found.gap(seat) for seat in judged}
    if max(gaps.values()) > expectation.GAP:
        return Review(judged, {})
    mixes = {}
    for seat in judged:
        likeliest = sorted(found.mix(seat).items(), key=lambda item: -round(item[1], DIGITS))
        shares = {order: round(share, DIGITS) for order, share in likeliest}
        mix = {order: share for order, share in shares.items() if share}
        mixes[seat] = Mixed(mix, found.value(seat), gaps[seat])
    return Review({seat: _with_expected(one, found.values(seat)) for seat, one in judged.items()}, mixes)


def _with_expected(one: Judged, values: Mapping[Order, float]) -> Judged:
    best = max(values, key=lambda order: values[order])
    if values[best] - values[one.order] <= expectation.GAP:
        best = one.order
    then = Judged(one.order, round(values[one.order], DIGITS), best, round(values[best], DIGITS))
    return one._replace(with_knowledge_then=then)


def _judged(position: Position, seat: Seat, orders: Mapping[Seat, Order]) -> Judged:
    programs = {other: tuple(order.split(" ")) for other, order in orders.items()}
    best_value, best = _best(position, seat, programs)
    landed, taken = hits(position, orders)[seat]
    value = payoff(position, seat, orders)
    return Judged(
        orders[seat], value, " ".join(best), best_value, landed, taken, in_reach=in_reach(position, seat)
    )


def in_reach(position: Position, seat: Seat) -> tuple[Seat, ...]:
    """Returns the seats whose pigs this one could hit by its first or second command, if they stood still."""
    own, through, found = PLACES[seat], position.options.laser == "through", set[int]()
    taken = {pose >> 2 for i, pose in enumerate(position.poses) if i != own}
    free = STEPS - position.owed(seat)
    for first in ("", *FREE) if free > 1 else ("",):
        pose = AFTER[first][position.poses[own]]
        if pose >> 2 not in taken:
            poses = with_item(position.poses, own, pose)
            for attack in ATTACKS:
                found.update(struck(own, attack, poses, position.damage, through=through))
    return tuple(other for i, other in enumerate(position.seats) if i in found)


def _best(position: Position, seat: Seat, programs: Mapping[Seat, Program]) -> tuple[float, Program]:
    """Returns (value in hits, commands) of the best program against the others' programs."""
    owed = position.owed(seat)
    layer: dict[tuple[Position, int], tuple[float, Program]] = {(position, owed): (0.0, ())}
    finished = []
    if owed:
        orders = {other: " ".join(program) for other, program in {**programs, seat: REPAIRS}.items()}
        finished.append((payoff(position, seat, orders), REPAIRS))
    for step in range(STEPS):
        following: dict[tuple[Position, int], tuple[float, Program]] = {}
        for (state, marks), (value, prefix) in layer.items():
            for command in _allowed(marks, STEPS - step):
                position_after, gain = _step(state, seat, programs, command, step)
                left, found = marks - (command == DAMAGE), (value + gain, (*prefix, command))
                if position_after.ended:
                    rest = (DAMAGE,) * left
                    free = (FREE[0],) * (STEPS - step - 1 - left)
                    finished.append((found[0], (*found[1], *rest, *free)))
                    continue
                key = position_after._replace(led=()), left
                if key not in following or found[0] > following[key][0]:
                    following[key] = found
        layer = following
    return max([*finished, *layer.values()], key=lambda found: found[0])


def _allowed(marks: int, slots: int) -> Program:
    return () if marks > slots else (DAMAGE,) if marks == slots else (*FREE, *[DAMAGE] * bool(marks))


def _step(
    state: Position, seat: Seat, programs: Mapping[Seat, Program], command: str, step: int
) -> tuple[Position, float]:
    own = PLACES[seat]
    commands = tuple(
        "" if damage >= HULK else command if i == own else programs[other][step]
        for i, (other, damage) in enumerate(zip(state.seats, state.damage, strict=True))
    )
    position_after = state.step(commands, step)
    return position_after, gained(position_after, seat)
