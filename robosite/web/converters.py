"""URL path converters that all apps share: seats, match keys, picture formats."""

from __future__ import annotations

from django.urls import register_converter


class LetterConverter:
    """A seat's letter."""

    regex = "[A-H]"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class KeyConverter(LetterConverter):
    """A match's public key."""

    regex = "[a-z0-9]{12}"


class PictureConverter(LetterConverter):
    """The file format of a picture: svg or png."""

    regex = "svg|png"


register_converter(LetterConverter, "letter")
register_converter(KeyConverter, "key")
register_converter(PictureConverter, "picture")
