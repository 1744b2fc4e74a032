"""Lessons, rules, examples and the notation, as pages."""

from __future__ import annotations

import html
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from games import GAMES, newest
from games.core import Example, Exercise
from robosite.api.pages import fields_of, in_words
from robosite.learn.examples import film_of_example
from robosite.matches import flow
from robosite.matches.models import Match, Program, Seat
from tests.games.cases import size
from tests.site.browsers import Browser, text
from tests.site.web.test_languages import english

EXAMPLES = [
    pytest.param(slug, example, id=f"{slug}-{example.key}")
    for slug in GAMES
    for example in newest(slug).examples
]
every_example = pytest.mark.parametrize(("slug", "example"), EXAMPLES)
CURRENT = re.compile(r'<li data-sentence-step="(\d+)" class="current">')


def page_of(client: Client, slug: str, example: Example, at: str = "") -> str:
    return unescape(text(client.get(f"/rules/{slug}/examples/{example.key}/{at}")))


@every_example
def test_links_alone_lead_through_all_steps_from_the_rules_and_back(
    client: Client, slug: str, example: Example
) -> None:
    """Each page shows its own step, with its remark and the board in words, and leads to the next."""
    assert f'href="/rules/{slug}/examples/{example.key}/' in text(client.get(f"/rules/{slug}/"))
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
    assert at == f"?at={len(told.steps) - 1}" and f'href="/rules/{slug}/"' in page
    for remark in example.remarks.values():
        assert str(remark.says) in page


@every_example
def test_no_text_of_an_example_stays_in_english(slug: str, example: Example) -> None:
    german = Client(headers={"Accept-Language": "de"})
    assert not [*english(text(german.get(f"/rules/{slug}/examples/{example.key}/")))]


def test_any_step_is_answered_of_examples_and_lessons_that_exist_and_is_no_match(client: Client) -> None:
    for at in ("0", "99999999", "-1", "x", "", "%00", "2.3", "<script>"):
        answer = client.get("/rules/pigs/examples/three-rounds/", {"at": at})
        assert answer.status_code == 200 and len(CURRENT.findall(text(answer))) == 1
        assert at != "<script>" or "?at=<" not in text(answer)
    for path in (
        *("rules/chess/examples/goal", "rules/pigs/examples/goal", "learn/chess", "learn/pigs/0"),
        *("learn/pigs/9", "learn/pigs/letters", "learn/pigs/bumps/9"),
    ):
        assert client.get(f"/{path}/").status_code == 404
    seal(client, "pigs", 2, "TR F F F F")
    assert not Match.objects.exists() and not Program.objects.exists()
    assert "session" not in client.cookies


@pytest.mark.parametrize("slug", GAMES)
def test_the_rules_begin_in_short_and_lead_to_each_of_their_parts(client: Client, slug: str) -> None:
    page = text(client.get(f"/rules/{slug}/"))
    before, _in_short, rest = page.partition('<section class="panel in-short"')
    short, _contents, rest = rest.partition('<nav class="contents"')
    assert short.count("<li>") == 3 and "<h2" not in before
    ways, _end, rules = rest.partition("</nav>")
    parts = re.findall(r'href="#([\w-]+)"', ways)
    assert parts and parts == re.findall(r'<h2 id="([\w-]+)">', rules.partition('id="about-title"')[0])
    for path in (f"/rules/{slug}/", "/programs/", "/api/v1/docs"):
        assert f'href="/rules/{slug}/notation/"' in read(client, path), "people find it"
    assert 'href="/programs/"' in read(client, "/")
    assert client.get("/rules/chess/notation/").status_code == 404


def read(client: Client, path: str) -> str:
    return html.unescape(text(client.get(path)))


