"""Answers put together of pieces: what everybody gets, compressed already, with one's own words in between.

A page that is the same for everybody, but for the token of its forms and a name, is made once, and each
answer fills in the rest. Its pieces are compressed once too: parts of a deflate stream that never refer back
to the part before can be joined in any way.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import struct
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from zlib_ng import zlib_ng

SIGN = secrets.token_hex(8)
"""Marks places; nobody outside this process knows it, so no name and no message can pretend to be a place."""
PLACE = re.compile(rb"-%b-([a-z]+)-" % SIGN.encode())
LEVEL = 6
END = b"\x03\x00"
"""An empty last block of a deflate stream (RFC 1951)."""
MOST_STORED = 0xFFFF
"""Bytes of a block that is not compressed."""


def place(what: str) -> str:
    """The stand-in for `what`, a word of small letters, in a page where that is to be filled in."""
    return f"-{SIGN}-{what}-"


class Pieces:
    """A body with places in it. `places` are their words, in order: one piece before each, and a last one."""

    def __init__(self, body: bytes) -> None:
        parts = PLACE.split(body)
        self.texts: list[bytes] = parts[::2]
        self.places: list[str] = [word.decode() for word in parts[1::2]]
        self.size = len(body)

    @cached_property
    def digest(self) -> bytes:
        """Tells this body from every other one, whoever it is filled in for."""
        told = hashlib.sha256()
        for text in (*self.texts, *(word.encode() for word in self.places)):
            told.update(b"%d " % len(text) + text)
        return told.digest()

    @cached_property
    def packed(self) -> list[bytes]:
        """Each piece as blocks of a deflate stream that end at a byte and look back no further."""
        return [_blocks(text) for text in self.texts]

    def body(self, own: Mapping[str, bytes]) -> bytes:
        """The body for somebody to whom these words belong."""
        return b"".join(self._filled(self.texts, {word: own[word] for word in self.places}))

    def deflated(self, own: Mapping[str, bytes]) -> bytes:
        """The same as a deflate stream."""
        stored = {word: _stored(own[word]) for word in self.places}
        return b"".join((*self._filled(self.packed, stored), END))

    def _filled(self, pieces: list[bytes], own: Mapping[str, bytes]) -> list[bytes]:
        filled = [pieces[0]]
        for word, piece in zip(self.places, pieces[1:], strict=True):
            filled += own[word], piece
        return filled


def _blocks(text: bytes) -> bytes:
    packer: Any = zlib_ng.compressobj(LEVEL, wbits=-zlib_ng.MAX_WBITS)
    packed: bytes = packer.compress(text) + packer.flush(zlib_ng.Z_FULL_FLUSH)
    return packed


def _stored(text: bytes) -> bytes:
    """Text as a block that is not compressed. Raises ValueError for one that is too long."""
    if len(text) > MOST_STORED:
        raise ValueError(f"A block takes {MOST_STORED} bytes, not {len(text)}.")
    return b"\0" + struct.pack("<HH", len(text), len(text) ^ MOST_STORED) + text


class PiecedResponse(HttpResponse):
    """An answer made of pieces. `Compression` takes the packed ones if the content has stayed as it was."""

    def __init__(self, pieces: Pieces, own: Mapping[str, bytes], **more: Any) -> None:
        self.pieces, self.own = pieces, own
        self.whole = pieces.body(own)
        super().__init__(self.whole, **more)

    def deflated(self) -> bytes | None:
        """The content as a deflate stream; None if somebody has changed it."""
        return self.pieces.deflated(self.own) if self.content == self.whole else None
