"""Everything that a board, a planner or a table of orders draws has a sentence."""

from __future__ import annotations

import html
import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from random import Random
from types import SimpleNamespace
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import pytest
from cssselect2 import ElementWrapper, Matcher, compile_selector_list
from django.template.loader import render_to_string
from django.test import Client

from games import GAMES, newest, record
from games.core import Game, Order, Seat, State, play_turn
from robosite.learn.tasks import Played, Task, _context
from robosite.learn.things import things_address
from robosite.play.drawings import BOARD, is_drawn, templates_of
from robosite.play.film import Film, Row, _render, show_step
from tests.games.cases import size
from tests.games.test_golden import RECORDS
from tests.site.browsers import Browser

TURNS, TAPS, SEATS = size((3, 3, 1), (6, 4, 2))
SHAPES = {"use", "path", "rect", "circle", "ellipse", "text", "line", "polygon"}
HIDDEN = {"defs", "symbol", "pattern", "marker", "clippath", "template"}
VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}
FILM = ("[data-play]", "[data-back]", "[data-forward]", ".ticks li, .ticks a")
"""The controls of a film, which stand beside the board."""
Turn = tuple[list[State], dict[Seat, Order]]
"""The positions of a turn, the one before it first, and the orders."""
DRAWN_GAMES = [slug for slug in GAMES if is_drawn(slug)]


