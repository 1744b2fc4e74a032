"""Middleware that compresses responses with zlib-ng, in half the time that Python's own zlib takes."""

from __future__ import annotations

import re
import secrets
import struct

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers
from zlib_ng import zlib_ng

from robosite.engine import is_on

ACCEPTS = re.compile(r"\bgzip\b")
LEAST = 200
"""The minimum length of a response that is compressed, in bytes."""
SMALL, FINE, COARSE = 100_000, 8, 3
"""A length in bytes, and two compression levels of zlib.

Fragments of pages (for htmx) that are shorter than SMALL are compressed at level FINE, since browsers fetch
them often. Everything else is compressed at level COARSE. COARSE takes a third of the time of FINE, and its
results are 5 % larger.
"""
HEAD = b"\x1f\x8b\x08\x08\0\0\0\0\0\xff"
"""The header of a gzip file that has a file name and no modification time (RFC 1952)."""


class Compression(GZipMiddleware):
    """Django's GZipMiddleware, but with zlib-ng for responses that are not streamed.

    Responses whose attribute `as_it_is` is true are never compressed. If ENGINE_OFF in the environment
    switches “compression” off, Django compresses all other responses. As in Django, the gzip file gets a name
    of random length, up to a hundred bytes, so that the length of a compressed response reveals little about
    secrets in the page.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if getattr(response, "as_it_is", False):
            return response
        if not isinstance(response, HttpResponse) or not is_on("compression"):
            return super().process_response(request, response)
        content = response.content
        if len(content) < LEAST or response.has_header("Content-Encoding"):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if not ACCEPTS.search(request.headers.get("Accept-Encoding", "")):
            return response
        is_part = request.headers.get("HX-Request") == "true" and len(content) < SMALL
        packed = gzip(content, secrets.randbelow(self.max_random_bytes), FINE if is_part else COARSE)
        if len(packed) >= len(content):
            return response
        response.content = packed
        response.headers["Content-Length"] = str(len(packed))
        etag = response.get("ETag")
        if etag and etag.startswith('"'):  # the bytes differ each time, so the tag is a weak one
            response.headers["ETag"] = f"W/{etag}"
        response.headers["Content-Encoding"] = "gzip"
        return response


def gzip(content: bytes, padding: int, level: int) -> bytes:
    """Compresses content at this zlib level, as a gzip file whose file name has `padding` bytes."""
    deflated = zlib_ng.compress(content, level, wbits=-zlib_ng.MAX_WBITS)
    foot = struct.pack("<LL", zlib_ng.crc32(content), len(content) & 0xFFFFFFFF)
    return b"".join((HEAD, b"a" * padding, b"\0", deflated, foot))
