"""A cup as its page shows it: the bracket round by round, and the reader's next match."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from robosite.leagues.arithmetic.bracket import NOBODY, Bracket, CupMatch, Stage, Tie
from robosite.leagues.arithmetic.table import Result
from robosite.leagues.models import Fixture
from robosite.leagues.pages.shown import ShownLeague, how_decided, written_points
from robosite.leagues.pages.wording import round_name


class Entrant(NamedTuple):
    """An entrant of a tie of a cup, as text.

    `seed` is "" if they are not known; `state` is "open" then, else "won", "out" or "".
    """

    name: str
    seed: int | str = ""
    points: str = ""
    state: str = ""


class TieMatch(NamedTuple):
    """A match of a tie of a cup, as text.

    `to` is "" if the match was not made; `how` is the reason for a result without play, or "".
    """

    to: str
    label: str
    score: str
    words: str
    how: str
    over: bool


class ShownTie(NamedTuple):
    """A tie of a cup: its two entrants, its matches, and a remark.

    `remark` says why the better seed or nobody advances, or is "". `kind` is "bye", "mine" or "". `fed` is
    True if a tie that is not a bye leads here.
    """

    entrants: list[Entrant]
    matches: list[TieMatch]
    remark: str
    kind: str
    fed: bool


@dataclass(frozen=True)
class ShownCup:
    shown: ShownLeague

    @property
    def bracket(self) -> Bracket:
        return self.shown.bracket

    @property
    def rounds(self) -> Iterator[dict[str, Any]]:
        """Yields a dict for each round, with its `name` and its `ties` from top to bottom."""
        for number, ties in enumerate(self.bracket.rounds, 1):
            yield {"name": self._round_name(number), "ties": [self._tie(tie) for tie in ties]}

    @property
    def own_state(self) -> str:
        """A sentence on how the reader is doing, or "": the next opponent, or the last round."""
        mine = self.shown.mine
        if mine is None or self.shown.league.closed:
            return ""
        tie = self.bracket.next_tie(mine.number)
        if tie is not None:
            return self._next(tie, mine.number)
        if self.bracket.winner == mine.number:
            return ""
        row = next(one for one in self.bracket.standings if one.place == mine.number)
        return _("{round}: you’re out. Your rank is {rank}.").format(
            round=self._round_name(row.round), rank=row.rank
        )

    @property
    def winner(self) -> str:
        """The name of the winner; "" if the cup is not decided, or if nobody won the final."""
        return self.shown.by_number[self.bracket.winner].shown_name if self.bracket.winner else ""

    def _next(self, tie: Tie, own: int) -> str:
        at = self._round_name(tie.round)
        other = tie.entrants[1 - tie.entrants.index(own)]
        if other is None:
            names = self._names_before(tie, 1 - tie.entrants.index(own))
            if not names:
                return _("{round}: your opponent isn’t known yet.").format(round=at)
            return _("{round}: you’re waiting for the winner of {a} – {b}.").format(
                round=at, a=names[0], b=names[1]
            )
        name = self.shown.by_number[other].shown_name
        return _("{round}: you play against {name}.").format(round=at, name=name)

    def _round_name(self, number: int) -> str:
        return round_name(number, len(self.bracket.rounds))

    def _tie(self, tie: Tie) -> ShownTie:
        entrants = [self._entrant(tie, at) for at in (0, 1)]
        matches = [match for one in tie.matches if (match := self._match(tie, one))]
        bye = tie.is_bye and tie.round == 1
        own = self.shown.mine is not None and self.shown.mine.number in tie.entrants
        fed = any(not (one.is_bye and one.round == 1) for one in self.bracket.feeders(tie) or ())
        return ShownTie(entrants, matches, self._remark(tie), "bye" if bye else "mine" if own else "", fed)

    def _entrant(self, tie: Tie, at: int) -> Entrant:
        number = tie.entrants[at]
        if not number:
            if number == NOBODY:
                return Entrant(_("no one"), state="open")
            names = self._names_before(tie, at)
            name = _("winner of {a} – {b}").format(a=names[0], b=names[1]) if names else _("not known yet")
            return Entrant(name, state="open")
        results = [self._results[one] for one in tie.matches if one in self._results]
        points = [own for one in results for place, own in one.points_by_place() if place == number]
        return Entrant(
            self.shown.by_number[number].shown_name,
            self.bracket.seed(number),
            written_points(sum(points)) if points else "",
            "" if tie.winner is None else "won" if tie.winner == number else "out",
        )

    def _names_before(self, tie: Tie, at: int) -> list[str]:
        before = self.bracket.feeders(tie)
        places = [one for one in before[at].entrants if one] if before else []
        return [self.shown.by_number[one].shown_name for one in places] if len(places) == 2 else []

    @cached_property
    def _results(self) -> dict[CupMatch, Result]:
        return dict(zip(self.shown.cup_matches, self.shown.results, strict=True))

    @cached_property
    def _rows(self) -> dict[CupMatch, Fixture]:
        return dict(zip(self.shown.cup_matches, self.shown.fixtures, strict=True))

    def _match(self, tie: Tie, match: CupMatch) -> TieMatch | None:
        result = self._results.get(match)
        if result is None:
            return None
        label = {Stage.DECIDER: _("Decider"), Stage.REPLAY: _("Replay")}.get(match.stage, "")
        label = label or _("Match {n}").format(n=1 + tie.matches.index(match))
        points = dict(result.points_by_place())
        score = words = "–".join(written_points(points[place]) for place in tie.entrants if place in points)
        if not result.over:
            score, words = self.shown.progress(self._rows[match])
        how = _("doesn’t count") if result.void else how_decided(result)
        return TieMatch(self.shown.way_to(self._rows[match]), label, score, words, how, result.over)

    def _remark(self, tie: Tie) -> str:
        if tie.by_seed:
            return _("Tied: the higher seed goes through.")
        if tie.winner == NOBODY and not tie.is_bye:
            return _("Neither showed up; both are out.")
        return ""
