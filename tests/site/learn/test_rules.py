"""The page of a game's rules: how it goes in short, and a way to each of its parts."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from games import GAMES
from tests.site.browsers import text


@pytest.mark.parametrize("slug", GAMES)
def test_the_rules_begin_in_short_and_lead_to_each_of_their_parts(slug: str) -> None:
    page = text(Client().get(f"/rules/{slug}/"))
    before, _in_short, rest = page.partition('<section class="panel in-short"')
    short, _contents, rest = rest.partition('<nav class="contents"')
    assert short.count("<li>") == 3 and "<h2" not in before
    ways, _end, rules = rest.partition("</nav>")
    parts = re.findall(r'href="#([\w-]+)"', ways)
    assert parts and parts == re.findall(r'<h2 id="([\w-]+)">', rules.partition('id="about-title"')[0])
