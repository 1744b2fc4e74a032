"""Puts sentences of a film into the second person for the player they are about: “You fire”."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop as _

from games.core import Game, Sentence
from games.core import Seat as Letter

LEAVING = {
    ("{by} resigns.", "by"): _("You resigned."),
    ("{by} ran out of time.", "by"): _("You ran out of time."),
    ("{by} ran out of time, and {other} stopped waiting.", "by"): (
        _("You ran out of time, and {other} stopped waiting.")
    ),
    ("{by} ran out of time, and {other} stopped waiting.", "other"): (
        _("{by} ran out of time, and you stopped waiting.")
    ),
}
"""The second-person forms, by template and the reader's placeholder, that any game may need.

Those of all other sentences are the game's (`Game.second_person`).
"""


def to_reader(game: Game, sentence: Any, own: str | None) -> Any:
    """Puts a sentence about the seat `own`, and sentences in it, into the second person where it has one."""
    if not own or not isinstance(sentence, Sentence):
        return sentence
    template = sentence.template
    facts = {name: to_reader(game, fact, own) for name, fact in sentence.facts.items()}
    for name, fact in facts.items():
        if isinstance(fact, Letter) and fact == own:
            words = LEAVING.get((template, name)) or game.second_person.get((template, name))
            if words:
                template = words
                break
    return Sentence(template, **facts)
