"""The search for Robo Battle Pigs: an unpredictable mix against one pig, `crowd.py` against more.

Against one pig it mostly expects a player like the newcomers that were observed (docs/strength.md), whose
programs do well against a pig that stands and fires, one that answers such a pig, or one that answers chance;
else an opponent who knows the bot's mix. In continuous feedback, the quick bot's order is used.
"""

from math import exp
from random import Random

from games import search as quick
from games.core import Order, Seat
from games.pigs.bot import crowd
from games.pigs.bot.duel import DAMAGE_INDEX, MOVES, Duel, Mix, Response, decode
from games.pigs.bot.equilibrium import restricted_response, together
from games.pigs.bot.values import pose_value, stakes
from games.pigs.rules import Position
from games.pigs.steps import COMMANDS, FIRE, STEPS

GAP, MOST, WORK = 0.1, 12, 28_000
"""The limits of the search for two pigs: the hits that a better mix could gain, games solved, `Duel.work`."""
TRUST = 0.7
"""For two pigs: the probability with which the opponent is expected to think like a newcomer."""
CHANCES, GOOD, EASY = 24, 12, 0.25
"""For two pigs: the random programs that are answered, the good programs of an answer, and the loss in hits
that makes a program less likely by a factor of e."""
SHOT = COMMANDS.index(FIRE)


def order(view: Position, seat: Seat, rng: Random) -> Order:
    if view.lists:
        return quick.order(view, seat, rng)
    if len(view.still_in()) > 2:
        return crowd.order(view, seat, rng)
    mix = mix_of_two(view, seat, rng)
    return decode(rng.choices(list(mix), list(mix.values()))[0])


def mix_of_two(view: Position, seat: Seat, rng: Random) -> Mix:
    side = sorted(view.still_in()).index(seat)
    duel = Duel(
        view,
        stakes(view),
        lambda one, two: -pose_value(two, one, view.turn) if side else pose_value(one, two, view.turn),
    )
    return restricted_response(duel, side, _thinking(duel, 1 - side, rng), TRUST, GAP, MOST, WORK)


def _thinking(duel: Duel, side: int, rng: Random) -> Mix:
    """Returns a newcomer's mix: answers to a pig that stands and fires, to one that answers it, to chance."""
    one = 1 - side
    guesses = (
        _standing(duel, one),
        _eased(duel.responses(one, _standing(duel, side), GOOD)),
        _eased(duel.responses(one, _by_chance(duel, side, rng), GOOD)),
    )
    return together(*[(1 / len(guesses), _eased(duel.responses(side, guess, GOOD))) for guess in guesses])


def _standing(duel: Duel, side: int) -> Mix:
    """Returns the mix of a pig that stays and fires, with its X first or last, equally likely."""
    marks = duel.owed[side]
    damaged, shots = (DAMAGE_INDEX,) * marks, (SHOT,) * (STEPS - marks)
    return together((1 / 2, {shots + damaged: 1.0}), (1 / 2, {damaged + shots: 1.0}))


def _by_chance(duel: Duel, side: int, rng: Random) -> Mix:
    marks = [DAMAGE_INDEX] * duel.owed[side]
    mixed = [[*marks, *rng.choices(MOVES, k=STEPS - len(marks))] for _ in range(CHANCES)]
    return together(*[(1 / CHANCES, {tuple(rng.sample(program, STEPS)): 1.0}) for program in mixed])


def _eased(responses: list[Response]) -> Mix:
    """Returns a mix of responses (best first); with EASY hits less, one is less likely by a factor of e."""
    weights = [exp((one.value - responses[0].value) / EASY) for one in responses]
    return {one.program: weight / sum(weights) for one, weight in zip(responses, weights, strict=True)}


is_content = quick.is_content
