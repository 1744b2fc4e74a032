"""The variant of a match in words: the name of a preset, or the options that differ from the defaults."""

from ast import literal_eval
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any, Protocol

from django.utils.translation import gettext as _

from games import GAMES
from games.core import Preset, Sentence
from robosite.matches.models import Match
from robosite.matches.wording import hour_briefly
from robosite.web.sentences import spell_duration, translated


class Paced(Protocol):
    """A match, or a league of matches with the same time per turn."""

    reveal_at: Any
    deadline_hours: Any


KEPT = 512
"""Option combinations whose words a process caches; nearly all matches have one of a dozen."""


def preset_of(match: Match, seats: int) -> Preset | None:
    return _preset(match.game_slug, match.rules, _key(match), seats)


def preset_key(match: Match, seats: int) -> str:
    """The key of the match's preset; "" without one, or if `seats` is not its usual number."""
    preset = preset_of(match, seats)
    found = (key for key, one in match.game.presets.items() if one is preset)
    return next(found, "") if preset and seats == preset.usual_seats else ""


def variant_words(match: Match) -> list[Sentence]:
    """A sentence for each option by which the match differs from the standard game."""
    return list(_words(match.game_slug, match.rules, _key(match)))


def variant_of(slug: str, rules: int, given: Mapping[str, Any], seats: int) -> dict[str, Any]:
    """The template data on a variant before there is a match; options as in `Match.given_options`."""
    return {
        "preset": _preset(slug, rules, repr(given), seats),
        "words": list(_words(slug, rules, repr(given))),
    }


def pace_briefly(match: Paced) -> str:
    """A phrase for the time per turn, such as “up to a day per turn”; "" if there is no limit."""
    if match.reveal_at:
        return hour_briefly(match.reveal_at)
    hours = match.deadline_hours
    if hours in (24, 168):
        return _("up to a day per turn") if hours == 24 else _("up to a week per turn")
    return _("{time} per turn").format(time=spell_duration(hours)) if hours else ""


def new_terms(before: Match, after: Match) -> str:
    """The terms that a rematch changes, such as “Kids · best of three”; "" if none, or in another game."""
    if before.game_slug != after.game_slug:
        return ""
    words = []
    if before.given_options != after.given_options:
        preset = preset_of(after, after.seats.count())
        words.append(translated(preset.name) if preset else _("Custom"))
    if pace_briefly(before) != pace_briefly(after):
        words.append(pace_briefly(after) or _("no time limit"))
    if before.if_late != after.if_late and after.deadline_hours:
        words.append(_("another rule for late players"))
    if _length(before) != _length(after):
        words.append(_length(after))
    return " · ".join(words)


def _length(match: Match) -> str:
    series = match.series or {}
    if series.get("pair"):
        return _("a pair of matches")
    lengths = {3: _("best of three"), 5: _("best of five")}
    return lengths.get(series.get("of", 0), _("single match"))


def _key(match: Match) -> str:
    return repr(match.given_options)


@lru_cache(KEPT)
def _preset(slug: str, rules: int, given: str, seats: int) -> Preset | None:
    game = GAMES[slug][rules]
    same = [game.presets[key] for key in game.presets_with(literal_eval(given))]
    fitting = [preset for preset in same if seats in preset.seats]
    return next(iter(fitting or same), None)


@lru_cache(KEPT)
def _words(slug: str, rules: int, given: str) -> tuple[Sentence, ...]:
    game = GAMES[slug][rules]
    plain, options = game.read_options({}), game.read_options(literal_eval(given))
    sentences = [(game.say_option(f.name, options), game.say_option(f.name, plain)) for f in fields(plain)]
    return tuple(here for here, usual in sentences if str(here) != str(usual))
