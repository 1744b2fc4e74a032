"""A lesson is played to its end by buttons alone; nothing of it is kept anywhere."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from games import GAMES, newest
from games.core import Exercise
from robosite.matches import flow
from robosite.matches.models import Match, Program, Seat
from tests.games.sizes import size
from tests.site.browsers import Browser, text

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


@pytest.mark.django_db
@pytest.mark.parametrize("slug", TAUGHT)
def test_every_game_has_one_and_its_rules_lead_there(client: Client, slug: str) -> None:
    page = text(client.get(f"/rules/{slug}/"))
    assert f'href="/learn/{slug}/"' in page
    page = text(client.get(f"/learn/{slug}/"))
    assert "1 of " in page
    assert "formaction" not in page, "a tap on the board goes where the planner goes"


@pytest.mark.django_db
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


@pytest.mark.django_db
@pytest.mark.parametrize("slug", TAUGHT)
def test_later_lessons_are_linked_from_the_rules(client: Client, slug: str) -> None:
    for later in newest(slug).more_lessons:
        assert f'href="/learn/{slug}/{later.key}/"' in text(client.get(f"/rules/{slug}/"))


@pytest.mark.django_db
def test_a_guess_of_one_thing_is_played_against_another(client: Client) -> None:
    """The film shows the first thing that the other may do against which the order is no answer."""
    page = text(seal(client, "pigs/bumps", 6, "\\ H TL TR TL"))  # hits B on d5 and on c5, not on e5
    assert "Not quite." in page and "B steps ahead left to e5." in page and "hits B" not in page
    assert "Well done." in text(seal(client, "pigs/bumps", 6, "^ H H H H"))


@pytest.mark.django_db
def test_what_was_played_before_an_exercise_is_on_the_sheet_of_notes(client: Client) -> None:
    page = text(client.get("/learn/roboxing/letters/3/"))
    assert "Slot b is an engine and points north-east." in page
    assert "Slot a hasn’t revealed anything yet." in page


@pytest.mark.django_db
def test_another_order_is_played_too_and_gets_a_hint(client: Client) -> None:
    exercise = newest("pigs").lesson.exercises[1]
    page = text(seal(client, "pigs", 2, "H H H H H"))
    assert "Not quite." in page and str(exercise.hint) in page
    assert "You punch and hit nothing." in page
    assert f'href="/learn/pigs/2/?order={quote("H H H H H")}&again#lesson"' in page


@pytest.mark.django_db
def test_what_is_refused_is_told_and_kept(client: Client) -> None:
    answer = client.post("/learn/pigs/2/?order=TR", {"seal": "1"})
    assert answer.status_code == 422
    assert 'role="alert"' in text(answer) and "order=TR" in text(answer)


@pytest.mark.django_db
def test_a_shot_without_a_move_is_sealed_as_a_stay(client: Client) -> None:
    path = "/learn/roboxing/5/"
    tapped = client.post(path, {"choose": "turret d"}, headers={"HX-Request": "true"})
    assert tapped.status_code == 200
    shot = client.post(f"{path}?order=_%20d%20b", {"seal": "1"}, follow=True)
    assert shot.status_code == 200 and "is not part of a move" not in text(shot)
    assert 'id="film"' in text(shot)


def test_taps_alone_lead_to_the_end_without_javascript(client: Client) -> None:
    page = text(client.get("/learn/pigs/2/"))
    for sign in ("TR", "F", "F", "F", "F"):
        action = re.search(r'<form id="plan"[^>]* action="([^"]+)"', page)
        page = text(client.post(unescape(action[1]), {"choose": sign}, follow=True))
    action = re.search(r'<form id="plan"[^>]* action="([^"]+)"', page)
    assert "Well done." in text(client.post(unescape(action[1]), {"seal": "1"}, follow=True))


@pytest.mark.django_db
def test_a_tap_gets_the_planner_and_its_ghosts_only(client: Client) -> None:
    answer = client.post("/learn/pigs/2/?order=TR", {"choose": "F"}, headers={"HX-Request": "true"})
    page = text(answer)
    assert answer.status_code == 200 and "<html" not in page
    assert 'id="plan"' in page and 'data-ghost="2"' in page and "order=TR%20F" in page


@pytest.mark.django_db
@pytest.mark.parametrize("order", ["nonsense", "F" * 5_000, "<script>", "\\", "%00"])
def test_any_address_is_answered(client: Client, order: str) -> None:
    for slug in TAUGHT:
        for played in ("", "&played", "&played&step=99"):
            answer = client.get(f"/learn/{slug}/1/?order={quote(order)}{played}")
            assert answer.status_code in (200, 422)
            assert "<script>" not in answer.content.decode().replace('<script type="module"', "")


@pytest.mark.django_db
def test_nothing_is_kept(client: Client) -> None:
    seal(client, "pigs", 2, "TR F F F F")
    assert not Match.objects.exists() and not Program.objects.exists()
    assert "session" not in client.cookies


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    ["/learn/chess/", "/learn/pigs/0/", "/learn/pigs/9/", "/learn/pigs/letters/", "/learn/pigs/bumps/9/"],
)
def test_there_is_no_other_lesson(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


SHOWN = re.compile(r">([^<>]+)<|\b(?:aria-label|title|alt|placeholder)=\"([^\"]*)\"")
WORD = re.compile(r"[^\W\d_]{3,}")
"""Notation is the same in every language, and has no words of three letters."""
ROW = re.compile("[SML]{3,6}")
"""Robots in a row, as they are lined up in Robosoccer: notation too."""
NAMES = {"Robosite", "Robo Battle Pigs", "Roboxing", "Robosoccer", "Robble", "English", "Deutsch", "Español"}
NAMES |= {"abcdefgh", "Ctrl"}  # below the pigs' board, and a key
SAME = {"es": {"No", "Robots"}, "de": {"Laser", "Position"}}
"""Words that a language shares with English."""


def said(answer: Any) -> set[str]:
    """The texts of a page's inside, without notation."""
    inside = text(answer).split("<main", 1)[-1].split("</main>")[0]
    found = {(one or other).strip() for one, other in SHOWN.findall(inside)}
    return {one for one in found if WORD.search(one) and one not in NAMES and not ROW.fullmatch(one)}


