"""URL path converters that all apps share: for letters of seats, keys, and types of pictures."""

from __future__ import annotations

from django.urls import register_converter


class LetterConverter:
    """Path converter for the letter of a seat (a player's place in a match): A to H."""

    regex = "[A-H]"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class KeyConverter(LetterConverter):
    """Path converter for the public key of a match or league: twelve letters or digits."""

    regex = "[a-z0-9]{12}"


class PictureConverter(LetterConverter):
    """Path converter for the file extension of a picture: svg or png."""

    regex = "svg|png"


register_converter(LetterConverter, "letter")
register_converter(KeyConverter, "key")
register_converter(PictureConverter, "picture")