class Tree(HTMLParser):
    """A part of a page as a tree, whose tags and attributes are in lower case."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = Element("html")
        self.open = [self.root]
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(SubElement(self.open[-1], tag, {name: value or "" for name, value in attrs}))
        if tag in VOID:
            self.open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        SubElement(self.open[-1], tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].text = (self.open[-1].text or "") + data


class Things:
    """The list of a game with these options, as a script gets it, and what of it was met in drawings."""

    def __init__(self, game: Game, given: dict[str, Any]) -> None:
        listed = Client().get(things_address(game, given), headers={"HX-Request": "true"})
        assert listed.status_code == 200
        found = re.findall(r'data-drawn="([^"]*)"( data-before)?', listed.content.decode())
        self.kinds = [kind for kind, _before in sorted(found, key=lambda one: not one[1])]
        self.kinds = [kind.replace("&#39;", "'").replace("&gt;", ">") for kind in self.kinds]
        self.matcher = Matcher()
        for kind in self.kinds:
            for selector in compile_selector_list(kind):
                self.matcher.add_selector(selector, kind)
        self.met: Counter[str] = Counter()

    def of(self, one: ElementWrapper) -> str | None:
        """The first kind of the list that is drawn by this element, if any is."""
        fitting = {payload for *_, payload in self.matcher.match(one)}
        return next((kind for kind in self.kinds if kind in fitting), None)

    def unexplained(self, text: str) -> Iterator[str]:
        """The drawn elements of this text that no kind of the list explains, neither alone nor in a group."""
        return self._below(ElementWrapper.from_html_root(Tree(text).root), "")

    def _below(self, one: ElementWrapper, path: str) -> Iterator[str]:
        for child in one.iter_children():
            if child.local_name in HIDDEN or "paper-only" in child.classes:
                continue
            kind = self.of(child)
            if kind:
                self.met[kind] += 1
            name = ".".join([child.local_name, *sorted(child.classes)])
            if kind or path.startswith("-"):
                deque(self._below(child, "-"), maxlen=0)  # explained with what it is a part of
                continue
            if child.local_name in SHAPES:
                yield f"{child.etree_element.get('href', '')} {path} {name}"
            yield from self._below(child, f"{path} {name}")


def random_match(game: Game, preset: str, seats: int, rng: Random) -> Iterator[Turn]:
    options = game.read_options(game.presets[preset].options)
    state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    for _ in range(TURNS):
        if state.outcome():
            break
        orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
        positions = [state, *play_turn(state, orders)]
        yield positions, orders
        state = positions[-1]


def kept_match(read: record.Record) -> Iterator[Turn]:
    """Some turns of a record: its first ones, its last ones, and one in so many between."""
    state = read.start()
    for n, orders in enumerate(read.turns):
        positions = [state, *play_turn(state, orders)]
        if n < SEATS or n >= len(read.turns) - 2 or n % size(12, 5) == 3:
            yield positions, dict(orders)
        state = positions[-1]


def drawings(game: Game, turns: Iterable[Turn], rng: Random) -> Iterator[str]:
    """The boards, planners and tables of these turns, with random taps before the orders of two seats."""
    for positions, orders in turns:
        acting = sorted(positions[0].to_act())
        for seat in rng.sample(acting, min(SEATS, len(acting))):
            for order in tapped(positions[0].view(seat), seat, rng):
                yield from planner(game, positions[0], seat, order)
        yield from film(game, positions, orders, rng)


def tapped(view: State, seat: Seat, rng: Random) -> Iterator[Order]:
    """Unfinished orders, each a random choice after the one before; then a whole one."""
    order = ""
    for _ in range(TAPS):
        yield order
        choices = [choice for choice in view.plan(seat, order).choices if choice.allowed and not choice.draws]
        if not choices:
            break
        order = rng.choice(choices).leads_to
    yield view.sample(seat, rng)


def planner(game: Game, state: State, seat: Seat, order: Order) -> Iterator[str]:
    def play(_order: Order) -> Played:
        raise AssertionError("nothing is played here")

    task = Task(game, seat, state, "/", "", play)
    context = {**_context(task, order), "csrf_input": "", "tapped": False}
    marks = [(piece.x, piece.y) for piece in state.drawing()["pieces"]][:2]
    context["own_side"] = SimpleNamespace(side=state.side(seat), marks=marks)
    yield render_to_string(context["drawn"]["board"], context)
    yield f'<div id="plan">{render_to_string(context["drawn"]["planner"], context)}</div>'


def film(game: Game, positions: list[State], orders: dict[Seat, Order], rng: Random) -> Iterator[str]:
    """Everything that is drawn of a turn, as a random seat sees it, with what it had planned otherwise."""
    seat = rng.choice(sorted(orders))
    told = _render(positions, seat)
    rows = [
        Row(at, side=side, name=str(at), order=orders[at], cells=told.cells[at])
        for at, side in told.sides.items()
        if at in orders
    ]
    shown = Film(0, 0, show_step(told.steps, None), rows)
    drawn = templates_of(game.slug)
    names = {at: str(at) for at in positions[0].seats}
    context = {**BOARD, "game": game, "drawn": drawn, "names": names, "you": seat, "film": shown}
    plan = positions[0].view(seat).sample(seat, rng)
    departure = positions[0].view(seat).departure_from_plan(seat, plan, [one.view(seat) for one in positions])
    steps = shown.steps
    for n, planned in departure.planned.items() if departure else ():
        steps[n].drawing["planned"] = planned
    yield render_to_string(drawn["board"], {**context, "frames": steps})
    yield f'<section id="happened">{render_to_string(drawn["table"], {**context, "table": shown})}</section>'


def variants(game: Game) -> list[dict[str, Any]]:
    return [dict(known.options) for known in game.presets.values()]


@pytest.mark.parametrize("slug", DRAWN_GAMES)
def test_the_page_lists_every_sentence_of_a_variant_once(slug: str) -> None:
    game = newest(slug)
    for given in variants(game):
        page = Client().get(things_address(game, given)).content.decode()
        said = [html.unescape(text) for text in re.findall(r'class="thing-says">([^<]*)<', page)]
        known = [str(sentence) for sentence in game.things(game.read_options(given)).values()]
        assert known and Counter(said) & Counter(known) == Counter(known), given
        assert len(said) == len(set(said))


@pytest.mark.parametrize("slug", DRAWN_GAMES)
def test_every_line_has_a_picture(slug: str) -> None:
    game = newest(slug)
    for given in variants(game):
        page = Client().get(things_address(game, given), headers={"HX-Request": "true"}).content.decode()
        lines = list(Tree(page).root.iter("li"))
        bare = [
            line
            for line in lines
            if not line.findall(".//svg/*") and not line.findall(".//span[@aria-hidden]")
        ]
        assert lines and not bare, [line.find(".//span[@class='thing-says']").text for line in bare]


def test_a_variant_has_its_own_sentences() -> None:
    pigs = newest("pigs")
    listed = {
        preset: Client().get(things_address(pigs, known.options)).content.decode()
        for preset, known in pigs.presets.items()
    }
    assert "A red X" in listed["standard"] and "A red X" not in listed["kids"]
    assert "five win" in listed["kids"] and "five win" not in listed["standard"]
    assert "what they are is secret" in listed["continuous"]
    odd = Client().get("/rules/pigs/things/?damage_moves=perhaps&mode=&no=1")
    assert "A red X" in odd.content.decode()


def test_a_match_and_a_lesson_lead_to_the_list_of_their_variant(alice: Browser) -> None:
    made = alice.make_by_page(preset="kids")
    for where, query in ((f"/m/{made.key}/A/", "?damage_moves=False"), ("/learn/pigs/", "")):
        page = alice.get(where)
        assert f'href="/rules/pigs/things/{query}"' in page.content.decode()


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.parametrize("slug", DRAWN_GAMES)
def test_everything_drawn_has_a_sentence_and_every_sentence_something_drawn(slug: str) -> None:
    game, rng = newest(slug), Random(7)
    met: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    listed: dict[str, None] = {}
    matches = [
        (dict(known.options), random_match(game, preset, seats, rng))
        for preset, known in game.presets.items()
        for seats in {known.seats[0], known.seats[size(0, -1)]}
    ]
    for path in RECORDS:
        read = record.read(json.loads(path.read_text(encoding="utf-8")))
        if read.game is game:
            matches.append((game.write_options(read.options), kept_match(read)))
    for given, turns in matches:
        things = Things(game, given)
        for text in drawings(game, turns, rng):
            missing.update(things.unexplained(text))
        met += things.met
        listed |= dict.fromkeys(things.kinds)
    assert not missing, "\n".join(f"{count} × {what}" for what, count in missing.most_common())
    never = [kind for kind in listed if not met[kind] and kind not in FILM]
    assert not never
