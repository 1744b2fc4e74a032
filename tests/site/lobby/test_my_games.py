"""My games: all seats in one list, the most urgent first; "next" goes to the next one that waits."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from robosite.lobby import game_lists, my_games, thumbnails
from robosite.matches import flow, history
from robosite.matches.flow import arbiter
from robosite.matches.models import Hold, Match, MatchFlag, Seat
from robosite.people.models import Guest
from robosite.play.waiting import count_waiting
from robosite.talk import messages
from robosite.web.caches import made_once
from tests.site.browsers import FIRST, Browser, Table, sit_down, text


def keys(browser: Browser, page: int = 1) -> list[str]:
    return re.findall(
        r'<li(?: class="yours")?>\s*<a href="/m/(\w{12})/', text(browser.get(f"/mine/?page={page}"))
    )


@pytest.fixture
def several(alice: Browser, bob: Browser, charlie: Browser) -> dict[str, str]:
    """Alice's matches, the least urgent made first, by what is to be said of them."""
    names = "over", "open", "sealed", "waits", "later", "sooner"
    made = {name: sit_down(alice, bob, charlie) if name != "open" else None for name in names}
    found = {name: table.key for name, table in made.items() if table}
    found["open"] = alice.make().key
    flow.resign(made["over"].a)  # by no page: she has yet to see how it ended
    alice.seal(made["sealed"].a, FIRST)
    now = timezone.now()
    for name, hours in (("later", 5), ("sooner", 1)):
        Match.objects.filter(key=found[name]).update(deadline_hours=24, deadline=now + timedelta(hours=hours))
    return found


def test_the_most_urgent_stands_first_then_what_goes_on_then_what_is_over_with_its_result(
    alice: Browser, several: dict[str, str]
) -> None:
    in_order = ["sooner", "later", "waits", "sealed", "open", "over"]
    assert keys(alice) == [several[name] for name in in_order]
    page = text(alice.get("/"))
    assert re.search(r'class="waiting" href="/next/"[^>]*><span class="count">3<', page)
    page = text(alice.get("/mine/"))
    parts = ["Your turn", "sooner", "waits", "Waiting", "sealed", "open", "Finished", "over"]
    places = [page.index(several.get(part, f"<h2>{part}")) for part in parts]
    assert places == sorted(places)
    assert "see the end" in page and ">lost" not in page, "the film tells it first"
    alice.get(f"/m/{several['over']}/A/")
    assert re.search(r'state is-lost">\s*lost', text(alice.get("/mine/")))


def own_seat(key: str) -> Seat:
    return Seat.objects.select_related("match").get(match__key=key, letter="A")


def test_an_open_page_hears_how_many_wait_now(alice: Browser, several: dict[str, str]) -> None:
    at, seat = f"/m/{several['waits']}/", own_seat(several["waits"])
    assert alice.get(f"{at}version/").json()["waiting"] == 3
    assert 'data-waiting="3"' in text(alice.get(f"{at}A/", headers={"HX-Request": "true"}))
    alice.seal(seat, FIRST)
    assert alice.get(f"{at}version/").json()["waiting"] == 2
    assert 'data-waiting="2"' in text(alice.get(f"{at}A/", headers={"HX-Request": "true"}))
    assert set(Browser("").get(f"{at}version/").json()) == {"version"}  # nobody's browser


def test_next_goes_to_the_next_one_that_waits(alice: Browser, several: dict[str, str]) -> None:
    def after(here: str = "") -> str:
        to: str = alice.get(f"/next/?from={several.get(here, here)}")["Location"]
        return to

    assert after() == after("sealed") == after("nonsense") == f"/m/{several['sooner']}/A/"
    assert after("sooner") == f"/m/{several['later']}/A/"
    assert after("waits") == f"/m/{several['sooner']}/A/"
    seat = own_seat(several["sooner"])
    alice.seal(seat, FIRST)
    sealed = text(alice.get(seat.get_absolute_url()))
    assert f"/next/?from={several['sooner']}" in sealed and "2 are waiting" in sealed
    for name in ("later", "waits"):
        seat = own_seat(several[name])
        alice.seal(seat, FIRST)
    assert after() == "/mine/"
    assert f'?from={seat.match.key}" hidden' in text(alice.get(seat.get_absolute_url()))
    assert Browser("").get("/next/")["Location"] == "/mine/"


