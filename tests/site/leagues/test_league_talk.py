"""Talk among the players of a league: who reads it, who is told, what a moderator can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail as post
from django.db import connection
from django.utils import timezone

from robosite.leagues import flow as leagues
from robosite.leagues import league_talk
from robosite.leagues.models import League, Place
from robosite.matches.live import push
from robosite.moderation import measures
from robosite.moderation.models import Report
from robosite.people.current_guest import forget, merge
from robosite.people.models import Guest
from robosite.people.personal_data import parts
from robosite.talk import undo
from robosite.talk.models import Message
from robosite.talk.moved_messages import move_messages
from tests.site.api.test_api import Api
from tests.site.browsers import Browser, text
from tests.site.leagues.conftest import Group, join, joined, mails, make, page
from tests.site.notices.test_notices import by_mail
from tests.site.people.test_sent_forms import token_of


def say(
    browser: Browser, league: League, words: str = "Hello, all of you", status: int = 302, **more: Any
) -> str:
    answer = browser.post(f"/l/{league.key}/talk/", {"text": words, **more})
    assert answer.status_code == status, text(answer)
    return text(answer)


def talk(browser: Browser, league: League, status: int = 200) -> str:
    answer = browser.get(f"/l/{league.key}/talk/")
    assert answer.status_code == status
    return " ".join(text(answer).split())


def test_players_read_each_other_and_nobody_else_does(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league, _invite = joined(alice, bob)
    leagues.add_bot(league, "random", lambda _league: True)  # which reads nothing
    assert "new message" not in page(bob, league)
    say(alice, league)
    told = " ".join(text(bob.get("/mine/")).split())
    assert "not started yet" in told and "one new message" in told
    say(alice, league, "And again")
    assert "2 new messages" in page(bob, league) and "new message" not in page(alice, league)
    assert "Hello, all of you" in talk(bob, league) and "Only you and Alice can see this" in talk(bob, league)
    for browser in (alice, bob):
        assert "new message" not in page(browser, league) + text(browser.get("/mine/"))
    shown = talk(charlie, league, status=403)
    assert "Hello, all" not in shown and "Only the players can read" in shown
    say(charlie, league, status=403)
    assert "/talk/" not in page(charlie, league) and Message.objects.count() == 2


def test_open_pages_of_all_players_hear_what_is_new(
    alice: Browser, bob: Browser, charlie: Browser, monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    """Who has joined, what is said, and that it has begun; nobody hears of their own message."""
    heard: list[str] = []
    monkeypatch.setattr(push, "_send", lambda sent: heard.append(f"{sent['match']} {sent['type']}"))

    def told(act: Callable[[], object]) -> set[str]:
        heard.clear()
        with django_capture_on_commit_callbacks(execute=True):
            act()
        guests = {push.of_guest(one.pk): one.name for one in Guest.objects.all()}
        return {name for key, name in guests.items() if f"{key} looked" in heard}

    league, invite = make(alice)
    assert told(lambda: join(bob, invite)) == {"Alice", "Bob"}
    assert told(lambda: join(charlie, invite)) == {"Alice", "Bob", "Charlie"}
    assert told(lambda: say(bob, league)) == {"Alice", "Charlie"}
    assert told(lambda: alice.post(f"/l/{league.key}/start/")) == {"Alice", "Bob", "Charlie"}


def test_a_script_shows_why_something_was_not_said_and_what_is_sent_again_is_said_once(
    alice: Browser, bob: Browser
) -> None:
    """htmx leaves a page as it is where the status is not 200."""
    league, _invite = make(alice)
    for browser, words in ((alice, "w" * 501), (bob, "Hello")):
        assert say(browser, league, words, status=422 if browser is alice else 403)
        answer = browser.post(f"/l/{league.key}/talk/", {"text": words}, headers={"HX-Request": "true"})
        assert answer.status_code == 200
        assert ("501 characters, 500 at most" in text(answer)) == (browser is alice)
        assert answer.has_header("HX-Refresh") == (browser is bob)
    assert not Message.objects.exists()
    given: Any = token_of(alice, f"/l/{league.key}/talk/")
    for _ in range(2):
        say(alice, league, once="0123", **given)
    assert Message.objects.count() == 1
    say(alice, league, " ", status=422)


def test_a_message_is_taken_back_by_its_author_alone(alice: Browser, bob: Browser) -> None:
    league, _invite = joined(alice, bob)
    by_mail(bob, tells=["message"])
    say(alice, league, "Slip")
    key = undo.key_of(Message.objects.get())
    bob.post(f"/l/{league.key}/talk/", {"undo": key})
    assert f'name="undo" value="{key}"' in talk(alice, league) and "Slip" in talk(bob, league)
    assert 'name="undo"' not in talk(bob, league)
    assert alice.post(f"/l/{league.key}/talk/", {"undo": key}).status_code == 302
    assert not Message.objects.exists() and "Slip" not in talk(bob, league)


def test_whoever_is_removed_reads_no_more(
    alice: Browser, bob: Browser, charlie: Browser, league: League
) -> None:
    assert alice.post(f"/l/{league.key}/leave/", {"place": "2", "status": "playing"}).status_code == 302
    say(alice, league)
    talk(bob, league, status=403)
    assert "Hello" in talk(charlie, league)


def seal_once_in_each_match(group: Group) -> None:
    for one in group.matches():
        group.seal(one, *(letter for letter, place in one["seats"].items() if place in group.tokens))


def test_strangers_begin_with_phrases_and_read_nothing_older(api: Api) -> None:
    group = Group(api, 3, open=True)
    league, guest = group.league, Guest.objects.create(name="Zoe")
    hello = Message.objects.create(league=league, name="Ada", text="Hi", sent_at=timezone.now())
    zoe = leagues.join(league, "Zoe", guest=guest).place
    hold = zoe.holders.get()
    assert league_talk.only_phrases(league) and league_talk.said_to(zoe).messages == []
    group.start()
    league.refresh_from_db()
    assert league_talk.only_phrases(league)
    with pytest.raises(Exception, match="sealed twice"):
        league_talk.say(hold, "psst")
    assert league_talk.say(hold, "", "hello").phrase == "hello"
    assert hello.pk not in [one.pk for one in league_talk.said_to(zoe).messages]
    first = Place.objects.get(league=league, number=1)
    assert hello.pk in [one.pk for one in league_talk.said_to(first).messages]
    seal_once_in_each_match(group)
    assert league_talk.only_phrases(league), "Zoe has not sealed"
    leagues.leave(zoe)
    assert not league_talk.only_phrases(league)


def test_a_bot_is_not_waited_for_before_everybody_may_type(api: Api) -> None:
    group = Group(api, 3, bots=["random"])
    group.start()
    Place.objects.filter(league=group.league, number=1).update(stranger=True)
    league = group.league
    assert league_talk.only_phrases(league)
    seal_once_in_each_match(group)
    assert not league_talk.only_phrases(league)


def test_a_message_sends_one_notice_until_it_is_read(
    alice: Browser, bob: Browser, charlie: Browser, time: Any, league: League
) -> None:
    by_mail(bob)
    mails(time)
    say(alice, league)
    say(charlie, league, "Hello, too")
    assert mails(time) == [("Bob", f"Message from Alice: {league.name}")]
    body = str(post.outbox[0].body)
    assert f"/l/{league.key}/talk/" in body and "Hello" not in body, "a notice has no text of a message"
    talk(bob, league)
    say(charlie, league, "Hello once more")
    assert mails(time) == [("Bob", f"Message from Charlie: {league.name}")]


def test_a_message_is_reported_and_hidden(
    alice: Browser, bob: Browser, charlie: Browser, staff_groups: None
) -> None:
    league, _invite = joined(alice, bob)
    say(bob, league, "Buy my hats")
    path = f"/report/league/{league.key}/"
    shown = text(alice.get(path))
    assert "Buy my hats" in shown and f"The league “{league.name}”" in shown
    assert "Buy my hats" not in text(charlie.get(path)) and "Buy my hats" not in text(bob.get(path))
    message = Message.objects.get()
    given = {"about": f"message-{message.pk}", "reason": "spam"}
    assert charlie.post(path, given).status_code == 422
    assert alice.post(path, given).status_code == 302
    report = Report.objects.get()
    assert (report.shown, report.guest, report.league) == ("Buy my hats", message.guest, league)
    desk = Browser("Dora")
    desk.force_login(User.objects.create(username="root", is_staff=True, is_superuser=True))
    shown = text(desk.get(f"/admin/moderation/report/{report.pk}/change/"))
    assert "Hide the message" in shown and "said-title" in shown
    hidden = measures.take("hide", None, report=report, reason="spam")
    assert "Buy my hats" not in talk(alice, league) and "Hidden by a moderator." in talk(alice, league)
    measures.lift(hidden, None)
    assert "Buy my hats" in talk(alice, league)
    measures.take("mute", None, report=report, reason="spam")
    say(bob, league, status=403)
    assert charlie.post(path, {"about": "league", "reason": "insult"}).status_code == 302
    assert Report.objects.get(what="league").shown == league.name


def test_personal_data_of_what_was_said(alice: Browser, bob: Browser) -> None:
    league, _invite = joined(alice, bob)
    say(bob, league, "My words")
    guest, other = Guest.objects.get(name="Bob"), Guest.objects.create(name="Bob two")
    exported: Any = parts["talk"].export(guest, None)  # type: ignore[arg-type]
    assert [(one["league"], one["text"]) for one in exported["messages"]] == [(league.key, "My words")]
    merge(guest, other)
    assert Message.objects.get().guest == other
    forget(other, at_once=50)
    shown = talk(alice, league)
    assert "My words" in shown and "Somebody" in shown and ">Bob<" not in shown


def test_what_an_older_release_has_written_is_moved_among_the_messages(alice: Browser, bob: Browser) -> None:
    league, _invite = joined(alice, bob)
    place = Place.objects.get(league=league, name="Bob")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO leagues_leaguemessage"
            " (league_id, place_id, name, phrase, text, hidden, sent_at, once)"
            " VALUES (%s, %s, 'Bob', 'hello', 'Old words', false, %s, '')",
            [league.pk, place.pk, timezone.now()],
        )
        report = Report.objects.create(what="message", made_at=timezone.now(), league=league)
        cursor.execute(
            "UPDATE moderation_report SET league_message_id = (SELECT id FROM leagues_leaguemessage)"
        )
    for _ in range(2):
        move_messages(connection)
    assert "Old words" in talk(alice, league)
    report.refresh_from_db()
    message = Message.objects.get()
    assert (report.message, report.subject) == (message, f"message {message.pk}")
    assert (message.place, message.league, message.phrase) == (place, league, "hello")
