"""Languages and words."""

from __future__ import annotations

import html
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from django.test import Client

from games import GAMES, newest
from games.core import Sentence, play_turn, tell
from robosite.matches import flow
from robosite.matches.wording import MANNERS, Wording, listed, wording_of
from tests.games.cases import size
from tests.games.test_contract import Table as TableOf
from tests.games.test_contract import every_table
from tests.servers import ROOT
from tests.site.browsers import Answer, Browser, Table, sit_down, text

TURNS = size(6, 12)

GRAMMAR = {"the", "your", "you", "and", "this", "with", "of", "is", "are", "not", "for", "to", "from", "has"}
FACTS = {"north", "east", "south", "west", "left", "right", "forward", "small", "medium", "big"}
ENGLISH = GRAMMAR | FACTS
"""Words that no German sentence has. Names and notation are no sentences."""
SAID = re.compile(r">([^<>]+)<|\b(?:aria-label|title|alt|placeholder|content)=\"([^\"]*)\"")


@pytest.fixture(scope="module")
def words() -> ModuleType:
    return linter("words")


def linter(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def texts(words: ModuleType) -> set[Any]:
    return set(words.collect())


def test_the_linter_finds_signs_in_texts_and_scripts(tmp_path: Path) -> None:
    wording, texts = linter("wording"), ("Sealed ✓", "Ada 3–1 Ben, K. O.")
    page, script = tmp_path / "templates" / "share" / "verify.html", tmp_path / "static" / "js" / "a.js"
    for path in (page, script):
        path.parent.mkdir(parents=True)
    page.write_text(f'<p data-says="a">{texts[0]}</p><p data-says="b">{texts[1]}</p>')
    script.write_text('  de: {\n    a: "Zug → Ende",\n  },\n')
    said, placed = wording.in_scripts(tmp_path)
    assert list(wording.ill_worded(said, placed)) == [
        "en: “✓” is for the eye alone: Sealed ✓",
        "de: “→” is for the eye alone: Zug → Ende",
    ]


@pytest.mark.fuzz
@every_table
def test_every_sentence_of_a_match_is_there_to_be_translated(table: TableOf, texts: set[Any]) -> None:
    said = set(sentences(table, Random(7)))
    assert said, "nothing was said"
    assert not said - texts


def sentences(table: TableOf, rng: Random) -> Iterator[str]:
    """The templates of what a random match says: events, the board in words, plans and why-nots."""
    state = table.start()
    for _ in range(TURNS):
        if state.outcome():
            break
        orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
        for seat in sorted(state.to_act()):
            part = orders[seat][: rng.randrange(len(orders[seat]) + 1)]
            for given in ("", part, orders[seat]):
                plan = state.view(seat).plan(seat, given)
                yield from templates(replace(plan, film=()))
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
        elif is_dataclass(one):
            yield from templates(*(getattr(one, field.name) for field in fields(one)))


def test_the_language_is_the_browsers_or_chosen_and_leads_to_no_other_site(client: Client) -> None:
    page = client.get("/", headers={"accept-language": "de,en;q=0.5"})
    assert '<html lang="de">' in page.text
    for to, leads in (("https://elsewhere.example/", "/"), ("/mine/", "/mine/")):
        assert client.post("/language/", {"language": "es", "next": to})["Location"] == leads
    page = client.get("/mine/", headers={"accept-language": "de,en;q=0.5"})
    assert '<html lang="es">' in page.text


@pytest.mark.parametrize("slug", GAMES)
def test_a_german_page_says_nothing_in_english(
    slug: str, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    for browser in (alice, bob, charlie):
        browser.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    left: dict[str, set[str]] = {}

    def look(where: str, answer: Answer) -> None:
        assert 'lang="de"' in text(answer) or "HX-Retarget" in answer, where
        if said := set(english(text(answer))):
            left.setdefault(where, set()).update(said)

    table = sit_down(alice, bob, charlie, slug)
    own = table.a.get_absolute_url()
    for turns in range(4):
        look(f"seat after {turns} turns", alice.get(own))
        look(f"the other seat after {turns} turns", bob.get(table.b.get_absolute_url()))
        look(f"refused after {turns} turns", alice.seal(table.a, "no such thing"))
        table.play_some(1, seed=turns)
    look("watching", charlie.get(f"/m/{table.key}/"))
    look("film", charlie.get(f"/m/{table.key}/?at=2.1"))
    look("not yours", charlie.get(own))
    look("full", charlie.get(f"/s/invite/{table.invite}/"))
    look("resigned", alice.post(f"{own}resign/", follow=True))
    look("over", charlie.get(f"/m/{table.key}/"))
    for where in ("/", "/mine/", f"/rules/{slug}/", f"/rules/{slug}/paper/", "/no/such/page"):
        look(where, alice.get(where))
    assert not left, "\n".join(f"{where}: {said}" for where, said in left.items())


def english(page: str) -> Iterator[str]:
    """The sentences of a page that are not German; the random letters of a link are no sentence."""
    page = re.sub(
        r"(?s)<(script|style|code|pre|head|input)\b.*?(</\1>|>)|<[^>]* lang=.(?!de)[^>]*>[^<]*<", " ", page
    )
    for found in SAID.finditer(page):
        said = re.sub(r"https?://\S+", "", html.unescape(found[1] or found[2] or "")).strip()
        if set(re.findall(r"[a-z]+(?:-[a-z]+)*", said.lower())) & ENGLISH:
            yield said


SENTENCES = [field.name for field in fields(Wording) if field.name not in ("played", "since")]


def words_words(page: str) -> str:
    """The words of a page for people: no tags, no addresses, no text of the game's own planner."""
    main = page[page.index("<main") : page.index("</main>")]
    return re.sub(r"<form id=.plan.*?</form>|<[^>]*>", " ", main, flags=re.DOTALL)


def of_a_game_in_turns() -> str:
    return next(slug for slug in GAMES if newest(slug).manner == "turns")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_asks_for_the_same_facts_in_every_manner(sentence: str) -> None:
    """At most, that is: a game in turns need not say who may still seal."""
    facts = [set(re.findall(r"{(\w+)}", getattr(wording, sentence))) for wording in MANNERS.values()]
    assert set.union(*facts) == max(facts, key=len), facts


@pytest.mark.parametrize("slug", GAMES)
def test_every_page_says_how_the_game_is_played(
    slug: str, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    wording = wording_of(newest(slug))
    match = alice.make(game=slug)
    a = match.seats.get(letter="A")
    early = text(alice.get(a.get_absolute_url()))
    assert wording.plan_first in early and wording.draft_early in early
    builds = "Seal"  # where the first turn is to build, its button says so
    assert wording.seal_early in early or builds in early
    table = sit_down(alice, bob, charlie, slug)
    pages = [text(alice.get(table.a.get_absolute_url()))]
    assert wording.plan_now in pages[0] and (wording.seal in pages[0] or builds in pages[0])
    assert f"{wording.say('turn', n=1)} · Bob" in pages[0]
    table.play_some(1)
    pages += [text(browser.get(f"/m/{table.key}/{at}")) for browser, at in ((alice, "A/"), (charlie, ""))]
    for page in pages[1:]:
        assert wording.say("happened", n=1) in page and wording.say("turn", n=2) in page
    for page in pages:
        if wording.turn != MANNERS["rounds"].turn:
            assert not re.search("round |program", words_words(page), re.IGNORECASE), words_words(page)
    assert wording.watching in pages[-1]


def test_where_one_plays_after_the_other_nothing_is_said_of_reopening_once_all_have_sat_down(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    """Sealing the only order of a turn plays it at once."""
    match = alice.make(game=of_a_game_in_turns())
    early = Table(match.key, alice, alice, alice, "")
    early.play_some(1)
    assert flow.owing(match) == []
    page = text(alice.get(early.a.get_absolute_url()))
    assert "You can reopen it until everyone has joined." in page and "Reopen" in page
    table = sit_down(alice, bob, charlie, of_a_game_in_turns())
    page = text(alice.get(table.a.get_absolute_url()))
    assert "Play this turn" in page and "reopen" not in page.lower() and "reveal" not in page.lower()
    table.play_some(1)
    waits = text(alice.get(table.a.get_absolute_url()))
    assert "Waiting for Bob." in waits and "Reopen" not in waits


def test_names_are_listed_as_people_do() -> None:
    assert listed([]) == ""
    assert listed(["Alice"]) == "Alice"
    assert listed(["Alice", "Bob"]) == "Alice and Bob"
    assert listed(["Alice", "Bob", "Charlie"]) == "Alice, Bob and Charlie"
