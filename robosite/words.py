"""Sentences in the reader's language, with names in place of seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from games.core import Seat, Sentence


def render_sentence(sentence: Any, names: Mapping[Any, str] | None = None) -> str:
    """A sentence of the rules or of the site, or a seat's name; facts that are sentences are told too."""
    names = names or {}
    if isinstance(sentence, Seat):
        return names.get(sentence, sentence)
    if not isinstance(sentence, Sentence):
        return str(sentence)
    facts = {key: render_sentence(fact, names) for key, fact in sentence.facts.items()}
    return gettext(sentence.template).format(**facts)
