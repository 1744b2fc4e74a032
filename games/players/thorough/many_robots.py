"""The search for fights of more than two robots, against plain opponents in possible worlds.

The worlds are complete positions that are consistent with the view. A plain opponent is a model of a player
who tries orders against random orders of the others, and takes the best. Against one other seat, the bot's
order is drawn from a mix that regret matching finds (`two_robots.matched`). Against several other seats, the
order is drawn from the orders that do best on average.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from random import Random
from typing import NamedTuple

from games.core import Order, Seat
from games.players.thorough.two_robots import keeps, matched
from games.roboxing.bout import Boxer, ParsedOrder, brawl
from games.roboxing.deduction import Guesses
from games.roboxing.ring import OFF
from games.roboxing.state import RoboxingState

WORLDS, TRIALS = 16, 40
"""WORLDS is the number of worlds, TRIALS the number of samples with random orders of all robots."""
IDEAS, STAGES = 120, ((4, 4), (10, 4), (16, 4))
"""Numbers for the choice of a plain opponent's order.

IDEAS is the number of orders tried. STAGES has a pair for each stage: the number of samples against which
each order is tried, and the divisor of the number of orders that remain after the stage.
"""
PLAIN = 2
"""The number of replies in each world; a reply has an order of a plain opponent for each other seat."""
OWN, FIRST, SECOND, ROWS = 600, 12, 120, 40
"""Numbers of the bot's own orders in the steps of the search.

OWN orders are tried against FIRST replies of plain opponents. The best SECOND of them are tried against all
such replies. One of the best ROWS of these is played.
"""
HEAT = 0.004
"""The loss of value, as a share of the point, that makes an order less likely to be drawn by a factor of e.

Against a single opponent, this number is not used.
"""
LIGHT = 4
"""The number of robots beyond which fewer orders are tried.

With n robots, if n is greater than LIGHT, the number of orders is divided by the square of n / LIGHT.
"""

Acts = dict[int, ParsedOrder]


class Table(NamedTuple):
    """A simulated turn of a fight.

    `boxers` has all robots in the ring, each with an assumed layout (its parts and letters), by the robot's
    number. `acts` has the parsed orders of some or all of these robots, by the robot's number.
    """

    boxers: dict[int, Boxer]
    acts: Acts


class Search:
    """A search for an order of `seat` in a fight of more than two robots, based on the seat's own view.

    The other seats are simulated as plain opponents, who choose their orders by trials against random orders.
    """

    def __init__(self, view: RoboxingState, seat: Seat, rng: Random) -> None:
        self.view, self.seat, self.rng = view, seat, rng
        self.robots = [i for i, at in enumerate(view.squares) if at != OFF]
        self.share = max(1.0, (len(self.robots) / LIGHT) ** 2)
        self.keeps = keeps(view)
        self.mine = {i: Boxer(view, i, view.layout(i), self.keeps) for i in view.robots(seat)}
        self.worlds = view.worlds(rng, WORLDS)
        self.boxers = [self._boxers(world) for world in self.worlds]
        self.trials = self._trials()
        self.replies = [
            [Table(boxers, self._profile(number)) for _ in range(PLAIN)]
            for number, boxers in enumerate(self.boxers)
        ]

    def order(self) -> Order:
        """Returns an order drawn at random from good ones.

        Against one other seat, the order is drawn from a mixed strategy; against several, from the orders
        that do best on average.
        """
        rows = self.best()
        known = [
            [[self._value_against(row, reply) for reply in group] for group in self.replies] for row in rows
        ]
        means = [sum(map(sum, groups)) / (PLAIN * WORLDS) for groups in known]
        if len(self.view.to_act()) == 2:
            return self.rng.choices(rows, matched(means, known))[0]
        return self.rng.choices(rows, [exp((mean - max(means)) / HEAT) for mean in means])[0]

    def best(self) -> list[Order]:
        """Returns the orders with the highest values against the simulated opponents, best first.

        The number of orders returned is at most ROWS.
        """
        ideas = self.view.ideas(self.seat, self.rng, int(OWN / self.share))
        every = [reply for group in self.replies for reply in group]
        trials = self.rng.sample(every, min(FIRST, len(every)))
        first = {idea: sum([self._value_against(idea, reply) for reply in trials]) for idea in ideas}
        ideas = sorted(ideas, key=lambda idea: -first[idea])[: int(SECOND / self.share)]
        hopes = {idea: self.hope(idea) for idea in ideas}
        return sorted(ideas, key=lambda idea: -hopes[idea])[:ROWS]

    def hope(self, order: Order) -> float:
        """Returns the average value of an order against the simulated opponents.

        A value is the expected share of the match's one point, from 0 to 1.
        """
        hopes = [self._value_against(order, reply) for group in self.replies for reply in group]
        return sum(hopes) / len(hopes)

    def _value_against(self, order: Order, reply: Table) -> float:
        acts = {**reply.acts, **acts_of(self.mine, order)}
        return brawl(reply.boxers, self.view.ring.owners, acts, self.seat)

    def _boxers(self, world: RoboxingState) -> dict[int, Boxer]:
        return {i: self.mine.get(i) or Boxer(world, i, world.layout(i), self.keeps) for i in self.robots}

    def _trials(self) -> list[Table]:
        """Returns random simulated turns, against which the simulated opponents try their orders.

        Each has a random order of every robot. The bot's own robots have layouts that the opponents may
        believe in.
        """
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
        """Returns the orders that simulated opponents would choose for the robots of all other seats.

        `number` is the index, in `worlds`, of the complete position that is assumed to be true.
        """
        acts: Acts = {}
        for other in sorted(self.view.to_act() - {self.seat}):
            acts |= self._plain(number, other)
        return acts

    def _plain(self, number: int, other: Seat) -> Acts:
        """Returns the orders that a simulated opponent would choose for the robots of the seat `other`.

        `number` is the index, in `worlds`, of the complete position that is assumed to be true. The opponent
        tries many orders against random orders of the other seats, and drops the worse ones in stages.
        """
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


def boxers_of(state: RoboxingState, boxers: dict[int, Boxer], seat: Seat) -> dict[int, Boxer]:
    """Returns the robots of one seat, by their number; `boxers` has the robots of all seats."""
    return {i: boxers[i] for i in state.robots(seat)}


def acts_of(boxers: dict[int, Boxer], order: Order) -> Acts:
    """Splits an order of a seat into the parsed orders of its robots, by the robot's number.

    `boxers` has the seat's robots by number, in the sequence of their orders in the text.
    """
    return {i: boxer.act(act) for (i, boxer), act in zip(boxers.items(), order.split(";"), strict=True)}


def played(state: RoboxingState, orders: Mapping[Seat, Order]) -> Table:
    """Returns the robots and orders of a turn that was played.

    `state` is the position before the turn. Nothing in `state` may be hidden.
    """
    boxers = {i: Boxer(state, i, state.layout(i)) for seat in sorted(orders) for i in state.robots(seat)}
    acts: Acts = {}
    for seat in orders:
        acts |= acts_of(boxers_of(state, boxers, seat), orders[seat])
    return Table(boxers, acts)
