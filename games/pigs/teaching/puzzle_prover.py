"""Finds the solutions of puzzles with two pigs: programs that win in this round, whatever the other does."""

from collections.abc import Iterable, Sequence
from itertools import product

from games.core import Order, PuzzleRequirements, Seat, Sentence, State
from games.pigs.rules import Position
from games.pigs.steps import DAMAGE, FREE, STEPS
from games.proofs import Orders, TriedAgainstAll, has_won, replies


class Rounds(TriedAgainstAll):
    asks = Sentence("You’re pig {seat}. Win in this round, whatever the other pig does.")
    requirements = PuzzleRequirements(("standard", "crossing", "kids"), share=0.004, least=500)

    def hint(self, answer: Order) -> Sentence:
        commands = answer.split()
        if "F" in commands:
            return Sentence("Fire in step {n}. The other steps are yours to find.", n=commands.index("F") + 1)
        return Sentence("Punch in step {n}. The other steps are yours to find.", n=commands.index("H") + 1)

    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        assert isinstance(state, Position)
        every, found = [_Reply(state, seat, orders) for orders in replies(state, seat)], []
        first = {" ".join(commands) for commands in every[0].losing(0, 0)}
        for order in legal:
            if order not in first:
                continue
            refuting = next((at for at, reply in enumerate(every) if not reply.loses_to(order)), None)
            if refuting is None:
                found.append(order)
            else:  # what refutes one program refutes many
                every.insert(0, every.pop(refuting))
        return found


class _Reply:
    """A program of the other pig; positions that several programs of the seat share are played once."""

    def __init__(self, state: Position, seat: Seat, orders: Orders) -> None:
        self.seat = seat
        self.commands = {other: order.split(" ") for other, order in orders.items()}
        self.positions = [state]
        self.numbers: dict[tuple[int, Position], int] = {}
        self.following: dict[tuple[int, str], int] = {}
        self.known: dict[int, tuple[tuple[str, ...], ...]] = {}

    def loses_to(self, order: Order) -> bool:
        at = 0
        for step, command in enumerate(order.split(" ")):
            at = self._after(at, step, command)
            if self.positions[at].ended:
                break
        return has_won(self.positions[at], self.seat)

    def losing(self, at: int, step: int) -> tuple[tuple[str, ...], ...]:
        """Returns the sequences of commands from a step on with which the seat wins."""
        known = self.known.get(at)
        if known is None:
            known = self.known[at] = tuple(
                (command, *rest)
                for command in (*FREE, DAMAGE)
                for rest in self._rests(self._after(at, step, command), step + 1)
            )
        return known

    def _rests(self, at: int, step: int) -> Iterable[tuple[str, ...]]:
        if not self.positions[at].ended:
            return self.losing(at, step) if step < STEPS else ()
        return product((*FREE, DAMAGE), repeat=STEPS - step) if has_won(self.positions[at], self.seat) else ()

    def _after(self, at: int, step: int, command: str) -> int:
        after = self.following.get((at, command))
        if after is None:
            after = self.following[at, command] = self._play(at, step, command)
        return after

    def _play(self, at: int, step: int, command: str) -> int:
        before = self.positions[at]
        commands = [self.commands[seat][step] if seat in self.commands else "" for seat in before.seats]
        commands[before.seats.index(self.seat)] = command
        position_after = before.step(tuple(commands), step)._replace(led=())
        number = self.numbers.setdefault((step, position_after), len(self.positions))
        if number == len(self.positions):
            self.positions.append(position_after)
        return number


PUZZLE_PROVER = Rounds()
