"""Path converters that all apps share: seats, keys of matches, kinds of pictures."""

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
    """The file format of a picture."""

    regex = "svg|png"


register_converter(LetterConverter, "letter")
register_converter(KeyConverter, "key")
register_converter(PictureConverter, "picture")
