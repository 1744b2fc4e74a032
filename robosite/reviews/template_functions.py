"""Template functions for reviews: the part beside a film, an order's actions, and if it ends the match."""

from jinja2 import pass_context
from jinja2.runtime import Context

from robosite.matches.models import Match
from robosite.reviews.on_film import OnFilm, on_film
from robosite.reviews.rounds import acts_of, ends_match


@pass_context
def review_on_film(context: Context) -> OnFilm | None:
    """The review of the turn shown; None before the match is over, or while unseen turns are shown."""
    if context["match"].status != Match.Status.OVER or context["since"]:
        return None
    asked = context["request"].GET.get("better", "")
    match, film, names = context["match"], context["film"], context["names"]
    return on_film(match, film, names, viewer=context["you"], asked=asked)


FUNCTIONS = {"acts_of": acts_of, "ends_match": ends_match}
