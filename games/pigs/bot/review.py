"""Reviews a played round in hits, counted as in `duel.py`; the poses after it have no value."""

from collections.abc import Mapping

from games.core import Judged, Mixed, Order, Review, Seat
from games.pigs.bot.duel import LAST, Duel, Mix, decode, encode
from games.pigs.bot.equilibrium import GAP, certify, near_equilibrium
from games.pigs.rules import PLACES, Position
from games.pigs.steps import DAMAGE, FREE, HULK, REPAIR, REPAIRS, STEPS, struck

DIGITS = 4
"""The decimal places of a review's probabilities; the certificate is for these."""
ROUNDING = 0.002
"""The maximum number of hits by which the gap may widen when the probabilities are rounded."""

Program = tuple[str, ...]


def review(position: Position, orders: Mapping[Seat, Order]) -> Review:
    if len(position.still_in()) != 2:
        return Review({seat: _judged(position, seat, orders) for seat in sorted(orders)}, {})
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


def _judged(position: Position, seat: Seat, orders: Mapping[Seat, Order]) -> Judged:
    programs = {other: tuple(order.split(" ")) for other, order in orders.items()}
    best_value, best = _best(position, seat, programs)
    landed, taken = hits(position, orders)[seat]
    return Judged(orders[seat], payoff(position, seat, orders), " ".join(best), best_value, landed, taken)


def hits(position: Position, orders: Mapping[Seat, Order]) -> dict[Seat, tuple[int, int]]:
    """Returns the hits of each seat's pig in the round, as (landed, taken)."""
    landed, taken = [0] * len(position.seats), [0] * len(position.seats)
    through = position.options.laser == "through"
    for position_after in position.play(orders):
        cause = position_after.cause
        assert cause
        for i, command in enumerate(cause.commands):
            for j in struck(i, command, position_after.poses, cause.damage, through=through):
                landed[i] += 1
                taken[j] += 1
    return {seat: (landed[PLACES[seat]], taken[PLACES[seat]]) for seat in position.seats}


def payoff(position: Position, seat: Seat, orders: Mapping[Seat, Order]) -> float:
    """Returns the payoff of the round to the seat's pig, in hits landed less taken."""
    return _follow(position, seat, {other: tuple(order.split(" ")) for other, order in orders.items()})


def _follow(position: Position, seat: Seat, programs: Mapping[Seat, Program]) -> float:
    state, value = position, 0.0
    for step in range(STEPS):
        state, gained = _step(state, seat, programs, programs[seat][step], step)
        value += gained
        if state.ended:
            break
    return value


def _best(position: Position, seat: Seat, programs: Mapping[Seat, Program]) -> tuple[float, Program]:
    """Returns (value in hits, commands) of the best program against the others' programs."""
    owed = position.owed(seat)
    layer: dict[tuple[Position, int], tuple[float, Program]] = {(position, owed): (0.0, ())}
    finished = [(_follow(position, seat, {**programs, seat: REPAIRS}), REPAIRS)] if owed else []
    for step in range(STEPS):
        following: dict[tuple[Position, int], tuple[float, Program]] = {}
        for (state, marks), (value, prefix) in layer.items():
            for command in _allowed(marks, STEPS - step):
                position_after, gained = _step(state, seat, programs, command, step)
                left, found = marks - (command == DAMAGE), (value + gained, (*prefix, command))
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
    if not commands[own]:
        return position_after, _ending(position_after, seat) if position_after.ended else 0.0
    through = state.options.laser == "through"
    gained = float(len(struck(own, command, position_after.poses, state.damage, through=through)))
    fell = position_after.damage[own] == HULK
    taken = sum(
        struck(i, one, position_after.poses, state.damage, through=through).count(own)
        for i, one in enumerate(commands)
    )
    gained += (command == REPAIR and step == STEPS - 1) - taken
    if position_after.ended:
        gained += _ending(position_after, seat)
    return position_after, gained - LAST * (fell and not position_after.ended)


def _ending(position_after: Position, seat: Seat) -> float:
    """Returns LAST for a sole winner, minus LAST / (seats - 1) for a loser; sharers lie between."""
    assert position_after.ended
    seats = len(position_after.seats)
    return LAST * (seats * position_after.ended.scores[seat] - 1) / (seats - 1)
