"""The notation of each game as a page: all that the API says, in words."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client

from games import GAMES
from robosite.api.notation import fields_of, in_words
from tests.site.browsers import text

pytestmark = pytest.mark.django_db


def read(client: Client, path: str) -> str:
    return html.unescape(text(client.get(path)))


@pytest.mark.parametrize("slug", GAMES)
def test_it_says_all_that_the_api_says(client: Client, slug: str) -> None:
    told = client.get(f"/api/v1/games/{slug}").json()
    page = read(client, f"/rules/{slug}/notation/")
    flat = " ".join(page.split())
    for one in (*told["orders"], *told["positions"]):
        assert one["example"] in page
        assert " ".join(one["grammar"].split()) in flat
    for kind, schema in told["events"].items():
        assert f'id="event-{kind}"' in page
        section = page.partition(f'id="event-{kind}"')[2].partition("<h3")[0]
        for name in schema["properties"]:
            assert name == "kind" or f"<code>{name}</code>" in section, (kind, name)
    for name in told["setup"].get("properties", {}):
        assert f"<code>{name}</code>" in page
    assert ("What never changes, as JSON" in page) == bool(told["data"])
    assert f"/api/v1/games/{slug}" in page
    assert f"The position {told['positions'][0]['example']}" in page


@pytest.mark.parametrize("slug", GAMES)
def test_grammars_define_each_name_that_they_use(client: Client, slug: str) -> None:
    told = client.get(f"/api/v1/games/{slug}").json()
    for one in (*told["orders"], *told["positions"]):
        plain = re.sub(r'"[^"]*"|\?[^?]*\?', "", one["grammar"])
        names, defined = re.findall(r"\w+", plain), re.findall(r"(\w+) =", plain)
        assert set(names) == set(defined) and len(defined) == len(set(defined)), one["grammar"]


@pytest.mark.parametrize("slug", GAMES)
def test_no_ruling_is_cited_that_the_reader_cannot_look_up(client: Client, slug: str) -> None:
    assert not re.search(r"\([BGPSX]\d+\)", client.get(f"/api/v1/games/{slug}").content.decode())


@pytest.mark.parametrize("slug", GAMES)
def test_each_field_says_what_it_holds(client: Client, slug: str) -> None:
    for schema in client.get(f"/api/v1/games/{slug}").json()["events"].values():
        assert all(field.values for field in fields_of(schema))


def test_people_find_it(client: Client) -> None:
    for path in ("/rules/pigs/", "/programs/", "/api/v1/docs"):
        assert 'href="/rules/pigs/notation/"' in read(client, path)
    assert 'href="/programs/"' in read(client, "/")
    assert client.get("/rules/chess/notation/").status_code == 404


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"const": "a"}, "`a`"),
        ({"enum": ["a", "b"]}, "`a`, `b`"),
        ({"type": "integer", "minimum": 1, "maximum": 8}, "a number from 1 to 8"),
        ({"type": "integer"}, "a number"),
        ({"type": "boolean"}, "true or false"),
        ({"type": ["string", "null"]}, "text or null"),
        ({"type": "array", "items": {"type": "string", "pattern": "^a$"}}, "a list, each text like `^a$`"),
        ({"type": "array"}, "a list"),
        ({"description": "A file.", "type": "string"}, "A file: text"),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, "null or a number"),
        ({"type": "object", "properties": {"x": {"type": "boolean"}}}, "an object: `x` (true or false)"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "an object: for each key a number"),
        ({}, ""),
    ],
)
def test_a_schema_in_words(schema: dict[str, Any], words: str) -> None:
    assert in_words(schema) == words
