"""The examples of the rules as films: step by step by links alone, in every language, from the rules."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from games import GAMES, newest
from games.core import Example
from robosite.learn.examples import film_of_example
from robosite.matches.models import Match
from tests.site.browsers import text
from tests.site.learn.test_lessons import SAME, said

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
