"""Template functions for what chats show: previews of links, an invitation, how a match ended."""

from collections.abc import Mapping

from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from games.core import Seat as Letter
from robosite.matches.history import ENDED_WITHOUT_PLAY, count_played, states_of
from robosite.matches.models import Match
from robosite.matches.wording import wording_of
from robosite.play.decorators import absolute
from robosite.play.film import result
from robosite.play.highlights import course
from robosite.play.variants import pace_briefly
from robosite.web.caches import once_made
from robosite.web.http import path_of
from robosite.web.sentences import render_sentence

BETWEEN = " · "


@pass_context
def preview(context: Context, title: str = "", text: str = "", picture: str = "") -> Markup:
    """The meta tags from which chats build a link's preview, by default the site's; translates `text`."""
    request = context.get("request")
    address = absolute(request, picture or path_of("site-card")) if request else ""

    def render() -> Markup:
        shown = {
            "title": title or _("Battle your friends’ robots – whenever you have a minute"),
            "text": _(text) if text else _("Create a match, send the link, plan in secret. No account."),
            "picture": address,
        }
        return Markup(render_to_string("share/preview.html", shown))  # noqa: S704

    return once_made(("preview", get_language(), title, text, address), render)


def invitation(match: Match, who: str) -> str:
    """The text before a link, such as “Ada invites you to Robble, up to a day per turn:” (`who`: Ada)."""
    facts = {"who": who, "game": match.game.name, "pace": pace_briefly(match)}
    if not facts["pace"]:
        return _("{who} invites you to {game}:").format(**facts)
    return _("{who} invites you to {game}, {pace}:").format(**facts)


def match_summary(match: Match, names: Mapping[Letter, str]) -> str:
    """“Robo Battle Pigs · Ada 5–3 Ben · 9 rounds played ▁▃▂▅▁▇”: nothing that its public page lacks."""
    parts = [match.game.name, _score(match, names)]
    if n := count_played(match):
        parts.append(f"{wording_of(match.game).say('played', n=n)} {course(match)}".rstrip())
    return BETWEEN.join(part for part in parts if part)


def _score(match: Match, names: Mapping[Letter, str]) -> str:
    """Both names with what the game counts, else 1–0 or ½–½; the outcome as a sentence if more play."""
    outcome = match.outcome
    if outcome is None or len(names) != 2:
        return render_sentence(sentence).rstrip(".") if (sentence := result(match, names)) else ""
    first, second = names
    if outcome.scores[first] == outcome.scores[second]:
        scores = ["½", "½"]
    else:
        found = [states_of(match)[match.turn].progress(seat) for seat in names]
        points = sorted((one.reached for one in found if one), reverse=True)
        is_counted = len(points) == 2 and points[0] > points[1] and outcome.reason not in ENDED_WITHOUT_PLAY
        scores = list(map(str, points)) if is_counted else ["1", "0"]
    if outcome.scores[second] > outcome.scores[first]:
        scores.reverse()
    return f"{names[first]} {scores[0]}–{scores[1]} {names[second]}"
