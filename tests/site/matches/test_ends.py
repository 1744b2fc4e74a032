"""How matches end, for everybody."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import models
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.moderation.models import Report
from robosite.ops.periods import RETENTIONS
from tests import at_once
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, sit_down, text
from tests.site.conftest import Time

pytestmark = pytest.mark.django_db


STAYS = {
    "trail.Entry": "the audit trail: a row a look or deed of staff, and none may ever go unnoticed",
    "trail.Head": "one row",
    "trail.Telling": "one row",
    "trail.Tally": "a row a day and kind",
    "matches.Heartbeat": "one row",
    "matches.ProcessHeartbeat": "a row a kind of process",
    "matches.KeyCheck": "a row a key",
    "ops.JobRun": "a row a kind of job",
    "matches.Figures": "a row a game and variant",
    "auth.Group": "made by a migration",
    "auth.Group_permissions": "made by a migration",
    "auth.Permission": "made by a migration",
    "contenttypes.ContentType": "made by a migration",
}
"""The tables whose rows stay, and why they cannot fill a disk. Matches that were played stay too, since they
are what people come for; they are in a table of which other rows go."""


EITHER = {"talk.Message": ("match", "league"), "notices.GroupChannel": ("match", "league")}
"""Fields of which each row has one: it goes with that."""


def goes_with(model: type[models.Model], ends: set[type[models.Model]]) -> bool:
    """Tell whether each row hangs on one that goes."""
    if model._meta.label in EITHER:
        either: Any = [model._meta.get_field(name) for name in EITHER[model._meta.label]]
        return all(
            one.related_model in ends and one.remote_field.on_delete is models.CASCADE for one in either
        )
    needed = [field for field in model._meta.fields if field.is_relation and not field.null]
    return any(
        field.remote_field.on_delete is models.CASCADE and field.related_model in ends for field in needed
    )


def test_every_table_has_an_end_or_a_reason_to_stay() -> None:
    every = set(apps.get_models(include_auto_created=True))
    ends: set[type[models.Model]] = {retention.past(timezone.now()).model for retention in RETENTIONS}
    ends.add(User)  # staff are few, and their host removes them
    while more := {model for model in every - ends if goes_with(model, ends)}:
        ends |= more
    assert {model._meta.label for model in every - ends} == STAYS.keys()


def rows() -> dict[str, int]:
    """The number of rows of each table that has any."""
    found = {model._meta.label: model._default_manager.count() for model in apps.get_models()}
    return {label: count for label, count in found.items() if count}


def test_a_year_later_only_what_was_played_is_there(table: Table, time: Time, settings: Any) -> None:
    """A busy day at a table, until its browsers are forgotten, and a year in which nobody comes."""
    alice = table.alice
    alice.post("/me/mail/", {"email": "alice@example.org"})
    alice.post("/me/device/")
    alice.post("/notices/add/", {"kind": "atom"})
    alice.do(table.a, "talk", text="Hello Bob")
    Browser("Mallory").make()
    reported = table.bob.post(
        f"/report/{table.key}/", {"about": "match", "reason": "other", "words": "Look."}
    )
    assert reported.status_code == 302
    table.play(SHOTS, MORE_SHOTS)
    assert table.match.status == Match.Status.OVER
    at_once.send_all()
    busy = rows()
    for label in GONE:
        assert busy[label], label
    Report.objects.update(status="settled", closed_at=timezone.now())
    time.pass_(seconds=settings.SESSION_COOKIE_AGE, days=366)
    call_command("prune", "--yes", verbosity=0)
    assert rows().keys() <= STAYS.keys() | PLAYED


GONE = (
    "people.Letter", "people.Ticket", "sessions.Session", "notices.Notice", "moderation.Report",
    "moderation.Salt", "moderation.Trace",
)  # fmt: skip
"""Tables that are empty again after the year."""
PLAYED = {
    "matches.Match", "matches.Seat", "matches.Program", "matches.Hold", "people.Guest", "talk.Message",
    "talk.Heard", "notices.Channel", "notices.Wishes",
}  # fmt: skip
"""A match that was played, those who played it, and the ways by which they wish to hear of the next one."""


def status(page: str) -> str:
    found = re.search(r'id="status"[^>]*>(.*?)</p>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", found[1]).split())


def test_each_is_told_his_own_end_and_a_watcher_who_won(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    ends = {"A/": "A You won!", "B/": "B You lost.", "": "Alice won."}
    fell = {"A/": "Bob is destroyed!", "B/": "Your pig is destroyed!", "": "Bob is destroyed!"}
    readers = {"A/": table.alice, "B/": table.bob, "": table.charlie}
    for where, said in ends.items():
        page = text(readers[where].get(f"/m/{table.key}/{where}?at=2"))
        assert status(page) == said
        ending = page[page.index('id="ending"') : page.index('id="happened"')]
        assert (fell[where] in ending) is not bool(where), "players have read it above"
        assert (fell[where] in page[page.index("<h1") : page.index('id="film"')]) is bool(where)
        assert ("Rematch" in ending) is bool(where)
    assert 'class="own-end side-a"' in text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))


def test_a_draw_is_a_draw_and_a_resignation_says_so(
    table: Table, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    flow.offer_draw(table.a, offer=True)
    flow.offer_draw(table.b, offer=True)
    assert status(text(table.alice.get(table.a.get_absolute_url()))) == "A Draw by agreement."
    other = sit_down(alice, bob, charlie)
    flow.resign(other.b)
    page = text(alice.get(other.a.get_absolute_url()))
    assert status(page) == "A You won!" and "Bob resigns." in page


def test_the_heading_names_what_ended_it(table: Table) -> None:
    """The last sentence of the last step may be about a pig that got away with damage."""
    table.play(("\\ ^ F F F", "F F F F F"))
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=1"))
    assert "Bob has 3 damage now." in page
    assert re.search(r'class="in-short verdict">\s*Your pig is destroyed!', page)


def test_two_that_fall_at_once_are_both_told(table: Table) -> None:
    """Ruling P11: a draw of which one sentence alone would tell half."""
    table.play(("\\ F F F F", "v F F F F"), ("F X X X X", "F X X X X"))
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))
    assert status(page) == "A A draw."
    ending = page[page.index('id="ending"') : page.index('id="happened"')]
    assert re.search(r'class="in-short verdict">\s*Your pig is destroyed! Bob is destroyed!', page)
    assert "is destroyed!" not in ending


def test_what_tells_the_end_waits_for_the_films_last_step(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=2.1"))
    assert "data-veiled" in page
    for part in ('id="ending"', 'id="status"'):
        tag = page[page.rindex("<", 0, page.index(part)) : page.index(part)]
        assert "verdict" in tag


def test_the_x_ray_opens_all_robots_when_it_is_over_and_no_earlier(
    alice: Browser, boxing: Table, charlie: Browser
) -> None:
    boxing.play_some(6, seed=3)
    public = f"/m/{boxing.key}/"
    assert 'class="xray"' not in text(alice.get(boxing.a.get_absolute_url())) + text(charlie.get(public))
    flow.resign(boxing.b)
    assert boxing.match.status == "over"
    page = text(charlie.get(public))
    opened = page[page.index('class="xray"') : page.index('id="happened"')]
    assert opened.count('<section class="side-') == 2 and opened.count('class="xray-letter') == 18
    state: Any = state_of(boxing.match)
    fought = [cause for cause in state.past if any(hit is not None for hit in cause.hits)]
    shots = sum(hit is not None for cause in fought for hit in cause.hits)
    assert shots and opened.count('<li class="is-') == shots


def test_there_is_no_x_ray_of_robots_that_were_never_built(alice: Browser, boxing: Table) -> None:
    flow.resign(boxing.b)
    assert 'class="xray"' not in text(alice.get(boxing.a.get_absolute_url()))


def test_a_sealed_order_lies_in_an_envelope_and_words_are_said_in_their_sides_colour(table: Table) -> None:
    table.alice.do(table.a, "notes", turn=0, word="Caught you!")
    seal = {"turn": 0, "typed": SHOTS[0], "seal": "1"}
    answer = table.alice.post(f"{table.a.get_absolute_url()}plan/", seal, headers={"HX-Request": "true"})
    assert 'class="envelope side-a just-sealed"' in text(answer)
    page = text(table.alice.get(table.a.get_absolute_url()))
    assert 'class="envelope side-a"' in page and "Caught you!" in page
    others = text(table.bob.get(table.b.get_absolute_url())) + text(table.charlie.get(f"/m/{table.key}/"))
    assert "envelope" not in others and "Caught you!" not in others
    flow.seal(table.b, 0, SHOTS[1])
    for browser, where in ((table.bob, "B/"), (table.charlie, "")):
        assert '<p class="word side-a"><b>Alice:</b>' in text(browser.get(f"/m/{table.key}/{where}"))


def test_who_resigns_is_not_asked_to_watch_how_it_ended(table: Table) -> None:
    table.play(SHOTS)
    for browser, own in ((table.alice, table.a), (table.bob, table.b)):
        browser.get(own.get_absolute_url())
    table.alice.do(table.a, "resign")
    pages = [
        text(table.alice.get(table.a.get_absolute_url())),
        text(table.bob.get(table.b.get_absolute_url())),
    ]
    assert ["data-since" in page for page in pages] == [False, True]
    assert "You lost." in pages[0]


def test_who_resigns_before_watching_a_round_may_still_watch_it(table: Table) -> None:
    table.alice.get(table.a.get_absolute_url())
    table.play(SHOTS)
    table.alice.do(table.a, "resign")
    assert "data-since" in text(table.alice.get(table.a.get_absolute_url()))


def race(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice has landed four hits, Bob none."""
    seat = alice.post("/matches/", {"game": "pigs", "name": "Alice", "preset": "kids"})["Location"]
    match = Match.objects.get(key=seat.split("/")[2])
    invite = alice.links(match.seats.get(host=True))["invite"]
    bob.join(invite)
    table = Table(match.key, alice, bob, charlie, invite)
    table.play(("\\ F F F F", "v v v v v"))
    return table


