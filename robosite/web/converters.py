"""URL path converters that all apps share."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class LetterConverter(StringConverter):
    """The letter of a seat."""

    regex = "[A-H]"


class KeyConverter(StringConverter):
    """The public key of a match or league."""

    regex = "[a-z0-9]{12}"


class PictureConverter(StringConverter):
    """The file extension of a picture."""

    regex = "svg|png"


register_converter(LetterConverter, "letter")
register_converter(KeyConverter, "key")
register_converter(PictureConverter, "picture")
