"""Template functions about matches: their wording, and parts of pages that are cached for a version."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from django.utils.translation import get_language
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from robosite.jinja.functions import names_of
from robosite.matches import wording
from robosite.matches.history import count_played, state_of
from robosite.matches.models import Match, Seat
from robosite.web.caches import once_made


@pass_context
def phrase(context: Context, what: str, **facts: Any) -> str:
    """The text named `what` in `matches/wording.py`, worded for the template's `game` and `match`."""
    at_hours = bool(getattr(context.get("match"), "reveal_at", None))
    return wording.wording_of(context["game"], at_hours=at_hours).say(what, **facts)


def turns_played(match: Match, before: int = 0) -> str:
    """A text such as “3 rounds played”; "" if there are none after `before`."""
    turns = min(count_played(match), match.turn - before)
    return wording.wording_of(match.game).say("played", n=turns) if turns > 0 else ""


@pass_context
def of_match(context: Context, name: str, *parts: Any, caller: Callable[[], Markup]) -> Markup:
    """Renders a block once per version of the match: `{% call of_match("doings", rivals) %} … {% endcall %}`.

    The block may depend only on `name`, on facts whose change raises the match's version, on the seat whose
    page it is, on names, language and zone, and on `parts`. It may contain forms, since their CSRF token is
    inserted later, but no drafts.
    """
    match: Match = context["match"]
    key = (
        "of match",
        get_language(),
        name,
        match.key,
        match.version,
        context["you"],
        timezone.get_current_timezone_name(),
        *names_of(context).values(),
        *parts,
    )
    return once_made(key, caller)


def side_of(seat: Seat) -> str:
    """The side that the seat plays in the present turn; it decides the seat's colour."""
    return state_of(seat.match).side(seat.at)


FUNCTIONS = {
    one.__name__: one
    for one in (
        count_played,
        wording.imported_note,
        wording.with_note,
        wording.hour_in_full,
        wording.hour_briefly,
    )
}
FILTERS = {"listed": wording.listed}