def test_p14_the_page_shows_the_hits_of_everybody(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = race(alice, bob, charlie)
    mine, watched = text(alice.get(table.a.get_absolute_url())), text(charlie.get(f"/m/{table.key}/"))
    for page, landed in ((mine, "You’ve landed"), (watched, "Alice has landed")):
        assert page.count("4 of 5 hits") >= 2 and page.count("0 of 5 hits") >= 1
        players = page.partition('id="players"')[2].partition("</ul>")[0]
        assert players.count('href="#star"') == 10 and players.count("reached") == 4
        assert f"{landed} 4 of 5 hits." in page and "Bob has been hit 4 times so far." in page
        assert "damage now" not in page and "pig-hurt-1" in page
    assert "Your hits:" in text(alice.get(table.a.get_absolute_url()))
    told = "Alice hat 4 von 5 Treffern gelandet."
    assert told in text(charlie.get(f"/m/{table.key}/", HTTP_ACCEPT_LANGUAGE="de"))


def test_p14_the_api_tells_the_hits_and_who_was_first(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = race(alice, bob, charlie)
    seen = charlie.get(f"/api/v1/matches/{table.key}").json()
    assert seen["position"] == "A=e7S0+4 B=e1N4+0"
    assert [event["hits"] for event in seen["events"][0] if event["kind"] == "scored"] == [1, 2, 3, 4]
    table.play(("F TL TL TL TL", "TL TL TL TL TL"))
    over = charlie.get(f"/api/v1/matches/{table.key}").json()
    assert over["outcome"] == {"scores": {"A": 1, "B": 0}, "reason": "five hits"}
    page = text(charlie.get(f"/m/{table.key}/"))
    assert "Alice has landed 5 hits!" in page and "is destroyed!" not in page


def test_p14_without_a_race_nobody_has_stars(alice: Browser, bob: Browser, charlie: Browser) -> None:
    answer = alice.post(
        "/matches/",
        {
            "game": "pigs",
            "name": "Alice",
            "preset": "mix",
            "option-damage_moves": "false",
            "option-ends": "last_standing",
        },
    )
    page = text(alice.get(answer["Location"]))
    assert 'href="#star"' not in page and "of 5 hits" not in page
