"""Every fragment of a match's page has all names that its templates look up, whatever branch they take.

An undefined name is an error (`jinja/environment.py`), but only once a template reaches it.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from itertools import cycle, product
from typing import Any, NamedTuple

import pytest
from django.template import engines
from jinja2 import meta, nodes

from games import GAMES
from robosite.matches.models import Match
from robosite.play.drawings import BOARD, templates_of
from robosite.play.page_state import Ahead, Menu, Open, Over, Page, Part, Planning, Waiting, Watching
from tests.site.browsers import Browser, Table

ASSIGNS = (nodes.Assign, nodes.AssignBlock, nodes.For, nodes.With, nodes.Macro, nodes.CallBlock)


class Names(NamedTuple):
    """The names that templates look up without a default, and those that they set themselves."""

    looked_up: frozenset[str]
    own: frozenset[str]


def environment() -> Any:
    engine: Any = engines["jinja2"]
    return engine.env


def targets(node: nodes.Node) -> list[nodes.Node]:
    if isinstance(node, nodes.Macro | nodes.CallBlock):
        return [*node.args]
    return [*node.targets] if isinstance(node, nodes.With) else [node.target]  # type: ignore[attr-defined]


def own_names(tree: nodes.Template) -> set[str]:
    found = {node.name for node in tree.find_all(nodes.Macro)}
    for node in tree.find_all(ASSIGNS):
        for target in targets(node):
            named = [target] if isinstance(target, nodes.Name) else target.find_all(nodes.Name)
            found |= {one.name for one in named}
    return found


def optional(tree: nodes.Template) -> set[str]:
    tests: list[Any] = [one for one in tree.find_all(nodes.Test) if one.name == "defined"]
    tests += [one for one in tree.find_all(nodes.Filter) if one.name == "default"]
    return {one.node.name for one in tests if isinstance(one.node, nodes.Name)}


def included(tree: nodes.Template, slug: str) -> list[str]:
    """The templates that a template includes; a game's own drawings are those of the game `slug`."""
    found = []
    there = environment().list_templates()
    for node in tree.find_all((nodes.Include, nodes.Extends)):
        at: Any = node.template  # type: ignore[attr-defined]
        if isinstance(at, nodes.Const):
            found.append(at.value)
        elif isinstance(at, nodes.Concat) and at.nodes[0] == nodes.Const("play/stages/"):
            found += [name for name in there if name.startswith("play/stages/")]
        elif isinstance(at, nodes.Getattr):
            found.append(next(name for name in templates_of(slug)[at.attr] if name in there))
        else:  # games/<slug>/bubble_signs.html
            found += [name for name in [f"games/{slug}/bubble_signs.html"] if name in there]
    return found


@cache
def names_in(template: str, slug: str, apart: tuple[str, ...] = ()) -> Names:
    source, _path, _current = environment().loader.get_source(environment(), template)
    tree = environment().parse(source, template)
    found = Names(
        frozenset(meta.find_undeclared_variables(tree) - optional(tree)), frozenset(own_names(tree))
    )
    for other in included(tree, slug):
        if other.startswith(apart):
            continue
        within = names_in(other, slug, apart)
        found = Names(found.looked_up | within.looked_up, found.own | within.own)
    return found


OF_REPLIES = {
    *BOARD,
    "what_if",
    "table",
    "seat",
    "you",
    "refused",
    "game",
    "names",
    "who",
    "drawn",
    "style",
    "draft",
}
FROM_FRAME = {"game", "drawn", "over", "hears", "apart", "told", "threads", "unread_to_all"}
"""Set by `Part` itself or by templates around, or looked up on the page of the talk alone."""


def of(state: type[Part]) -> set[str]:
    return {one.name for one in fields(state)} | FROM_FRAME


FRAGMENTS = {
    **{f"play/stages/{stage.stage}.html": of(stage) for stage in (Open, Watching, Planning, Waiting, Over)},
    "play/_planner.html": of(Part),
    "play/_film_part.html": of(Part),
    "play/_ahead.html": of(Ahead),
    "play/menu.html": of(Menu) | {"mood"},  # asked for by narrow.html, where a page has one
    "play/replies/_planner.html": OF_REPLIES | {"line", "base", "own", "ended", "planning", "error"},
}


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_is_given_every_name_that_its_templates_look_up(fragment: str, slug: str) -> None:
    names = names_in(fragment, slug)
    assert names.looked_up - names.own - FRAGMENTS[fragment] - {*environment().globals, "loop"} == set()


@pytest.mark.parametrize("stage", [Open, Watching, Planning, Waiting, Over])
def test_the_frame_of_a_page_looks_up_what_every_stage_has(stage: type[Page]) -> None:
    for template in ("play/_live.html", "play/match.html"):
        names = names_in(template, "pigs", apart=("play/stages/", "play/_verdict.html", "unlisted.html"))
        assert names.looked_up - names.own - of(stage) - {*environment().globals, "loop"} == set()


BUTTONS: tuple[dict[str, str], ...] = (
    {"throw": "B"},
    {"look": "B"},
    {"look": ""},
    {"sheet": "B"},
    {"guess": "F"},
    {"step": "1"},
)


@pytest.mark.parametrize("game", GAMES)
def test_buttons_of_guesses_are_answered_at_every_stage(alice: Browser, bob: Browser, game: str) -> None:
    """Also as no page sends them: without a guess, for another part of the page, too early or too late."""
    match = alice.make(game=game)
    targets = cycle(("planner", "film", "ahead", "live", "nothing", ""))
    for stage in ("open", "playing", "played", "over"):
        if stage == "playing":
            bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
        elif stage == "played":
            Table(match.key, alice, bob, bob, "").play_some(3)
        elif stage == "over":
            bob.do(match.seats.get(letter="B"), "resign")
        for button, sheet in product(
            BUTTONS, ({}, {"sheet": ""}, {"sheet": "B"}, {"sheet": "B", "guess-B": ""})
        ):
            given = {"turn": str(Match.objects.get(pk=match.pk).turn), **sheet, **button}
            headers = {"HX-Request": "true", "HX-Target": next(targets)}
            answer = alice.post(f"/m/{match.key}/A/plan/", given, headers=headers)
            assert answer.status_code < 500, (stage, given, headers)
