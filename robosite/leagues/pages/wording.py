"""Texts about leagues and cups: names of rounds, titles of notices about a tie, winners and tie-breaks."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from robosite.leagues.arithmetic.bracket import NOBODY, CupMatch, Stage, Tie
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import League
from robosite.matches.models import Match
from robosite.matches.wording import listed
from robosite.web.written_names import Name


def round_name(number: int, last: int) -> str:
    """Returns the name of round `number` of a cup with `last` rounds, such as “Semi-finals”."""
    names = {
        0: _("Final"),
        1: _("Semi-finals"),
        2: _("Quarter-finals"),
        3: _("Round of 16"),
        4: _("Round of 32"),
    }
    return names[last - number]


def title_of(league: League, match: Match, letter: str, name: Name) -> str:
    """The title of a notice about a match in a cup to the player of seat `letter`; "" if nothing is new."""
    standings = standings_of(league)
    at = next((at for at, one in enumerate(standings.fixtures) if one.match_id == match.pk), None)
    if at is None:
        return ""
    here = standings.cup_matches[at]
    last = len(standings.bracket.rounds)
    if match.status == Match.Status.PLAYING:
        first = standings.bracket.first_round(standings.seats_of(standings.fixtures[at])[letter])
        return _begins(here, last, first=here.round == first).format(cup=name)
    tie = standings.bracket.rounds[here.round - 1][here.tie - 1]
    if tie.winner is None or not _is_last(standings, at, tie):
        return ""
    through = tie.winner != NOBODY and tie.winner == standings.seats_of(standings.fixtures[at])[letter]
    return _ends(here.round, last, through=through).format(cup=name)


def _begins(match: CupMatch, last: int, *, first: bool) -> str:
    if match.stage == Stage.DECIDER:
        return _("One more match decides in the cup “{cup}”: it’s your turn")
    if match.stage == Stage.REPLAY:
        return _("A replay decides in the cup “{cup}”: it’s your turn")
    if first:
        return _("The cup “{cup}” has begun for you: it’s your turn")
    if match.round == last:
        return _("The final of the cup “{cup}” has begun: it’s your turn")
    return _("You’re in the next round of the cup “{cup}”: it’s your turn")


def _ends(number: int, last: int, *, through: bool) -> str:
    if not through:
        return _("You’re out of the cup “{cup}”")
    if number == last:
        return _("You won the cup “{cup}”")
    if number == last - 1:
        return _("You’re in the final of the cup “{cup}”")
    return _("You’re through to the next round of the cup “{cup}”")


def _is_last(standings: Standings, at: int, tie: Tie) -> bool:
    rows = [
        row for row, one in zip(standings.fixtures, standings.cup_matches, strict=True) if one in tie.matches
    ]
    ended = [(row.match.changed_at, row.pk) for row in rows if row.match]
    own = standings.fixtures[at]
    return own.match is not None and (own.match.changed_at, own.pk) == max(ended)


TIE_BREAKS = {True: ("direct", "sonneborn_berger", "wins"), False: ("wins", "direct")}
"""The columns that break ties, by priority: for matches of two (True) and for larger matches (False)."""


class Winners(NamedTuple):
    """The winners of a division: their place numbers (not ranks) and their names.

    `why` is a sentence on the tie-break; "" if nobody else has as many points.
    """

    places: list[int]
    names: list[str]
    why: str


def winners_of(rows: Sequence[Mapping[str, Any]], names: Mapping[int, str], table_seats: int) -> Winners:
    first = [row for row in rows if row["rank"] == 1]
    level = [row for row in rows if first and row["points"] == first[0]["points"]]
    places = [row["place"] for row in first]
    won = [names[place] for place in places]
    if len(level) < 2:
        return Winners(places, won, "")
    others = listed([names[row["place"]] for row in level if row not in first])
    if not others:
        return Winners(places, won, _("They’re tied even on tie-breaks."))
    second = level[len(first)]
    decisive = next(one for one in TIE_BREAKS[table_seats == 2] if first[0][one] != second[one])
    why = {
        "direct": _("Tied on points: {names}. Head-to-head decided."),
        "sonneborn_berger": _("Tied on points: {names}. The winner beat stronger opponents."),
        "wins": _("Tied on points: {names}. The winner has more wins on the board."),
    }
    return Winners(places, won, why[decisive].format(names=others))