@pytest.mark.parametrize("game", ["robble", "robosoccer", "roboxing", "pigs"])
def test_where_one_plays_after_the_other_it_waits_for_that_one(
    alice: Browser, bob: Browser, charlie: Browser, game: str
) -> None:
    there = sit_down(alice, bob, charlie, game)
    for _ in range(4):
        match = there.match
        assert match.to_act == flow.letters_to_act(match)
        waits = [count_waiting(Guest.objects.get(name=name)) for name in ("Alice", "Bob")]
        assert waits == [int(letter in flow.owing(match)) for letter in "AB"]
        there.play_some(1)


def test_many_matches_are_listed_with_few_questions_and_no_replay(
    alice: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        alice.make()
    with CaptureQueriesContext(connection) as few:
        alice.get("/mine/")
    for _ in range(40):
        alice.make()
    monkeypatch.delattr(history, "_replayed")  # a list replays nothing
    with CaptureQueriesContext(connection) as many:
        assert len(keys(alice)) == game_lists.LISTED
    assert len(many) == len(few) <= 12
    assert len(keys(alice, 2)) == 12 and not keys(alice, 3) and len(keys(alice, -1)) == game_lists.LISTED
    assert not set(keys(alice)) & set(keys(alice, 2))


def test_a_board_in_the_list_stands_as_the_reader_last_saw_it(table: Table, alice: Browser) -> None:
    def board() -> str:
        return re.findall(r'<div class="thumbnail.*?</svg>', text(alice.get("/mine/")), re.DOTALL)[0]

    before = board()
    table.play_some(1)
    assert board() == before, "the round has not been watched"
    alice.get(table.a.get_absolute_url())
    assert board() != before


def test_each_match_shows_its_board_from_two_questions_and_from_memory(table: Table, alice: Browser) -> None:
    table.play_some(2)
    history._kept.clear()
    with CaptureQueriesContext(connection) as cold:
        page = text(alice.get("/mine/"))
    with CaptureQueriesContext(connection) as warm:
        assert text(alice.get("/mine/")).count('class="thumbnail game-pigs"') == 1
    assert len(cold) == len(warm) + 2
    assert 'href="#pig-a"' in page and 'id="pig-a"' in page and 'id="cmd-' not in page
    made_once.clear()
    history._kept.clear()
    (match,) = Match.objects.all()
    assert not thumbnails.small_boards([match], most=1)  # two turns are more than one


def test_a_small_board_shows_what_a_spectator_sees(alice: Browser, boxing: Table) -> None:
    boxing.play_some(2)
    page = text(alice.get("/mine/"))
    assert "#bx-closed" in page and "#bx-open" not in page


def test_the_home_page_greets_with_the_match_that_waits(alice: Browser, several: dict[str, str]) -> None:
    with CaptureQueriesContext(connection) as asked:
        page = text(alice.get("/"))
    assert "Your turn, Alice" in page and "All 3" not in page
    assert page.index(several["sooner"]) < page.index(several["later"])
    history._kept.clear()
    with CaptureQueriesContext(connection) as rules:
        alice.get("/rules/pigs/")
    assert len(asked) - len(rules) == 3  # the match that waits, which bots to offer, and the open tables
    with CaptureQueriesContext(connection) as nobody:
        assert "Your turn" not in text(Browser("").get("/"))
    assert len(nobody) == 1  # the open tables


def shown(browser: Browser) -> str:
    """A page of the only match of this browser, as lists show it."""
    page = text(browser.get("/mine/"))
    (entry,) = re.findall(r"<li.*?</li>", page[page.index('class="games mine"') :], re.DOTALL)
    return entry


def test_an_entry_that_is_kept_tells_what_has_changed(table: Table, alice: Browser, bob: Browser) -> None:
    assert "Bob" in shown(alice) and "your turn" in shown(alice)
    arbiter.rename(table.b, "Benjamin")
    assert "Benjamin" in shown(alice)
    alice.seal(table.a, FIRST)
    assert "your turn" not in shown(alice) and "your turn" in shown(bob)
    flow.reopen(table.a, 0)
    assert "your turn" in shown(alice)
    alice.post("/language/", {"language": "de", "next": "/"})
    assert "du bist dran" in shown(alice) and "your turn" in shown(bob)
    Match.objects.update(deadline_hours=24, deadline=timezone.now() + timedelta(hours=5, minutes=10))
    assert ">5\xa0h</time>" in shown(bob)


def test_an_entry_that_changed_while_it_was_drawn_is_not_kept(table: Table) -> None:
    guest = Guest.objects.get(name="Alice")
    (before,) = my_games.games_of(guest)
    arbiter.rename(table.b, "Benjamin")
    (entry,) = game_lists.entries_of([before])
    assert '<strong><bdi translate="no">Benjamin</bdi>' in entry.html and not entry.lasts
    arbiter.rename(table.b, "<b>Bert")
    (entry,) = game_lists.entries_of([before])
    assert '<strong><bdi translate="no">&lt;b&gt;Bert</bdi>' in entry.html


def test_an_open_list_hears_whether_it_is_new(alice: Browser, table: Table) -> None:
    def asked() -> dict[str, Any]:
        there: dict[str, Any] = alice.get("/mine/waiting/?list").json()
        return there

    before = asked()
    part = text(alice.get("/mine/", headers={"HX-Request": "true"}))
    assert before["mark"] in part and "<html" not in part and f"/m/{table.key}/A/" in part
    assert before["mark"] in text(alice.get("/mine/")) and asked() == before
    assert alice.get("/mine/waiting/").json() == {"waiting": 1}
    flow.seal(table.a, 0, FIRST)
    sealed = asked()
    assert (sealed["waiting"], before["waiting"]) == (0, 1) and sealed["mark"] != before["mark"]
    messages.say(table.b, None, "Hello")
    assert asked()["mark"] != sealed["mark"]
    assert Browser("").get("/mine/waiting/?list").json() == {"waiting": 0}


def test_what_is_unread_is_marked_for_whom_it_is_for(alice: Browser, bob: Browser, table: Table) -> None:
    messages.say(table.a, None, "Hello")
    assert "new message" in text(bob.get("/mine/"))
    assert "new message" not in text(alice.get("/mine/"))
    bob.get(f"/m/{table.key}/B/talk/")
    assert "new message" not in text(bob.get("/mine/"))
    messages.say(table.a, None, "Just for you", to=["B"])
    assert "new message" in text(bob.get("/mine/"))


def test_unread_messages_are_the_same_in_the_list_and_on_the_page(alice: Browser, bob: Browser) -> None:
    """Also where strangers met: what was typed before somebody sat down is not for them."""
    for strangers in (False, True):
        table = sit_down(alice, bob, Browser("Charlie"))
        guest = Guest.objects.get(name="Bob")
        match = table.match
        messages.say(table.a, None, "Hello")
        if strangers:
            match.set_flag(MatchFlag.STRANGERS)
        Seat.objects.filter(pk=table.b.pk).update(taken_at=timezone.now())
        seat = Seat.objects.select_related("match").get(pk=table.b.pk)
        hold = Hold.objects.get(seat=seat, guest=guest)
        assert bool(messages.unread(hold, seat)) == (match.pk in messages.unread_among(guest, [match.pk]))
        assert bool(messages.unread(hold, seat)) != strangers


def test_the_number_of_what_waits_is_the_same_everywhere(
    alice: Browser, bob: Browser, several: dict[str, str]
) -> None:
    """A rematch that somebody offers is counted too: in the header, on home, and under the list."""
    seat = Seat.objects.select_related("match").get(match__key=several["over"], letter="B")
    bob.post(f"/m/{several['over']}/B/rematch/")
    guest = Guest.objects.get(name="Alice")
    assert seat.match.status == Match.Status.OVER and count_waiting(guest) == 4
    home, mine = text(alice.get("/")), text(alice.get("/mine/"))
    assert '<span class="count">4<' in home and '<span class="count">4<' in mine
    assert ">All 4<" in home and "Next · 4" in mine
    assert alice.get("/mine/waiting/").json() == {"waiting": 4}
    part = mine[mine.index("<h2>Your turn") : mine.index("<h2>Waiting")]
    assert part.count("<li") == 4 and "Rematch: Robo Battle Pigs" in part and ">Join<" in part
