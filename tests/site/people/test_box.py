"""The facts on a game's box: on the page of its rules, and in a line where games are listed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.template import engines
from django.test import Client

from games import GAMES, newest
from games.core import Box
from games.pigs import PIGS
from tests.site.browsers import text

ABOUT = re.compile(r'<section class="panel about-game".*?</section>', re.DOTALL)


def about(client: Client, slug: str) -> str:
    (section,) = ABOUT.findall(text(client.get(f"/rules/{slug}/")))
    return str(section)


def drawn(box: Box) -> str:
    source = '{% from "components/box.html" import about %}{{ about(game) }}'
    return str(engines["jinja2"].from_string(source).render({"game": replace(PIGS, box=box)}))


@pytest.mark.parametrize("slug", GAMES)
def test_the_rules_end_with_all_that_the_box_says(client: Client, slug: str) -> None:
    game, section = newest(slug), about(client, slug)
    box = game.box
    for said in (game.designer, box.mechanics, *box.notes, *box.credits, box.address):
        assert said in section
    for label, fact in (("Year", box.year), ("Playing time", box.minutes), ("Age", box.age)):
        assert (f"<dt>{label}</dt>" in section) == (fact is not None), (
            "what the text does not state is left out"
        )


def test_facts_are_those_of_the_designers_texts(client: Client) -> None:
    facts = {
        "pigs": ("Randy Cox", "2000", "2–8 players", "25 min", "Erik Arneson", "Chouser"),
        "roboxing": ("Thomas Gale", "2004", "2–4 players", "RoboRally"),
        "robosoccer": ("José Carlos de Diego Guerrero", "2 players"),
        "robble": ("Luis Bolaños Mures", "2020", "20–60 min", "ages 5 and up", "Gekitai", "Pathwayz"),
    }
    for slug, said in facts.items():
        assert all(fact in about(client, slug) for fact in said), slug


@pytest.mark.parametrize("slug", GAMES)
def test_the_designer_s_site_is_asked_by_a_click_alone_and_not_told_from_where(
    client: Client, slug: str
) -> None:
    page, link = text(client.get(f"/rules/{slug}/")), newest(slug).box.link
    tags = [tag for tag in re.findall(r"<[^>]+>", page) if link and link.removeprefix("http://") in tag]
    assert tags == ([f'<a href="{link}" rel="noreferrer noopener external">'] if link else [])


def test_an_address_without_a_scheme_leaves_this_site(client: Client) -> None:
    assert '<a href="http://galegames.com" ' in about(client, "roboxing")


def test_a_box_with_nothing_but_mechanics_makes_no_empty_lines() -> None:
    section = drawn(Box(mechanics="Three in a row"))
    assert re.findall(r"<dt>(.*?)</dt>", section) == ["Designer", "Players", "Mechanics"]
    assert not re.search(r"<p>|<h3>|<a ", section)


@pytest.mark.parametrize(
    ("slug", "line"),
    [
        ("pigs", "2–8 players · 25 min by Randy Cox"),
        ("robosoccer", "2 players by José Carlos de Diego Guerrero"),
    ],
)
def test_the_rules_begin_with_a_line_of_it(client: Client, slug: str, line: str) -> None:
    page = re.sub(r"<[^>]+>", " ", text(client.get(f"/rules/{slug}/")))
    assert line in " ".join(page.split())
