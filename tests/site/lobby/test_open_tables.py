"""Open tables: a list for people who do not know each other, with moderation first."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from robosite.matches import flow
from robosite.matches.flow import arbiter, listing
from robosite.matches.models import LISTED_FOR, Hold, Match, MatchFlag, Seat
from robosite.moderation import measures
from robosite.people.models import Guest
from robosite.talk import messages, strangers, turn_notes
from robosite.talk.models import Message, TurnNote
from robosite.web.bounds import Bucket
from tests.site.api.test_api import Api
from tests.site.browsers import OTHER, Browser, seat_at, text
from tests.site.conftest import Time

OPEN: dict[str, Any] = {"with": "open"}
"""The answer of the form with which a match is on the list."""


@pytest.fixture(autouse=True)
def on(settings: Any) -> None:
    settings.OPEN_TABLES = True


@pytest.fixture
def open_table(alice: Browser) -> Match:
    return alice.make_by_page(**OPEN, deadline="24", reserve="72")


def listed(browser: Browser, **narrowed: str) -> list[str]:
    return re.findall(r'id="table-(\w{12})"', text(browser.get("/tables/", narrowed)))


def sit(browser: Browser, match: Match, name: str = "") -> Any:
    return browser.post(f"/tables/{match.key}/sit/", {"name": name or browser.name})


def turn(match: Match) -> None:
    for letter in "AB":
        flow.seal(seat_at(match, letter), Match.objects.get(pk=match.pk).turn, OTHER)


def test_nothing_of_it_is_there_unless_the_host_turns_it_on(
    alice: Browser, bob: Browser, settings: Any
) -> None:
    settings.OPEN_TABLES = False
    match = alice.make_by_page(**OPEN)
    assert not match.listed
    arbiter.list_again(match)
    for path in ("/tables/", f"/tables/{match.key}/"):
        assert bob.get(path).status_code == 404
    assert sit(bob, match).status_code == 404
    for path in ("/", "/mine/", "/new/pigs/"):
        shown = text(bob.get(path))
        assert "/tables/" not in shown and 'value="open"' not in shown


def test_home_my_games_and_the_form_lead_to_it_and_home_lists_the_newest(
    alice: Browser, bob: Browser
) -> None:
    for path in ("/", "/mine/"):
        assert 'href="/tables/"' in text(bob.get(path))
    assert 'value="open"' in text(bob.get("/new/pigs/"))
    assert "table-" not in text(bob.get("/"))
    keys = [alice.make_by_page(**OPEN, deadline="24").key for _ in range(4)]
    shown = text(bob.get("/"))
    assert re.findall(r'href="/tables/(\w{12})/"', shown) == keys[:0:-1]
    assert "Alice" in shown and "up to a day per turn" in shown
    sit(bob, Match.objects.get(key=keys[3]))
    assert keys[3] not in text(Browser("Charlie").get("/"))


def test_a_table_is_listed_with_game_pace_free_seats_and_names_alone(open_table: Match, bob: Browser) -> None:
    shown = " ".join(text(bob.get("/tables/")).split()).replace("\xa0", " ")
    entry = shown[shown.index(f'id="table-{open_table.key}"') :]
    for words in ("Robo Battle Pigs", "Players: Alice.", "One free seat.", "1 day per turn", "3 days extra"):
        assert words in entry
    assert open_table.invite_hash not in shown and "/s/invite/" not in shown


def test_a_match_for_friends_is_not_listed(alice: Browser, bob: Browser) -> None:
    match = alice.make_by_page()
    assert listed(bob) == []
    assert sit(bob, match).status_code == 409
    assert bob.get(f"/tables/{match.key}/").status_code == 404
    assert not Seat.objects.filter(match=match, name="Bob").exists()


@pytest.mark.parametrize("way", ["link", "bot", "here", "program"])
def test_what_needs_no_stranger_is_not_listed(alice: Browser, way: str) -> None:
    given = {"game": "pigs", "seats": 2, "name": "Alice", "with": way, "here": "Clara"}
    assert alice.post("/matches/", given).status_code == 302
    assert not Match.objects.get().listed


def test_it_can_be_narrowed_by_game_and_pace(alice: Browser, bob: Browser) -> None:
    slow = alice.make_by_page(**OPEN, deadline="72")
    quick = alice.make_by_page(game="robble", **OPEN, deadline="24")
    free = alice.make_by_page(game="robble", **OPEN)
    assert listed(bob) == [free.key, quick.key, slow.key]
    assert listed(bob, game="robble") == [free.key, quick.key]
    assert listed(bob, game="robble", pace="day") == [quick.key]
    assert listed(bob, pace="days") == [slow.key]
    assert listed(bob, pace="none") == [free.key]
    assert listed(bob, game="chess", pace="'") == [free.key, quick.key, slow.key]
    assert listed(bob, game="roboxing") == []


def test_a_long_list_has_pages_and_takes_no_more_queries(
    alice: Browser, bob: Browser, django_assert_max_num_queries: Any
) -> None:
    first = alice.make_by_page(**OPEN)
    for _ in range(20):
        flow.create(first.game, first.options, 2, "Dora", listed=True)
    bob.get("/tables/")
    with django_assert_max_num_queries(6):
        keys = listed(bob)
    assert len(keys) == 20 and first.key not in keys
    assert listed(bob, page="2") == [first.key]
    assert listed(bob, page="3") == [] and listed(bob, page="x") == keys


def test_one_tap_sits_down(open_table: Match, bob: Browser) -> None:
    bob.make()  # so the site knows Bob's name
    shown = text(bob.get("/tables/"))
    form = shown[shown.index(f'action="/tables/{open_table.key}/sit/"') :]
    assert 'name="name" value="Bob"' in form[: form.index("</form>")]
    answer = sit(bob, open_table)
    assert answer.status_code == 302 and answer["Location"] == f"/m/{open_table.key}/B/"
    assert "/s/seat/" in text(bob.get(answer["Location"] + "more/"))
    assert Match.objects.get(pk=open_table.pk).status == "playing"


def test_who_has_no_name_yet_gives_one_on_the_tables_page(open_table: Match, bob: Browser) -> None:
    assert f'href="/tables/{open_table.key}/"' in text(bob.get("/tables/"))
    shown = text(bob.get(f"/tables/{open_table.key}/"))
    assert "Alice" in shown and 'name="name"' in shown
    refused = bob.post(f"/tables/{open_table.key}/sit/", {"name": ""})
    assert refused.status_code == 422 and "Please enter a name." in text(refused)
    taken = sit(bob, open_table, "Alice")
    assert taken.status_code == 422 and "Join" in text(taken)
    assert sit(bob, open_table).status_code == 302


def test_a_full_table_leaves_the_list_and_whoever_sits_there_finds_the_way_back(
    open_table: Match, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    assert "You’re in" in text(alice.get("/tables/"))
    assert sit(alice, open_table)["Location"] == f"/m/{open_table.key}/A/"
    assert Seat.objects.filter(match=open_table, taken_at=None).count() == 1
    sit(bob, open_table)
    assert listed(charlie) == []
    late = sit(charlie, open_table)
    assert late.status_code == 409 and "isn’t open any more" in text(late)
    assert charlie.get(f"/tables/{open_table.key}/").status_code == 404


@pytest.mark.parametrize("ends", [lambda table: flow.cancel_before_start(seat_at(table, "A")), flow.close])
def test_a_table_leaves_the_list_when_its_creator_goes_or_a_moderator_closes_it(
    open_table: Match, bob: Browser, ends: Callable[[Match], None]
) -> None:
    ends(open_table)
    assert listed(bob) == []
    assert sit(bob, open_table).status_code == 409


def test_a_table_that_is_unlisted_is_for_friends_who_come_by_the_invite(
    open_table: Match, alice: Browser, bob: Browser
) -> None:
    arbiter.unlist(open_table)
    assert listed(bob) == [] and sit(bob, open_table).status_code == 409
    with pytest.raises(flow.WrongInvite):
        flow.join(open_table, "Ben")
    assert alice.do(seat_at(open_table, "A"), "table", list="1").status_code == 409
    assert listed(bob) == []
    say(open_table, "A", "Call me.")
    invite = alice.own_links(seat_at(open_table, "A"))["invite"]
    assert bob.accept(invite).status_code == 302
    assert [one.text for one in messages.at_table(seat_at(open_table, "B")).messages] == ["Call me."]


def test_a_table_that_has_waited_for_a_week_leaves_and_its_creator_is_told(
    open_table: Match, alice: Browser, bob: Browser, time: Time
) -> None:
    listing.renew(seat_at(open_table, "A"))
    own = f"/m/{open_table.key}/A/"
    assert "It’s listed until" in text(alice.get(own))
    time.pass_(seconds=(LISTED_FOR - timedelta(seconds=1)).total_seconds())
    assert listed(bob) == [open_table.key]
    time.pass_(seconds=1)
    assert listed(bob) == []
    assert sit(bob, open_table).status_code == 409
    with pytest.raises(flow.WrongInvite):
        flow.join(open_table, "Ben")
    assert "off the list now" in text(alice.get(own))
    alice.do(seat_at(open_table, "A"), "table", list="1")
    assert listed(bob) == [open_table.key]


def test_the_creator_alone_takes_it_off_the_list(alice: Browser, bob: Browser) -> None:
    match = alice.make_by_page(3, **OPEN)
    sit(bob, match)
    assert bob.do(seat_at(match, "B"), "table", list="0").status_code == 409
    assert bob.do(seat_at(match, "A"), "table", list="0").status_code == 403
    assert listed(bob) == [match.key]
    alice.do(seat_at(match, "A"), "table", list="0")
    assert listed(bob) == []
    assert "open table" not in text(alice.get(f"/m/{match.key}/A/"))


def test_a_banned_guest_does_not_sit_down(open_table: Match, bob: Browser) -> None:
    bob.make()
    guest = Guest.objects.get(name="Bob")
    measures.take("ban", None, guest=guest, reason="insult", why="No.", ends_at=measures.until("7"))
    answer = sit(bob, open_table)
    assert answer.status_code == 403
    assert Seat.objects.filter(match=open_table, taken_at=None).count() == 1


def test_sitting_down_counts_against_the_limit(
    alice: Browser, bob: Browser, settings: Any, seconds: Any
) -> None:
    matches = [alice.make_by_page(**OPEN) for _ in range(3)]
    settings.LIMITS = "on"
    settings.BUCKETS = {**settings.BUCKETS, "seat": Bucket(2, 1)}
    assert [sit(bob, match).status_code for match in matches] == [302, 302, 429]


def test_a_banned_creator_may_only_take_the_table_off_the_list(
    open_table: Match, alice: Browser, bob: Browser, time: Time
) -> None:
    time.pass_(seconds=LISTED_FOR.total_seconds())
    guest = Guest.objects.get(name="Alice")
    measures.take("ban", None, guest=guest, reason="insult", why="No.", ends_at=measures.until("7"))
    assert alice.do(seat_at(open_table, "A"), "table", list="1").status_code == 403
    assert listed(bob) == []
    assert alice.do(seat_at(open_table, "A"), "table", list="0").status_code == 302
    assert not Match.objects.get(pk=open_table.pk).listed


@pytest.fixture
def met(open_table: Match, bob: Browser) -> Match:
    sit(bob, open_table)
    return open_table


def say(match: Match, letter: str, words: str = "", phrase: str = "") -> Message:
    return messages.say(seat_at(match, letter), None, words, phrase)


def test_strangers_say_stock_phrases_until_both_have_sealed_twice(met: Match, bob: Browser) -> None:
    def refused(letter: str) -> bool:
        try:
            say(met, letter, "Where do you live?")
        except flow.Refused:
            return True
        return False

    for phrase in ("", "hello"):
        with pytest.raises(flow.Refused):
            say(met, "A", "words of my own", phrase)
    with pytest.raises(flow.Refused):
        turn_notes.write(seat_at(met, "A"), TurnNote.Kind.WORD, 0, "Call me.")
    turn_notes.write(seat_at(met, "A"), TurnNote.Kind.NOTE, 0, "To myself.")
    page = f"/m/{met.key}/B/talk/"
    shown = text(bob.get(page))
    assert 'name="text"' not in shown and "<details open>" in shown and 'value="hello"' in shown
    assert "You met at an open table." in shown
    assert bob.post(page, {"text": "Hi"}).status_code == 422 and not Message.objects.exists()
    assert say(met, "A", phrase="hello").phrase == "hello"
    turn(met)
    assert refused("A") and refused("B")
    flow.seal(seat_at(met, "A"), 1, OTHER)
    assert refused("A") and refused("B")
    flow.seal(seat_at(met, "B"), 1, OTHER)
    assert not refused("A") and not refused("B") and 'name="text"' in text(bob.get(page))


def test_the_creator_alone_types_nothing_for_the_stranger_who_comes(
    open_table: Match, alice: Browser
) -> None:
    with pytest.raises(flow.Refused, match="Anyone can join"):
        say(open_table, "A", "Call me.")
    with pytest.raises(flow.Refused, match="Anyone can join"):
        turn_notes.write(seat_at(open_table, "A"), TurnNote.Kind.WORD, 0, "Call me.")
    shown = text(alice.get(f"/m/{open_table.key}/A/talk/"))
    assert 'name="text"' not in shown and "Anyone can join" in shown and 'value="hello"' in shown
    word = text(alice.get(f"/m/{open_table.key}/A/notes/?word"))
    assert 'name="word"' not in word and "Anyone can join" in word
    assert say(open_table, "A", phrase="hello").phrase == "hello"
    turn_notes.write(seat_at(open_table, "A"), TurnNote.Kind.NOTE, 0, "To myself.")


def test_a_stranger_is_not_shown_what_was_typed_before(open_table: Match, bob: Browser, time: Time) -> None:
    """Alice typed while her table was off the list; then a moderator put it back, and Bob came."""
    arbiter.unlist(open_table)
    say(open_table, "A", "Call me.")
    say(open_table, "A", phrase="hello")
    turn_notes.write(seat_at(open_table, "A"), TurnNote.Kind.WORD, 0, "At home.")
    arbiter.list_again(open_table)
    time.pass_(minutes=1)
    sit(bob, open_table)
    own = seat_at(open_table, "B")
    assert [one.phrase for one in messages.at_table(own).messages] == ["hello"]
    assert len(messages.at_table(seat_at(open_table, "A")).messages) == 2
    assert messages.unread(Hold.objects.get(seat=own), own) == 1
    assert messages.hearers(Message.objects.get(text="Call me.")) == []
    assert [one.letter for one in messages.hearers(Message.objects.get(phrase="hello"))] == ["B"]
    assert "Call me." not in text(bob.get(f"/m/{open_table.key}/B/talk/"))
    turn(open_table)
    turn(open_table)
    played = Match.objects.get(pk=open_table.pk)
    assert played.turn == 2 and turn_notes.words_with(played, 0) == {}
    turn_notes.write(seat_at(played, "B"), TurnNote.Kind.WORD, 2, "Well played.")
    turn(played)
    assert turn_notes.words_with(Match.objects.get(pk=played.pk), 2) == {"B": "Well played."}


def test_what_the_site_sealed_for_somebody_absent_does_not_count(met: Match, time: Time) -> None:
    Match.objects.filter(pk=met.pk).update(late="fill")
    turn(met)
    flow.seal(seat_at(met, "A"), 1, OTHER)
    time.pass_(hours=24 + 72)
    flow.apply_due(Match.objects.get(pk=met.pk))
    assert Match.objects.get(pk=met.pk).turn == 2
    assert strangers.only_phrases(Match.objects.get(pk=met.pk))


def test_who_resigns_at_once_opens_no_talk_nor_does_a_rematch(met: Match) -> None:
    flow.resign(seat_at(met, "A"))
    before = Match.objects.get(pk=met.pk)
    assert before.status == "over"
    with pytest.raises(flow.Refused):
        say(met, "A", "Something bad.")
    made = flow.rematch(before, seat_at(before, "B"), Guest.objects.get(name="Bob"))
    assert made and made[0].may_have(MatchFlag.STRANGERS)


def test_friends_by_the_invite_of_a_listed_table_talk_freely(
    open_table: Match, alice: Browser, bob: Browser
) -> None:
    bob.accept(alice.own_links(seat_at(open_table, "A"))["invite"])
    assert say(open_table, "B", "Hello, it is me.").text


def test_the_api_lists_what_the_page_lists(open_table: Match, client: Client, time: Time) -> None:
    api = Api(client)
    shown = api.get("matches?open=1").json()["matches"]
    assert [one["match"] for one in shown] == [open_table.key]
    time.pass_(seconds=LISTED_FOR.total_seconds())
    assert api.get("matches?open=1").json()["matches"] == []
    answer = api.ask("POST", f"matches/{open_table.key}/seats", {"name": "Ben"})
    assert answer.status_code == 403
