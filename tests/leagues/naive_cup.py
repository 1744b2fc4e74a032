"""A second implementation of the cup's rules, which thinks from the final backwards."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

TO_COME, VACANT = "to come", "vacant"


class NaiveCup:
    """`results` are by round, the two places, the stage (0 to 2) and the place at seat A: how it was decided,
    and the points of seat A and B (None if it is void).
    """

    def __init__(self, nonce: str, places: list[int], results: dict[Any, Any]) -> None:
        self.nonce, self.results = nonce, results
        by_hash = {sha256(f"{nonce}\n{place}".encode()).hexdigest(): place for place in places}
        self.seeds = [by_hash[key] for key in sorted(by_hash)]
        self.rounds = 1
        while 2**self.rounds < len(places):
            self.rounds += 1
        self.wanted: set[Any] = set()
        self.lost_in: dict[int, int] = {}
        self.champion = self.winner(self.rounds, 1)

    def winner(self, number: int, best: int) -> Any:
        """The winner of the part of a bracket, `number` rounds high, whose best seed is `best`."""
        if number == 0:
            return self.seeds[best - 1] if best <= len(self.seeds) else VACANT
        ties_in_round = 2 ** (self.rounds - number)
        top = self.winner(number - 1, best)
        low = self.winner(number - 1, 2 * ties_in_round + 1 - best)
        if TO_COME in (top, low):
            return TO_COME
        if VACANT in (top, low):
            return low if top == VACANT else top
        better, other = sorted([top, low], key=self.seeds.index)
        goes_on = self.tie(number, better, other)
        if goes_on != TO_COME:
            for place in (better, other):
                if place != goes_on:
                    self.lost_in[place] = number
        return goes_on

    def tie(self, number: int, better: int, other: int) -> Any:
        by_lot = sorted(
            [better, other], key=lambda one: sha256(f"{self.nonce}\n{number}\n{one}".encode()).hexdigest()
        )
        for stage, at_a in enumerate(([better, other], [by_lot[0]], [by_lot[1]])):
            score = {better: 0.0, other: 0.0}
            found: list[Any] = []
            for a in at_a:
                key = (number, frozenset((better, other)), stage, a)
                self.wanted.add(key)
                found.append(self.results.get(key))
            if None in found:
                return TO_COME
            nobody_came = True
            for a, (_decided, points) in zip(at_a, found, strict=True):
                b = other if a == better else better
                if points is None:
                    nobody_came = False
                    continue
                score[a] += points[0]
                score[b] += points[1]
                nobody_came = nobody_came and points == (0, 0)
            if nobody_came:
                return VACANT
            if score[better] != score[other]:
                return better if score[better] > score[other] else other
            if "last day" in [decided for decided, _points in found]:
                return better
        return better

    def rank(self, place: int) -> int | None:
        """The rank of a place that is out, or has won; None while it is in."""
        if place in self.lost_in:
            return 2 ** (self.rounds - self.lost_in[place]) + 1
        return 1 if place == self.champion else None
