"""Forms as rendered pages have them, sent by any of their buttons, for any part of a page, at any stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from robosite.matches import flow
from robosite.matches.models import Match
from tests.site.browsers import FIRST, Answer, seat_at
from tests.site.fuzzing import KINDS, Odd, quoted
from tests.site.world import World

TEMPLATES = [path.read_text() for path in (Path(__file__).parents[2] / "templates").rglob("*.html")]
PARTS = sorted({one for text in TEMPLATES for one in re.findall(r'\bid="([a-z][a-z0-9-]*)"', text)})
"""The IDs in all templates: whatever htmx may name as its target or trigger."""
OF_BUTTONS = re.compile(r'<button\b[^>]*?\bname="([\w-]+)"\s+value="([^"{]*)(?:\{\{[^"]*)?"')
PRESSED = sorted({one for text in TEMPLATES for one in OF_BUTTONS.findall(text)})
"""The names and values of all buttons in the templates; a value that a template computes is "" here."""
SOME = ("", "A", "B", "C", "0", "1", "2", "F", "F F F F F", "none")
MORE = ("guess-A", "guess-B", "guess-C", "sheet", "look", "throw", "guess", "step", "choose", "then", "typed")
GAMES_WITH = {"pigs": 2, "roboxing": 2, "robosoccer": 2, "robble": 2}

Field = tuple[str, str]


class Form(NamedTuple):
    """A form of a page: the browser that saw it, its address, its fields and its buttons."""

    who: str
    method: str
    action: str
    fields: tuple[Field, ...]
    buttons: tuple[Field, ...]


class Reader(HTMLParser):
    """Collects the forms of a page, with the buttons outside that belong to them (`form="plan"`)."""

    def __init__(self, who: str, path: str) -> None:
        super().__init__()
        self.who, self.path = who, path
        self.forms: list[tuple[str, str, str, list[Field], list[Field]]] = []
        self.loose: list[tuple[str, Field]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            method = given.get("method", "get").upper()
            self.forms.append((given.get("id", ""), method, given.get("action", self.path), [], []))
            self.inside = True
        field = given.get("name", ""), given.get("value", "on" if given.get("type") == "checkbox" else "")
        if tag == "button" and given.get("form"):
            self.loose.append((given["form"], field))
        elif self.inside and field[0] and tag in ("input", "textarea", "select", "button"):
            self.forms[-1][4 if tag == "button" else 3].append(field)

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "form"

    def found(self) -> Iterator[Form]:
        for id_, method, action, fields, buttons in self.forms:
            more = [field for form, field in self.loose if form == id_ and field[0]]
            yield Form(self.who, method, action, tuple(fields), (*buttons, *more))


def forms_on(who: str, path: str, answer: Answer) -> list[Form]:
    reader = Reader(who, path)
    if answer.status_code < 300 and answer["Content-Type"].startswith("text/html"):
        reader.feed(answer.content.decode())
    return [*reader.found()]


def stages(there: World) -> list[Match]:
    """Matches of every game at every stage, between Alice and Bob; Bob is always the slower one."""
    alice, bob = there.people["Alice"], there.people["Bob"]
    made: list[Match] = []

    def new(game: str, *, joined: bool = True) -> Match:
        match = alice.make(GAMES_WITH[game], game)
        made.append(match)
        if joined:
            bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
        return Match.objects.get(pk=match.pk)

    for game in GAMES_WITH:
        new(game, joined=False)
        new(game)
        over = new(game)
        flow.resign(seat_at(over, "B"))
    played = new("pigs")
    for letter in "AB":
        flow.seal(seat_at(played, letter), 0, FIRST)
    flow.seal(seat_at(played, "A"), 1, FIRST)
    placed = new("robble")
    flow.seal(seat_at(placed, "A"), 0, "d4")
    off = new("pigs", joined=False)
    flow.cancel_before_start(seat_at(off, "A"))
    return made


def all_forms(there: World, matches: Sequence[Match]) -> list[Form]:
    """The forms of all pages of these matches, of lessons, puzzles, leagues and the guest's own pages."""
    found: list[Form] = []
    seen = [
        *("/", "/me/", "/back/", "/notices/", "/mine/", "/tables/", "/puzzles/", "/import/", "/new/pigs/"),
        *("/learn/pigs/", "/learn/robble/2/", "/puzzles/pigs/1/", "/puzzles/robble/1/", "/leagues/new/"),
        f"/l/{there.keys['league']}/",
    ]
    for where in ("playing", "open", "over"):
        matches = [*matches, Match.objects.get(key=there.keys[where])]
    for match in matches:
        base = f"/m/{match.key}/"
        seen += [base, *(f"{base}{seat}" for seat in ("B/ask/", "talk/"))]
        seen += [f"{base}A/{page}" for page in ("", "replies/", "time/", "talk/", "notes/", "programs/")]
    for path in seen:
        for who in ("Alice", "Bob") if path.startswith("/m/") else ("Alice",):
            own = path.replace("/A/", "/B/") if who == "Bob" else path
            found += forms_on(who, own, there.people[who].get(own))
    for match in matches:
        guessing = f"/m/{match.key}/A/plan/"
        answer = there.people["Alice"].post(guessing, {"turn": match.turn, "look": "B"})
        found += forms_on("Alice", guessing, answer)
    return [form for form in dict.fromkeys(found) if form.action.startswith("/")]


@st.composite
def pressed(draw: st.DrawFn, forms: Sequence[Form], people: Sequence[str]) -> Odd:
    """One of these forms, sent by a button of its own or of another form, for any part of the page."""
    form = draw(st.sampled_from(forms))
    who = form.who if draw(st.integers(0, 5)) else draw(st.sampled_from(people))
    lost = draw(st.sets(st.integers(0, 20), max_size=2))
    fields = [field for number, field in enumerate(form.fields) if number not in lost]
    own = draw(st.integers(0, 3)) > 0
    if form.buttons and own:
        fields.append(draw(st.sampled_from(form.buttons)))
    else:
        name, value = draw(st.sampled_from(PRESSED))
        fields.append((name, value or draw(st.sampled_from(SOME))))
    fields += draw(st.lists(st.tuples(st.sampled_from(MORE), st.sampled_from(SOME)), max_size=3))
    headers: dict[str, str] = {}
    if draw(st.integers(0, 3)):
        headers = {"HX-Request": "true", "HX-Target": draw(st.sampled_from(PARTS))}
        if draw(st.booleans()):
            headers["HX-Trigger"] = draw(st.sampled_from(PARTS))
    sent = "&".join(f"{quoted(name)}={quoted(value)}" for name, value in fields)
    if form.method == "GET":
        return Odd("form", who, "GET", f"{form.action.partition('?')[0]}?{sent}", b"", "", headers)
    return Odd("form", who, "POST", form.action, sent.encode(), KINDS[0], headers)
