"""A shorthand for Django's `reverse`."""

from django.urls import reverse


def path_of(name: str, /, *args: object) -> str:
    """The path of a named URL, with positional arguments."""
    return reverse(name, args=args)
