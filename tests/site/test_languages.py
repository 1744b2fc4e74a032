"""The site in three languages: nothing that is said lacks a translation, and numbers stay numbers."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from random import Random
from types import ModuleType
from typing import Any

import pytest
from django.test import Client

from games.core import Sentence, play_turn, tell
from tests.games.test_contract import Table, every_table
from tests.servers import ROOT

TURNS = 12


@pytest.fixture(scope="module")
def words() -> ModuleType:
    spec = importlib.util.spec_from_file_location("words", ROOT / ".ci" / "words.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def texts(words: ModuleType) -> set[Any]:
    return set(words.collect())


@every_table
def test_every_sentence_of_a_match_is_there_to_be_translated(table: Table, texts: set[Any]) -> None:
    said = set(sentences(table, Random(7)))
    assert said, "nothing was said"
    assert not said - texts


def sentences(table: Table, rng: Random) -> Iterator[str]:
    """The templates of what a random match says: events, the board in words, plans and why-nots."""
    state = table.start()
    for _ in range(TURNS):
        if state.outcome():
            break
        orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
        for seat in sorted(state.to_act()):
            part = orders[seat][: rng.randrange(len(orders[seat]) + 1)]
            for text in ("", part, orders[seat]):
                plan = state.view(seat).plan(seat, text)
                yield from templates(plan.words, plan.missing)
                for choice in plan.choices:
                    yield from templates(choice.name, choice.why)
        for after in play_turn(state, orders):
            view = after.view(None)
            yield from templates([tell(view, event) for event in view.events], view.words())
            state = after


def templates(*told: Any) -> Iterator[str]:
    for one in told:
        if isinstance(one, Sentence):
            yield one.template
            yield from templates(*one.facts.values())
        elif isinstance(one, list | tuple):
            yield from templates(*one)


@pytest.mark.django_db
def test_the_language_is_the_browsers_or_chosen(client: Client) -> None:
    page = client.get("/", headers={"accept-language": "de,en;q=0.5"})
    assert '<html lang="de">' in page.text
    assert client.post("/language/", {"language": "es", "next": "/mine/"})["Location"] == "/mine/"
    page = client.get("/mine/", headers={"accept-language": "de,en;q=0.5"})
    assert '<html lang="es">' in page.text


def test_the_language_leads_to_no_other_site(client: Client) -> None:
    assert (
        client.post("/language/", {"language": "de", "next": "https://elsewhere.example/"})["Location"] == "/"
    )
