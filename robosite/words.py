"""Sentences in the reader's language, with names in place of seats."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from django.utils.translation import get_language, gettext

from games.core import Seat, Sentence

page_language: ContextVar[str | None] = ContextVar(
    "the language of the page that is being rendered", default=None
)
"""A page is in one language, and asking Django which costs as much as finding a text in it."""


def reading_language() -> str | None:
    """The reader's language."""
    return page_language.get() or get_language()


def translated(text: str) -> str:
    """A text of the site in the reader's language. Only texts of its own come here: they are kept."""
    return _translated(text, reading_language())


@lru_cache(8192)
def _translated(text: str, language: str | None) -> str:
    return gettext(text)


def render_sentence(sentence: Any, names: Mapping[Any, str] | None = None) -> str:
    """A sentence of the rules or of the site, or a seat's name; facts that are sentences are told too."""
    names = names or {}
    if isinstance(sentence, Seat):
        return names.get(sentence, sentence)
    if not isinstance(sentence, Sentence):
        return str(sentence)
    facts = {key: render_sentence(fact, names) for key, fact in sentence.facts.items()}
    return translated(sentence.template).format(**facts)
