"""The terms of a league: which are possible, how many days they need, and a league's name."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from math import ceil
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from games.core import Game
from robosite.leagues.arithmetic.pairing import MOST_LEGS, days_needed
from robosite.leagues.formats import Format, RefusedTerm
from robosite.leagues.models import LONGEST_NAME, League
from robosite.matches.figures import balance
from robosite.people.look_alikes import is_reserved, name_code
from robosite.people.names import RefusedName, legible


class Terms(NamedTuple):
    """The terms of a new league as plain values; `options` are those of the game.

    `turns` is the usual number of turns of a match; with 0, only the rounds need time.
    """

    kind: Format
    game: Game
    options: Any
    places: int
    table_seats: int
    deadline_hours: float
    ends_days: float
    scoring: str = League.Scoring.SHARES
    legs: int = 1
    every_days: int | None = None
    turns: int = 0
    only_programs: bool = False

    @property
    def pace(self) -> Pace:
        return Pace(
            most=self.places,
            legs=self.legs,
            every_days=self.every_days,
            deadline_hours=self.deadline_hours,
            turns=self.turns,
            table_seats=self.table_seats,
            cup_rounds=self.kind.rounds(self.places),
        )

    def refused(self) -> Iterator[RefusedTerm]:
        """Yields each term that is not possible, by its name in the API, with a sentence that says why."""
        yield from self.kind.refused(self)
        if self.places < self.table_seats:
            says = _("With {seats} players per match, a league needs at least as many spots.")
            yield RefusedTerm("places", says.format(seats=self.table_seats))
        if self.scoring == League.Scoring.FINISH and (
            self.table_seats == 2 or not self.game.last_standing(self.options)
        ):
            says = _(
                "Ranks count only with three or more players per match, in a game that is played "
                "until one is left."
            )
            yield RefusedTerm("scoring", says)
        if self.legs > MOST_LEGS and not self.only_programs:
            says = _("People play each other once or twice: more “legs” are only for “robots”.")
            yield RefusedTerm("legs", says)
        if too_short := self.pace.why_too_short(self.ends_days):
            yield RefusedTerm("ends_days", too_short)


def usual_turns(slug: str, rules: int, preset: str, seats: int = 2) -> int:
    """Returns the median number of turns in matches between bots with this preset; 0 if it is not known."""
    kinds = [kind for kind in balance() if (kind.game, kind.rules, kind.preset) == (slug, rules, preset)]
    kind = min(kinds, key=lambda one: abs(one.seats - seats), default=None)
    return balance()[kind].length(0.5) if kind else 0


class Pace(NamedTuple):
    """The terms of a league or cup from which its duration follows.

    `turns` is the usual number of turns of a match. A round begins every `every_days` days; None if all begin
    at once. Each of the `cup_rounds` needs as much time as a league, which has one.
    """

    most: int
    legs: int
    every_days: int | None
    deadline_hours: float
    turns: int
    table_seats: int
    cup_rounds: int = 1

    @property
    def for_rounds(self) -> float:
        """The days that the rounds need, from the start of the first to the end of the last one."""
        return days_needed(self.most, self.legs, self.every_days, self.deadline_hours, self.table_seats)

    @property
    def for_turns(self) -> float:
        """The number of days that one match of usual length needs."""
        return self.turns * self.deadline_hours / 24

    @property
    def least_days(self) -> float:
        """The minimum number of days that the league must last."""
        return self.cup_rounds * max(self.for_rounds, self.for_turns)

    @property
    def days_to_play(self) -> float:
        """The number of days until all matches are over, including those that begin in the last round."""
        if self.every_days is None:
            return self.least_days
        return self.cup_rounds * max(
            self.for_rounds, self.for_turns, self.for_rounds - self.every_days + self.for_turns
        )

    def why_too_short(self, days: float) -> str:
        """Returns a sentence that says why `days` are too few for the league; "" if they are enough."""
        if not self.turns and days < self.least_days:
            text = _(
                "These terms need {days} days: give more “ends_days”, or fewer “every_days” or "
                "“deadline_hours”."
            )
            return text.format(days=f"{self.least_days:g}")
        if self.every_days and days < self.for_rounds:
            return _("That many matchdays need {days} days.").format(days=ceil(self.for_rounds))
        if days >= self.least_days:
            return ""
        text = _(
            "A match like this often takes {turns} turns: with this time per turn, the league may need "
            "{days} days."
        )
        if self.cup_rounds > 1:
            text = _(
                "A match like this often takes {turns} turns: with this time per turn, {n} rounds may "
                "need {days} days."
            )
        return text.format(turns=self.turns, n=self.cup_rounds, days=ceil(self.days_to_play))


def clean_league_name(name: str) -> str:
    """Returns the name in NFKC, with single spaces; raises RefusedName if it cannot be used."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name:
        raise RefusedName(_("Please enter a name."))
    if len(name) > LONGEST_NAME:
        reason = _("The league’s name is too long: {most} letters at most.")
        raise RefusedName(reason.format(most=LONGEST_NAME))
    name = legible(name, LONGEST_NAME)
    if is_reserved(name):
        reason = _("“{name}” could be mistaken for this site or its moderators. Please choose another.")
        raise RefusedName(reason.format(name=name))
    if League.objects.filter(taken_name=name_code(name)).exists():
        raise RefusedName(_("A moderator has blocked this name. Please choose another."))
    return name
