"""The search for fights of two robots: a mix of orders against the enemy in possible worlds.

In each world, the enemy is a plain player, who tries many orders against guesses about the bot's robot, or a
knowing one, whose orders are the best against the actual robot. Regret matching finds the mix against an
enemy who is plain half of the time, and otherwise knows the world and adapts: a restricted Nash response
(Johanson, Zinkevich and Bowling, 2007).
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from games.core import Order, Seat
from games.roboxing.bot.bout import NOWHERE, Boxer, ParsedOrder, clash
from games.roboxing.bot.robot_orders import Chances
from games.roboxing.deduction import Guesses
from games.roboxing.ring import OFF
from games.roboxing.robot import BIT, COUNT, IN_MASK, Mask
from games.roboxing.rules import Position

WORLDS = 24
"""The number of complete positions consistent with the view (worlds) that are drawn."""
BELIEFS, SAMPLES = 16, 64
"""The numbers of layouts that the enemy believes possible, and of random orders for all of them."""
IDEAS = 240
"""The number of the enemy's orders that are tried in each world."""
PRESS, LOST = 0.03, 10
"""The greatest cost of a step to the next possible shot, which grows with the turns without a hit; the steps
assumed if no shot is possible. A robot that is behind pays nothing."""
BEHIND = 0.45
"""The expected share of the point below which a robot is behind."""
STAGES = ((4, 4), (12, 4), (24, 4))
"""A plain player's stages, as pairs: the samples for each order, and the divisor of the orders kept after."""
PLAIN, KNOWING, AGAINST = 2, 3, 8
"""In each world: orders of a plain player; of a knowing one, chosen against AGAINST orders of the bot."""
OWN, FIRST, SECOND, ROWS = 1200, 12, 240, 60
"""OWN orders meet FIRST plain replies, the SECOND best meet all; the best ROWS may enter the mix."""
TRUST = 0.5
"""The probability with which the enemy is assumed to be a plain player."""
STOOD = 3
"""The turns of standing still after which half of an enemy's plain orders are to stand still again."""
LONG = 12
"""The number of turns without a hit after which a fight is nearly drawn."""
LEAST = 0.2
"""The minimum share of a lead that counts, however many turns have passed without a hit."""
SHOWS = 0.01
"""The cost of revealing all lasers or all engines, a share of the point; one of n costs SHOWS / n."""
AIMS = 0.01
"""The bonus of a shot that cannot miss and would knock the enemy out; for others, times `Search._aim`."""
ROUNDS = 300
"""The number of rounds of regret matching."""


class World(NamedTuple):
    """An enemy with a possible layout, and its orders as a `plain` and as a `knowing` player."""

    enemy: Boxer
    plain: list[ParsedOrder]
    knowing: list[ParsedOrder]


