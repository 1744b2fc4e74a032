"""A whole match by forms and links alone, and every fragment of its pages with all the names it looks up."""

from __future__ import annotations

import html
import re
from dataclasses import fields
from functools import cache
from itertools import cycle, product
from typing import Any, NamedTuple

import pytest
from django.template import engines
from jinja2 import meta, nodes
from markupsafe import escape

from games import GAMES
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.play.drawings import BOARD, templates_of
from robosite.play.page_state import Ahead, Menu, Open, Over, Page, Part, Planning, Waiting, Watching
from tests.games.cases import size
from tests.site.browsers import FIRST, OTHER, Browser, Table, text


def forms(page: str) -> list[tuple[str, dict[str, str], list[tuple[str, str]]]]:
    """The forms of a page: address, what is filled in, the buttons that say something."""
    found = []
    for action, inside in re.findall(
        r'<form[^>]*method="post" action="([^"]+)"[^>]*>(.*?)</form>', page, re.DOTALL
    ):
        filled, buttons = {}, []
        for tag in re.findall(r"<(?:input|button)\b[^>]*>", inside):
            said = {k: html.unescape(v) for k, v in re.findall(r'([\w-]+)="([^"]*)"', tag)}
            if "name" not in said:
                continue
            if tag.startswith("<button"):
                buttons.append((said["name"], said.get("value", "")))
            elif said.get("type") not in ("radio", "checkbox") or " checked" in tag:
                filled[said["name"]] = said.get("value", "")
        found.append((action, filled, buttons))
    return found


def submit(browser: Browser, page: Any, action: str, **typed: str) -> Any:
    """Sends the page's form to that address, as a browser without JavaScript does, and follows."""
    for at, filled, _buttons in forms(page.content.decode()):
        if at.endswith(action):
            return browser.post(at, filled | typed, follow=True)
    raise AssertionError(f"no form to {action}")


def test_a_match_is_played_by_forms_alone() -> None:
    alice, bob = Browser("Alice", enforce_csrf_checks=True), Browser("Bob", enforce_csrf_checks=True)
    page = submit(alice, alice.get("/new/pigs/"), "/matches/", name="Alice")
    invite = re.search(r"http://testserver(/s/invite/[^/\"]+/)", text(page)).group(1)
    bobs = submit(bob, bob.get(invite), "/accept/", name="Bob")
    match = Match.objects.get()
    assert match.status == "playing"
    here, there = f"/m/{match.key}/A/", f"/m/{match.key}/B/"

    # Alice taps five commands, one form after another; Bob types his.
    page = alice.get(here)
    for key in ("F", "^", "TR", "v", "H"):
        page = submit(alice, page, "/plan/", choose=key)
    assert flow.draft_of(match, match.seats.get(letter="A")) == FIRST
    page = submit(alice, page, "/plan/", seal="1")
    assert "Sealed" in text(page) and "Reopen" in text(page)
    page = submit(alice, page, "/reopen/")
    page = submit(alice, page, "/plan/", seal="1")
    bobs = submit(bob, bobs, "/plan/", typed=OTHER, seal="1")
    match.refresh_from_db()
    assert match.turn == 1
    assert "What happened in round 1" in text(alice.get(here))

    # The film, step by step, by links.
    page = alice.get(f"{here}?at=1.0")
    for step in range(1, 6):
        follow = re.search(r'rel="next" href="([^"]+)"', text(page)).group(1)
        assert follow == f"?at=1.{step}"
        page = alice.get(here + follow)
    submit(bob, bob.get(f"{there}more/"), "/draw/")
    submit(alice, alice.get(f"{here}more/"), "/draw/")
    match.refresh_from_db()
    assert match.status == "over"
    submit(alice, alice.get(here), "/rematch/")
    submit(bob, bob.get(there), "/rematch/")
    assert Match.objects.get(rematch_of=match).status == "playing"


def test_who_waits_without_javascript_gets_the_page_anew(table: Table) -> None:
    refresh = '<noscript><meta http-equiv="refresh" content="15"></noscript>'
    assert refresh not in text(table.alice.get(table.a.get_absolute_url()))  # it would interrupt planning
    flow.seal(table.a, 0, FIRST)
    assert refresh in text(table.alice.get(table.a.get_absolute_url()))
    assert refresh in text(table.charlie.get(f"/m/{table.key}/"))


def test_a_refused_program_stays_typed(table: Table) -> None:
    for typed in ("F F F", 'X "quoted" <b>', "F F F F F F"):
        answer = table.alice.seal(table.a, typed)
        assert answer.status_code == 422
        assert 'role="alert"' in text(answer)
        assert f'value="{escape(typed)}"' in answer.content.decode()
    table.alice.draft(table.a, "F F")
    answer = table.alice.seal(table.a, "F " * 1_001)
    assert answer.status_code == 422 and "2000 characters at most" in text(answer)
    assert "F " * 1_000 in text(answer)
    assert flow.draft_of(table.match, table.a) == "F F", "too long for a draft"


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
    *(*BOARD, "what_if", "table", "seat", "you", "refused", "game"),
    *("names", "who", "drawn", "style", "draft"),
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


BUTTONS = ({"throw": "B"}, {"look": "B"}, {"look": ""}, {"sheet": "B"}, {"guess": "F"}, {"step": "1"})


@pytest.mark.parametrize("game", GAMES)
def test_buttons_of_guesses_are_answered_at_every_stage(alice: Browser, bob: Browser, game: str) -> None:
    """Also as no page sends them: without a guess, for another part of the page, too early or too late."""
    match = alice.make(game=game)
    targets = cycle(("planner", "film", "ahead", "live", "nothing", ""))
    for n, stage in enumerate(("open", "playing", "played", "over")):
        if stage == "playing":
            bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
        elif stage == "played":
            Table(match.key, alice, bob, bob, "").play_some(3)
        elif stage == "over":
            bob.do(match.seats.get(letter="B"), "resign")
        sheets: tuple[dict[str, str], ...] = {}, {"sheet": ""}, {"sheet": "B"}, {"sheet": "B", "guess-B": ""}
        for button, sheet in [*product(BUTTONS, sheets)][size(n % 3, 0) :: size(3, 1)]:
            given = {"turn": str(Match.objects.get(pk=match.pk).turn), **sheet, **button}
            headers = {"HX-Request": "true", "HX-Target": next(targets)}
            answer = alice.post(f"/m/{match.key}/A/plan/", given, headers=headers)
            assert answer.status_code < 500, (stage, given, headers)
