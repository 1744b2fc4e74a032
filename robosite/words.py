"""Sentences in the reader's language, with names in place of seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from games.core import Seat, Sentence


def told(sentence: Any, names: Mapping[Any, str] | None = None) -> str:
    """A sentence of the rules or of the site as a reader sees it; facts that are sentences are told too."""
    if not isinstance(sentence, Sentence):
        return str(sentence)
    names = names or {}
    facts = {
        key: names.get(fact, fact) if isinstance(fact, Seat) else told(fact, names)
        for key, fact in sentence.facts.items()
    }
    return gettext(sentence.template).format(**facts)