class Search:
    """A search for an order of `seat` in a fight of two robots, based on the seat's own view."""

    def __init__(self, view: Position, seat: Seat, rng: Random) -> None:
        self.view, self.seat, self.rng = view, seat, rng
        self.robot = view.robots(seat)[0]
        (self.other,) = (i for i, at in enumerate(view.squares) if at != OFF and i != self.robot)
        self.keeps = keeps(view)
        self.stands = stands(view, self.other)
        self.mine = Boxer(view, self.robot, view.layout(self.robot), self.keeps)
        self.chances = Chances(view, self.robot, self.other)
        own = Guesses(view, self.robot)
        self.shown = own.known.movers | own.known.turrets
        """The letters of the bot's robot whose parts have been revealed."""
        self.trials = self._believed(own)
        self.worlds = self._worlds()
        self.presses = not self._is_behind()
        """A flag: True if the robot pays for its distance from the enemy (PRESS), since it is not behind."""
        self.values: dict[str, float] = {}
        self.replies = [(world.enemy, reply) for world in self.worlds for reply in world.plain]

    def order(self) -> Order:
        rows = self.best()
        bonuses = [self.bonus(order) for order in rows]
        plain = [self.hope(order) + bonus for order, bonus in zip(rows, bonuses, strict=True)]
        known = [self._known(order, bonus) for order, bonus in zip(rows, bonuses, strict=True)]
        return self.rng.choices(rows, matched(plain, known))[0]

    def best(self) -> list[Order]:
        """Returns the orders with the highest values against plain players, at most ROWS, best first."""
        ideas = self.chances.orders(self.shown, self.rng)
        ideas = self.rng.sample(ideas, min(OWN, len(ideas)))
        trials = self.rng.sample(self.replies, min(FIRST, len(self.replies)))
        bonuses = {idea: self.bonus(idea) for idea in ideas}
        first = {idea: self._mean(idea, trials) + bonuses[idea] for idea in ideas}
        ideas = sorted(ideas, key=lambda idea: -first[idea])[:SECOND]
        hopes = {idea: self.hope(idea) + bonuses[idea] for idea in ideas}
        return sorted(ideas, key=lambda idea: -hopes[idea])[:ROWS]

    def hope(self, order: Order) -> float:
        """Returns the average value of an order against plain players, without its `bonus`."""
        return self._mean(order, self.replies)

    def bonus(self, order: Order) -> float:
        """Returns an addition to an order's value: a bonus for good aim, minus costs."""
        move, _, shot = order.partition(" ")
        layout, gone, act = self.mine.layout, self.mine.gone, self.mine.act(order)
        used = sum(
            BIT[letter] for letter in set(move + shot[:1]) & set(IN_MASK[layout.lasers | layout.engines])
        )
        fresh = used & ~self.shown
        shows = sum(COUNT[fresh & kind] / COUNT[kind & ~gone] for kind in (layout.lasers, layout.engines))
        aims = AIMS * self._aim(act, shot[-1]) if shot else 0.0
        return aims - self.keeps * SHOWS * shows - (1 - self.keeps) * PRESS * self._away(act)

    def _away(self, act: ParsedOrder) -> int:
        """Returns the steps from the move's end to a shot at the enemy, or LOST; 0 if the bot is behind."""
        if not self.presses:
            return 0
        steps = self.mine.damaged(self.mine.gone).steps(act.to, self.view.squares[self.other])
        return LOST if steps is None else steps

    def _is_behind(self) -> bool:
        stay = ParsedOrder(self.mine.at, NOWHERE, 0, 0, 0)
        hopes = [
            clash(self.mine, enemy, stay, ParsedOrder(enemy.at, NOWHERE, 0, 0, 0))
            for enemy, _, _ in self.worlds
        ]
        return 0.5 + (sum(hopes) / len(hopes) - 0.5) / self.keeps < BEHIND

    def _aim(self, act: ParsedOrder, letter: str) -> float:
        squares = self.chances.squares
        covered = sum(
            squares >> act.to + by & 1 for by, far in act.zone.items() if far <= act.far and act.to + by >= 0
        )
        if letter not in self.values:
            self.values[letter] = sum(value_of(world.enemy, BIT[letter]) for world in self.worlds) / WORLDS
        return covered / squares.bit_count() * self.values[letter]

    def _mean(self, order: Order, replies: Sequence[tuple[Boxer, ParsedOrder]]) -> float:
        mine, act = self.mine, self.mine.act(order)
        return sum([clash(mine, enemy, act, reply) for enemy, reply in replies]) / len(replies)

    def _known(self, order: Order, bonus: float) -> list[list[float]]:
        mine, act = self.mine, self.mine.act(order)
        return [
            [clash(mine, enemy, act, reply) + bonus for reply in (*plain, *knowing)]
            for enemy, plain, knowing in self.worlds
        ]

    def _believed(self, guesses: Guesses) -> list[tuple[Boxer, ParsedOrder]]:
        """Draws layouts that the enemy may believe the robot to have, and random orders for each."""
        trials = []
        for _ in range(BELIEFS):
            layouts = list(self.view.layouts)
            layout = layouts[self.robot] = guesses.draw(self.rng)
            supposed = self.view._replace(layouts=tuple(layouts))
            boxer = Boxer(self.view, self.robot, layout, self.keeps)
            samples = [supposed.sample(self.seat, self.rng) for _ in range(SAMPLES // BELIEFS)]
            trials += [(boxer, boxer.act(sample)) for sample in samples]
        return trials

    def _worlds(self) -> list[World]:
        enemies: dict[str, Boxer] = {}
        worlds = []
        for world in self.view.worlds(self.rng, WORLDS):
            layout = world.layout(self.other)
            enemy = enemies.get(layout.text) or Boxer(self.view, self.other, layout, self.keeps)
            enemies[layout.text] = enemy
            worlds.append(self._world(world, enemy))
        return worlds

    def _world(self, world: Position, enemy: Boxer) -> World:
        mine, rng = self.mine, self.rng
        acts = [enemy.act(idea) for idea in world.ideas(self.view.ring.owners[self.other], rng, IDEAS)]
        still = [act for act in acts if act.to == enemy.at] if self.stands else []
        plain = [self._plain(enemy, acts), *(self._plain(enemy, still or acts) for _ in range(1, PLAIN))]
        samples = [mine.act(world.sample(self.seat, rng)) for _ in range(AGAINST)]
        hopes = [sum([clash(enemy, mine, act, reply) for reply in samples]) for act in acts]
        best = sorted(range(len(acts)), key=lambda at: -hopes[at])[:KNOWING]
        return World(enemy, plain, [acts[at] for at in best])

    def _plain(self, enemy: Boxer, acts: Sequence[ParsedOrder]) -> ParsedOrder:
        left = self.rng.sample(acts, len(acts))
        hopes = [0.0] * len(left)
        for tries, part in STAGES:
            trials = self.rng.choices(self.trials, k=tries)
            hopes = [
                hope + sum([clash(enemy, boxer, act, reply) for boxer, reply in trials])
                for act, hope in zip(left, hopes, strict=True)
            ]
            best = sorted(range(len(left)), key=hopes.__getitem__, reverse=True)
            best = best[: max(1, len(best) // part)]
            left, hopes = [left[at] for at in best], [hopes[at] for at in best]
        return left[0]


def stands(view: Position, i: int) -> bool:
    last = view.past[-STOOD:]
    return len(last) == STOOD and all(cause.before[i] == cause.after[i] for cause in last)


def keeps(view: Position) -> float:
    """Returns the share (0 to 1) of a lead that still counts after one more turn without a hit."""
    return max(LEAST, 1 - ((view.turns_without_change() + 1) / LONG) ** 2)


def value_of(enemy: Boxer, bit: Mask) -> float:
    """Returns 1 for a slot that knocks the enemy out, else 1 / (1 + n) for n intact parts of its kind."""
    layout, gone = enemy.layout, enemy.gone
    if layout.down(gone | bit):
        return 1.0
    kind = next((kind for kind in (layout.lasers, layout.engines) if kind & bit), layout.booster)
    return 1 / (1 + COUNT[kind & ~gone])


def matched(plain: Sequence[float], known: Sequence[Sequence[Sequence[float]]]) -> list[float]:
    """Returns unnormalised weights of orders by regret matching; `known`: values by order, world, reply."""
    own, total = [0.0] * len(plain), [0.0] * len(plain)
    columns = [list(zip(*group, strict=True)) for group in zip(*known, strict=True)]
    theirs = [[0.0] * len(group) for group in columns]
    rest = (1 - TRUST) / len(columns)
    for number in range(1, ROUNDS + 1):
        mix = positive(own)
        played = [(at, share) for at, share in enumerate(mix) if share]
        gains = [TRUST * hope for hope in plain]
        for group, regrets in zip(columns, theirs, strict=True):
            shares = positive(regrets)
            values = [sum([column[at] * share for at, share in played]) for column in group]
            mean = sum([value * share for value, share in zip(values, shares, strict=True)])
            for j, share in enumerate(shares):
                regrets[j] = max(0.0, regrets[j] + mean - values[j])
                if share:
                    part = rest * share
                    gains = [gain + part * value for gain, value in zip(gains, group[j], strict=True)]
        mean = sum([gain * share for gain, share in zip(gains, mix, strict=True)])
        own = [max(0.0, regret + gain - mean) for regret, gain in zip(own, gains, strict=True)]
        total = [weight + number * share for weight, share in zip(total, mix, strict=True)]
    return total


def positive(regrets: Sequence[float]) -> list[float]:
    """Returns regrets (none negative) as shares of their sum; equal shares if all regrets are 0."""
    total = sum(regrets)
    return [regret / total for regret in regrets] if total else [1 / len(regrets)] * len(regrets)
