"""Template functions about the guest's own results, the games of the site, their lessons and puzzles."""

from jinja2 import pass_context
from jinja2.runtime import Context

from games import GAMES
from robosite.learn.lessons import lesson_address
from robosite.learn.puzzles import readers_day
from robosite.learn.things import things_address
from robosite.play.decorators import number
from robosite.play.drawings import Shown, show
from robosite.standings.player import Record, record_of


@pass_context
def own_record(context: Context) -> Record:
    """The scores, streaks and last boards of the guest in the context (`you`)."""
    asked = context["request"].GET
    return record_of(context["you"], asked.get("with", ""), max(number(asked.get("page")), 1))


@pass_context
def today(context: Context) -> int:
    """The number of the day (`date.toordinal`) in the reader's time zone, for the puzzles of the day."""
    return readers_day(context["request"])


def games_shown() -> list[Shown]:
    """All games of the site in their newest rules, each with its templates and style sheet."""
    return [show(slug) for slug in GAMES]


FUNCTIONS = {"lesson_address": lesson_address, "things_address": things_address}
