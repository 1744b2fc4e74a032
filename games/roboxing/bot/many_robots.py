"""The search for fights of more than two robots, against plain opponents in possible worlds.

A plain opponent tries orders against random orders of the others, and takes the best. Against one other seat,
the bot's order is drawn from a mix that regret matching finds (`two_robots.matched`); against several, from
the orders that do best on average.
"""

from collections.abc import Mapping
from math import exp
from random import Random
from typing import NamedTuple

from games.core import Order, Seat
from games.roboxing.bot.bout import Boxer, ParsedOrder, brawl
from games.roboxing.bot.two_robots import keeps, matched
from games.roboxing.deduction import Guesses
from games.roboxing.ring import OFF
from games.roboxing.rules import Position

WORLDS, TRIALS = 16, 40
"""WORLDS is the number of worlds, TRIALS the number of samples with random orders of all robots."""
IDEAS, STAGES = 120, ((4, 4), (10, 4), (16, 4))
"""The orders that a plain opponent tries; by stage, the samples, and the divisor of the orders kept after."""
PLAIN = 2
"""The number of replies in each world; a reply has an order of a plain opponent for each other seat."""
OWN, FIRST, SECOND, ROWS = 600, 12, 120, 40
"""OWN orders meet FIRST replies, the SECOND best meet all replies; one of the best ROWS is played."""
HEAT = 0.004
"""Against several: the loss, as a share of the point, that makes an order less likely by a factor of e."""
LIGHT = 4
"""The robots beyond which fewer orders are tried: with n robots, their number divided by (n / LIGHT)²."""

Acts = dict[int, ParsedOrder]


class Table(NamedTuple):
    """A simulated turn: the robots in the ring with assumed layouts, and parsed orders, by number."""

    boxers: dict[int, Boxer]
    acts: Acts


class Search:
    """A search on the view of `seat`, against opponents who try orders against random ones."""

    def __init__(self, view: Position, seat: Seat, rng: Random) -> None:
        self.view, self.seat, self.rng = view, seat, rng
        self.robots = [i for i, at in enumerate(view.squares) if at != OFF]
        self.share = max(1.0, (len(self.robots) / LIGHT) ** 2)
        self.keeps = keeps(view)
        self.mine = {i: Boxer(view, i, view.layout(i), self.keeps) for i in view.robots(seat)}
        self.worlds = view.worlds(rng, WORLDS)
        self.boxers = [
            {i: self.mine.get(i) or Boxer(world, i, world.layout(i), self.keeps) for i in self.robots}
            for world in self.worlds
        ]
        self.trials = self._trials()
        self.replies = [
            [Table(boxers, self._profile(number)) for _ in range(PLAIN)]
            for number, boxers in enumerate(self.boxers)
        ]

    def order(self) -> Order:
        rows = self.best()
        known = [
            [[self._value_against(row, reply) for reply in group] for group in self.replies] for row in rows
        ]
        means = [sum(map(sum, groups)) / (PLAIN * WORLDS) for groups in known]
        if len(self.view.to_act()) == 2:
            return self.rng.choices(rows, matched(means, known))[0]
        return self.rng.choices(rows, [exp((mean - max(means)) / HEAT) for mean in means])[0]

    def best(self) -> list[Order]:
        """Returns the orders with the highest values against the simulated opponents, best first."""
        ideas = self.view.ideas(self.seat, self.rng, int(OWN / self.share))
        every = [reply for group in self.replies for reply in group]
        trials = self.rng.sample(every, min(FIRST, len(every)))
        first = {idea: sum([self._value_against(idea, reply) for reply in trials]) for idea in ideas}
        ideas = sorted(ideas, key=lambda idea: -first[idea])[: int(SECOND / self.share)]
        hopes = {idea: self.hope(idea) for idea in ideas}
        return sorted(ideas, key=lambda idea: -hopes[idea])[:ROWS]

    def hope(self, order: Order) -> float:
        hopes = [self._value_against(order, reply) for group in self.replies for reply in group]
        return sum(hopes) / len(hopes)

    def _value_against(self, order: Order, reply: Table) -> float:
        acts = {**reply.acts, **acts_of(self.mine, order)}
        return brawl(reply.boxers, self.view.ring.owners, acts, self.seat)

    def _trials(self) -> list[Table]:
        """Returns random turns, against which the simulated opponents try their orders."""
        guesses = {i: Guesses(self.view, i) for i in self.mine}
        tables = []
        for number in range(TRIALS):
            layouts = list(self.worlds[number % WORLDS].layouts)
            for i in self.mine:
                layouts[i] = guesses[i].draw(self.rng)
            world = self.view._replace(layouts=tuple(layouts))
            boxers = {i: Boxer(world, i, world.layout(i), self.keeps) for i in self.robots}
            acts: Acts = {}
            for seat in sorted(world.to_act()):
                acts |= acts_of(boxers_of(world, boxers, seat), world.sample(seat, self.rng))
            tables.append(Table(boxers, acts))
        return tables

    def _profile(self, number: int) -> Acts:
        acts: Acts = {}
        for other in sorted(self.view.to_act() - {self.seat}):
            acts |= self._plain(number, other)
        return acts

    def _plain(self, number: int, other: Seat) -> Acts:
        world, owners = self.worlds[number], self.view.ring.owners
        own = boxers_of(world, self.boxers[number], other)
        left = [acts_of(own, idea) for idea in world.ideas(other, self.rng, int(IDEAS / self.share))]
        hopes = [0.0] * len(left)
        for tries, part in STAGES:
            trials = [
                Table({**boxers, **own}, acts) for boxers, acts in self.rng.choices(self.trials, k=tries)
            ]
            for at, mine in enumerate(left):
                hopes[at] += sum([brawl(all_, owners, {**acts, **mine}, other) for all_, acts in trials])
            best = sorted(range(len(left)), key=hopes.__getitem__, reverse=True)
            best = best[: max(1, len(best) // part)]
            left, hopes = [left[at] for at in best], [hopes[at] for at in best]
        return left[0]


def boxers_of(state: Position, boxers: dict[int, Boxer], seat: Seat) -> dict[int, Boxer]:
    return {i: boxers[i] for i in state.robots(seat)}


def acts_of(boxers: dict[int, Boxer], order: Order) -> Acts:
    return {i: boxer.act(act) for (i, boxer), act in zip(boxers.items(), order.split(";"), strict=True)}


def played(state: Position, orders: Mapping[Seat, Order]) -> Table:
    """Returns the robots and orders of a turn that was played; nothing in `state` may be hidden."""
    boxers = {i: Boxer(state, i, state.layout(i)) for seat in sorted(orders) for i in state.robots(seat)}
    acts: Acts = {}
    for seat in orders:
        acts |= acts_of(boxers_of(state, boxers, seat), orders[seat])
    return Table(boxers, acts)
