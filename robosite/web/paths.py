"""Paths of named addresses."""

from __future__ import annotations

from django.urls import reverse


def path_of(name: str, /, *args: object) -> str:
    """The path of a named address."""
    return reverse(name, args=args)
