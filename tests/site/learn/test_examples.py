"""The rules, their examples and the notation, as pages."""

from __future__ import annotations

import html
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from games import GAMES, newest
from games.core import Example
from robosite.api.notation import fields_of, in_words
from robosite.learn.examples import film_of_example
from robosite.matches.models import Match
from tests.site.browsers import text
from tests.site.learn.test_lessons import SAME, said

pytestmark = pytest.mark.django_db


EXAMPLES = [
    pytest.param(slug, example, id=f"{slug}-{example.key}")
    for slug in GAMES
    for example in newest(slug).examples
]
every_example = pytest.mark.parametrize(("slug", "example"), EXAMPLES)
CURRENT = re.compile(r'<li data-sentence-step="(\d+)" class="current">')
NAMED = re.compile(r"(Fred|Sally)(, [a-h][1-8])?|swap")
"""Names, and an order: they are the same in every language."""


def page_of(client: Client, slug: str, example: Example, at: str = "") -> str:
    return unescape(text(client.get(f"/rules/{slug}/examples/{example.key}/{at}")))


@pytest.mark.django_db
@every_example
def test_links_alone_lead_through_all_steps(client: Client, slug: str, example: Example) -> None:
    """Each page shows its own step, with its remark and the board in words, and leads to the next."""
    told = film_of_example(slug, example.key)
    at = ""
    for n in range(len(told.steps)):
        page = page_of(client, slug, example, at)
        assert CURRENT.findall(page) == [str(n)]
        assert len(re.findall(r'data-frame="\d+"(?! display="none")', page)) == 1
        assert f'<div data-step="{n}" class="current">' in page
        following = re.search(r'data-forward rel="next" href="(\?at=\d+)#film"', page)
        assert bool(following) == (n < len(told.steps) - 1), "the last step leads nowhere"
        at = following[1] if following else at
    assert at == f"?at={len(told.steps) - 1}"
    for remark in example.remarks.values():
        assert str(remark.says) in page


@pytest.mark.django_db
@every_example
def test_the_rules_lead_to_it_and_it_leads_back(client: Client, slug: str, example: Example) -> None:
    assert f'href="/rules/{slug}/examples/{example.key}/' in text(client.get(f"/rules/{slug}/"))
    assert f'href="/rules/{slug}/"' in page_of(client, slug, example)


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["es", "de"])
@every_example
def test_no_text_of_an_example_stays_in_english(language: str, slug: str, example: Example) -> None:
    english, other = (
        Client(headers={"Accept-Language": one}).get(f"/rules/{slug}/examples/{example.key}/")
        for one in ("en", language)
    )
    both = said(english) & said(other) - SAME[language]
    assert said(other) and not [one for one in both if not NAMED.fullmatch(one)]


@pytest.mark.django_db
@pytest.mark.parametrize("at", ["0", "99999999", "-1", "x", "", "%00", "2.3", "<script>"])
def test_any_step_is_answered(client: Client, at: str) -> None:
    answer = client.get("/rules/pigs/examples/three-rounds/", {"at": at})
    assert answer.status_code == 200 and len(CURRENT.findall(text(answer))) == 1
    assert at != "<script>" or "?at=<" not in text(answer)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/rules/chess/examples/goal/", "/rules/pigs/examples/goal/"])
def test_there_is_no_other_example(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.django_db
def test_it_is_no_match(client: Client) -> None:
    client.get("/rules/roboxing/examples/fred-and-sally/")
    assert not Match.objects.exists() and "session" not in client.cookies


@pytest.mark.parametrize("slug", GAMES)
def test_the_rules_begin_in_short_and_lead_to_each_of_their_parts(slug: str) -> None:
    page = text(Client().get(f"/rules/{slug}/"))
    before, _in_short, rest = page.partition('<section class="panel in-short"')
    short, _contents, rest = rest.partition('<nav class="contents"')
    assert short.count("<li>") == 3 and "<h2" not in before
    ways, _end, rules = rest.partition("</nav>")
    parts = re.findall(r'href="#([\w-]+)"', ways)
    assert parts and parts == re.findall(r'<h2 id="([\w-]+)">', rules.partition('id="about-title"')[0])


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
