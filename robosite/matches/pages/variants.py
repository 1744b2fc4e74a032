"""Which variant a match is played in, in people's words: a preset by its name, or the options that differ."""

from __future__ import annotations

from dataclasses import fields

from games.core import Preset, Sentence
from robosite.matches.models import Match


def preset_of(match: Match, seats: int) -> Preset | None:
    """The preset with the match's options; where two have the same, the one for that many players."""
    same = [
        preset
        for preset in match.game.presets.values()
        if match.game.write_options(match.game.read_options(preset.options)) == match.given_options
    ]
    fitting = [preset for preset in same if seats in preset.seats]
    return next(iter(fitting or same), None)


def variant_words(match: Match) -> list[Sentence]:
    """What is different from the standard game, one sentence for each option; [] if nothing is.

    Another option may change what an option means.
    """
    game, plain = match.game, match.game.read_options({})
    told = [(game.say_option(f.name, match.options), game.say_option(f.name, plain)) for f in fields(plain)]
    return [here for here, usual in told if str(here) != str(usual)]