@pytest.mark.fuzz
@pytest.mark.django_db
@pytest.mark.parametrize(("lesson", "at", "exercise"), EXERCISES)
def test_no_text_of_a_lesson_stays_in_english(lesson: str, at: int, exercise: Exercise) -> None:
    answer = {"order": exercise.answer}
    asks: list[dict[str, str]] = [{**answer, "played": ""}, {}, answer, {"order": "zz", "again": ""}]
    for query in asks[: size(1, None)]:
        english, *others = (
            said(Client(headers={"Accept-Language": one}).get(f"/learn/{lesson}/{at}/", query))
            for one in ("en", "es", "de")
        )
        for language, other in zip(("es", "de"), others, strict=True):
            assert other and not english & other - SAME[language]


@pytest.mark.django_db
@pytest.mark.parametrize("slug", TAUGHT)
def test_every_game_says_how_an_order_is_typed_here_and_in_a_match(client: Client, slug: str) -> None:
    hint = re.search(r'id="typed-hint">([^<]*)<', text(client.get(f"/learn/{slug}/")))
    assert hint and hint[1] == newest(slug).notation and len(hint[1]) > 20
    alice = Browser("Alice")
    seat = alice.make(game=slug).seats.get(letter="A")
    assert f'id="typed-hint">{hint[1]}<' in text(alice.get(seat.get_absolute_url()))


@pytest.mark.django_db
def test_what_the_plan_cannot_take_of_an_order_typed_is_told(client: Client) -> None:
    answer = client.post("/learn/pigs/1/", {"typed": "^ X X X X", "use": "1"}, follow=True)
    assert "Your pig has no damage, so X was taken out." in text(answer)
    answer = client.post("/learn/pigs/1/?order=F", {"typed": "nonsense", "use": "1"})
    assert answer.status_code == 422 and "order=F" in text(answer) and "nonsense" in text(answer)
