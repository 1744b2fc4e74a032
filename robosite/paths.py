"""Paths of named addresses, looked up once: a page of a match has forty, and Django works each out anew."""

from __future__ import annotations

from contextvars import ContextVar
from functools import lru_cache

from django.urls import get_script_prefix, reverse

LONGEST_KEY = 16
"""Characters of a match's key or a game's name; tickets and invites are longer."""


page_prefix: ContextVar[str | None] = ContextVar("under which path the page's site is", default=None)
"""A page asks for many addresses, and Django's answer to this takes as long as one of them."""


def path_of(name: str, /, *args: object) -> str:
    """The path of a named address. Where it holds a secret, nothing is kept of it."""
    texts = tuple(map(str, args))
    if texts and max(map(len, texts)) > LONGEST_KEY:
        return reverse(name, args=args)
    return _path(page_prefix.get() or get_script_prefix(), name, texts)


@lru_cache(8192)
def _path(prefix: str, name: str, args: tuple[str, ...]) -> str:
    return reverse(name, args=args)
