"""Answers as they are compressed: any gzip reader can read them, and their length is padded by chance."""

from __future__ import annotations

import gzip

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from robosite.web.middleware import Compression

TEXT = b"What is said again and again. " * 100


def answered(response: HttpResponse, accepts: str = "br, gzip") -> HttpResponse:
    request = HttpRequest()
    request.META["HTTP_ACCEPT_ENCODING"] = accepts
    return Compression(lambda _request: response)(request)  # type: ignore[return-value]


def test_what_comes_out_of_it_is_what_went_in() -> None:
    answer = answered(HttpResponse(TEXT))
    assert answer["Content-Encoding"] == "gzip" and answer["Vary"] == "Accept-Encoding"
    assert gzip.decompress(answer.content) == TEXT
    assert int(answer["Content-Length"]) == len(answer.content) < len(TEXT) / 5


def test_the_length_says_less_than_it_could() -> None:
    lengths = {len(answered(HttpResponse(TEXT)).content) for _ in range(200)}
    assert 50 < len(lengths) <= 100 and max(lengths) - min(lengths) < 100


@pytest.mark.parametrize(
    ("response", "accepts"),
    [
        (HttpResponse(TEXT), "br"),
        (HttpResponse(TEXT), ""),
        (HttpResponse(b"x" * 199), "gzip"),
        (HttpResponse(TEXT, headers={"Content-Encoding": "br"}), "gzip"),
        (HttpResponse(bytes(range(256))), "gzip"),  # would become longer
    ],
)
def test_what_stays_as_it_is(response: HttpResponse, accepts: str) -> None:
    before, encoding = response.content, response.get("Content-Encoding")
    answer = answered(response, accepts)
    assert answer.content == before and answer.get("Content-Encoding") == encoding


def test_a_tag_becomes_a_weak_one() -> None:
    assert answered(HttpResponse(TEXT, headers={"ETag": '"one"'}))["ETag"] == 'W/"one"'
    assert answered(HttpResponse(TEXT, headers={"ETag": 'W/"one"'}))["ETag"] == 'W/"one"'


def test_a_stream_is_compressed_piece_by_piece() -> None:
    answer = answered(StreamingHttpResponse([TEXT, TEXT]))  # type: ignore[arg-type]
    assert gzip.decompress(b"".join(answer.streaming_content)) == TEXT * 2  # type: ignore[attr-defined]