@pytest.mark.parametrize("slug", GAMES)
def test_it_says_all_that_the_api_says_and_defines_each_name(client: Client, slug: str) -> None:
    answer = client.get(f"/api/v1/games/{slug}")
    assert not re.search(r"\([BGPSX]\d+\)", answer.content.decode()), "a ruling that cannot be looked up"
    told = answer.json()
    page = read(client, f"/rules/{slug}/notation/")
    flat = " ".join(page.split())
    for one in (*told["orders"], *told["positions"]):
        assert one["example"] in page
        assert " ".join(one["grammar"].split()) in flat
        plain = re.sub(r'"[^"]*"|\?[^?]*\?', "", one["grammar"])
        names, defined = re.findall(r"\w+", plain), re.findall(r"(\w+) =", plain)
        assert set(names) == set(defined) and len(defined) == len(set(defined)), one["grammar"]
    for kind, schema in told["events"].items():
        assert all(field.values for field in fields_of(schema))
        assert f'id="event-{kind}"' in page
        section = page.partition(f'id="event-{kind}"')[2].partition("<h3")[0]
        for name in schema["properties"]:
            assert name == "kind" or f"<code>{name}</code>" in section, (kind, name)
    for name in told["setup"].get("properties", {}):
        assert f"<code>{name}</code>" in page
    assert ("What never changes, as JSON" in page) == bool(told["data"])
    assert f"/api/v1/games/{slug}" in page
    assert f"The position {told['positions'][0]['example']}" in page


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


TAUGHT = [slug for slug in GAMES if newest(slug).lesson]
EXERCISES = [
    pytest.param(f"{slug}/{lesson.key}".strip("/"), n, exercise, id=f"{slug}-{lesson.key or 'first'}-{n}")
    for slug in TAUGHT
    for lesson in newest(slug).lessons
    for n, exercise in enumerate(lesson.exercises, 1)
]
"""The lesson as addresses have it (`pigs`, `pigs/bumps`), the number of the exercise, and the exercise."""


def seal(client: Client, lesson: str, at: int, order: str) -> Any:
    return client.post(f"/learn/{lesson}/{at}/", {"typed": order, "seal": "1"}, follow=True)


@pytest.mark.parametrize("slug", TAUGHT)
def test_every_game_has_lessons_that_say_how_an_order_is_typed_and_its_rules_lead_there(
    client: Client, slug: str
) -> None:
    rules = text(client.get(f"/rules/{slug}/"))
    assert f'href="/learn/{slug}/"' in rules
    assert all(f'href="/learn/{slug}/{later.key}/"' in rules for later in newest(slug).more_lessons)
    page = text(client.get(f"/learn/{slug}/"))
    assert "1 of " in page
    assert "formaction" not in page, "a tap on the board goes where the planner goes"
    hint = re.search(r'id="typed-hint">([^<]*)<', page)
    assert hint and hint[1] == newest(slug).notation and len(hint[1]) > 20
    alice = Browser("Alice")
    seat = alice.make(game=slug).seats.get(letter="A")
    assert f'id="typed-hint">{hint[1]}<' in text(alice.get(seat.get_absolute_url()))


@pytest.mark.parametrize(("lesson", "at", "exercise"), EXERCISES)
def test_the_answer_is_praised_and_leads_on(client: Client, lesson: str, at: int, exercise: Exercise) -> None:
    page = text(seal(client, lesson, at, exercise.answer))
    assert "Well done." in page and str(exercise.done) in unescape(page)
    slug, _, key = lesson.partition("/")
    lessons = newest(slug).lessons
    here = next(n for n, one in enumerate(lessons) if one.key == key)
    if at < len(lessons[here].exercises):
        assert f'href="/learn/{lesson}/{at + 1}/"' in page
    else:
        assert 'action="/play/"' in page and "Play a friend" in page
        for later in lessons[here + 1 :]:
            assert f'href="/learn/{slug}/{later.key}/"' in page


def test_the_button_at_the_end_names_the_bot_and_how_hard_it_is_to_beat(alice: Browser) -> None:
    def end() -> str:
        exercises = newest("pigs").lesson.exercises
        page = seal(alice, "pigs", len(exercises), exercises[-1].answer)
        return " ".join(re.sub(r"<(?!input)[^>]*>", " ", text(page)).split())

    assert "Play a bot now Easy" in end()
    for _ in range(2):
        alice.post("/play/", {"game": "pigs", "player": "hasty"})
        flow.resign(Match.objects.latest("pk").seats.get(kind=Seat.Kind.BOT))
    assert "Play a bot now Medium" in end()
    assert '<input type="hidden" name="player" value="quick">' in end()


