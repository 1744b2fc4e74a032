"""Texts about cups: the names of rounds, and the titles of notices about a tie."""

from __future__ import annotations

from django.utils.translation import gettext as _

from robosite.leagues.arithmetic.bracket import NOBODY, CupMatch, Stage, Tie
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import League
from robosite.matches.models import Match
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
    """The title of a notice to a player about a match of theirs in a cup.

    The title is "" unless the match has just begun or has decided its tie. `letter` is the player's seat.
    """
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
