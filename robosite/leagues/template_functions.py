"""Template functions about leagues: the one to which a match belongs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context

from robosite.leagues.after_match import AfterMatch, after_match
from robosite.leagues.models import League
from robosite.matches.models import Match
from robosite.people.current_guest import current_guest


def league_of(match: Match) -> League | None:
    """The league or cup to which the match belongs, with the columns that its title and address need."""
    return League.objects.filter(fixtures__match=match).only("key", "name", "season", "format").first()


@pass_context
def league_after(context: Context) -> AfterMatch | None:
    """The state of the league of the context's `match`, for a player who reads that it is over."""
    return after_match(context["match"], current_guest(context["request"]))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (league_of, league_after)
}