def test_a_guess_of_one_thing_is_played_against_another_after_what_was_played_before(client: Client) -> None:
    """The film shows the first thing that the other may do against which the order is no answer."""
    page = text(seal(client, "pigs/bumps", 6, "\\ H TL TR TL"))  # hits B on d5 and on c5, not on e5
    assert "Not quite." in page and "B steps ahead left to e5." in page and "hits B" not in page
    assert "Well done." in text(seal(client, "pigs/bumps", 6, "^ H H H H"))
    page = text(client.get("/learn/roboxing/letters/3/"))
    assert "Slot b is an engine and points north-east." in page
    assert "Slot a is" not in page  # it hasn’t revealed anything yet


def test_another_order_is_played_too_and_gets_a_hint(client: Client) -> None:
    exercise = newest("pigs").lesson.exercises[1]
    page = text(seal(client, "pigs", 2, "H H H H H"))
    assert "Not quite." in page and str(exercise.hint) in page
    assert "You punch and hit nothing." in page
    assert f'href="/learn/pigs/2/?order={quote("H H H H H")}&again#lesson"' in page


def test_taps_alone_lead_to_the_end_without_javascript_and_else_get_the_planner(client: Client) -> None:
    page = text(client.get("/learn/pigs/2/"))
    for sign in ("TR", "F", "F", "F", "F"):
        action = re.search(r'<form id="plan"[^>]* action="([^"]+)"', page)
        page = text(client.post(unescape(action[1]), {"choose": sign}, follow=True))
    action = re.search(r'<form id="plan"[^>]* action="([^"]+)"', page)
    assert "Well done." in text(client.post(unescape(action[1]), {"seal": "1"}, follow=True))
    answer = client.post("/learn/pigs/2/?order=TR", {"choose": "F"}, headers={"HX-Request": "true"})
    page = text(answer)
    assert answer.status_code == 200 and "<html" not in page
    assert 'id="plan"' in page and 'data-ghost="2"' in page and "order=TR%20F" in page


@pytest.mark.parametrize("order", ["nonsense", "F" * 5_000, "<script>", "\\", "%00"])
def test_any_address_is_answered(client: Client, order: str) -> None:
    for slug in TAUGHT:
        for played in ("", "&played", "&played&step=99"):
            answer = client.get(f"/learn/{slug}/1/?order={quote(order)}{played}")
            assert answer.status_code in (200, 422)
            assert "<script>" not in answer.content.decode().replace('<script type="module"', "")


@pytest.mark.fuzz
@pytest.mark.parametrize(("lesson", "at", "exercise"), EXERCISES)
def test_no_text_of_a_lesson_stays_in_english(lesson: str, at: int, exercise: Exercise) -> None:
    answer, german = {"order": exercise.answer}, Client(headers={"Accept-Language": "de"})
    asks: list[dict[str, str]] = [{**answer, "played": ""}, {}, answer, {"order": "zz", "again": ""}]
    for query in asks[: size(1, None)]:
        assert not [*english(text(german.get(f"/learn/{lesson}/{at}/", query)))]


def test_what_is_refused_or_cannot_be_taken_of_an_order_is_told_and_kept(client: Client) -> None:
    answer = client.post("/learn/pigs/2/?order=TR", {"seal": "1"})
    assert answer.status_code == 422
    assert 'role="alert"' in text(answer) and "order=TR" in text(answer)
    answer = client.post("/learn/pigs/1/", {"typed": "^ X X X X", "use": "1"}, follow=True)
    assert "Your pig has no damage, so X was taken out." in text(answer)
    answer = client.post("/learn/pigs/1/?order=F", {"typed": "nonsense", "use": "1"})
    assert answer.status_code == 422 and "order=F" in text(answer) and "nonsense" in text(answer)
    path = "/learn/roboxing/5/"
    tapped = client.post(path, {"choose": "turret d"}, headers={"HX-Request": "true"})
    assert tapped.status_code == 200
    shot = client.post(f"{path}?order=_%20d%20b", {"seal": "1"}, follow=True)  # without a move: a stay
    assert shot.status_code == 200 and "is not part of a move" not in text(shot)
    assert 'id="film"' in text(shot)
