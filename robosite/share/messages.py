"""The texts that players send to their friends: an invitation to a match, and how a match ended."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from games.core import Seat as Letter
from robosite.matches.history import ENDED_WITHOUT_PLAY, count_played, states_of
from robosite.matches.models import Match
from robosite.matches.wording import wording_of
from robosite.play.film import result
from robosite.play.highlights import course
from robosite.play.variants import pace_briefly
from robosite.web.sentences import render_sentence

BETWEEN = " · "


def invitation(match: Match, who: str) -> str:
    """“Ada challenges you to Robo Battle Pigs, a turn a day:”; the invite link follows it. `who` sends it."""
    facts = {"who": who, "game": match.game.name, "pace": pace_briefly(match)}
    if not facts["pace"]:
        return _("{who} challenges you to {game}:").format(**facts)
    return _("{who} challenges you to {game}, {pace}:").format(**facts)


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
