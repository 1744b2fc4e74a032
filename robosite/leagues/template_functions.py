"""Template functions about leagues: the one to which a match belongs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosite.leagues.models import League
from robosite.matches.models import Match
from robosite.web.written_names import Name


def league_name(match: Match) -> Name:
    """The name of the league to which the match belongs; "" if there is none."""
    return Name(League.objects.filter(fixtures__match=match).values_list("name", flat=True).first() or "")


def league_of(match: Match) -> League | None:
    """The league or cup to which the match belongs, with the columns that its title needs."""
    return League.objects.filter(fixtures__match=match).only("name", "season", "format").first()


FUNCTIONS: dict[str, Callable[..., Any]] = {"league_name": league_name, "league_of": league_of}
