"""Between friends: first look, the second person, an end without a round."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from games import GAMES, newest
from games.core import Seat as SeatOf
from games.core import Sentence, play_turn, seat_letters, tell
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.live import push
from robosite.matches.models import Match, Seat
from robosite.play.template_functions import LEAVING, to_reader
from robosite.reviews.complete_reviews import wanted_of
from tests.site.browsers import FIRST, MORE_SHOTS, SHOTS, Browser, Table, seat_at, sit_down, text
from tests.site.leagues.conftest import begun
from tests.site.play.test_hot_seat import share


def page(browser: Browser, place: Any) -> str:
    return " ".join(text(browser.get(place.get_absolute_url())).split())


def heading(shown: str) -> str:
    found = re.search(r'id="status"[^>]*>(.*?)</p>', shown, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", found[1]).split())


def test_one_tap_in_the_dock_stops_waiting(table: Table) -> None:
    late = timezone.now() - timedelta(minutes=5)
    Match.objects.filter(key=table.key).update(deadline_hours=1, deadline=late, due=late)
    flow.seal(table.a, 0, FIRST)
    Match.objects.filter(key=table.key).update(deadline=late, due=late)
    shown = page(table.alice, table.a)
    assert "Bob can still play until you claim the win." in heading(shown)
    dock = shown[shown.index('class="dock way-on"') :]
    dock = dock[: dock.index("Claim the win")]
    assert "has this match open now." in dock and 'data-here="B" hidden' in dock
    assert "<details" not in dock


def test_nobody_looks_back_at_a_match_without_a_turn(table: Table) -> None:
    flow.resign(table.a)
    shown = page(table.alice, table.a)
    assert "Rematch" in shown and f"/m/{table.key}/review/" not in shown
    assert "You resign." in shown


def test_an_invitation_to_a_rematch_stands_where_one_would_ask_for_it(table: Table) -> None:
    for browser, seat in ((table.alice, table.a), (table.bob, table.b)):
        browser.do(seat, "call-off", offer="1")
    assert "Play again?" in page(table.bob, table.b)
    table.alice.do(table.a, "rematch")
    shown = page(table.bob, table.b)
    ending = shown.partition('id="ending"')[2].partition("</section>")[0]
    assert "Alice asks for a rematch" in ending and "Accept rematch" in ending
    assert shown.count(f'action="{table.b.get_absolute_url()}rematch/"') == 1


def test_my_games_counts_what_it_lists_as_waiting(table: Table) -> None:
    """An invitation waits, above a turn; nobody is invited to a seat that is kept. An offer waits, too."""
    table.play(SHOTS, MORE_SHOTS)
    table.alice.do(table.a, "rematch")
    other = sit_down(table.alice, table.bob, table.charlie)
    shown = text(table.bob.get("/mine/"))
    words = " ".join(shown.split())
    assert "Next · 2" in words
    assert table.bob.get("/mine/waiting/").json() == {"waiting": 2}
    _head, invitation, turn = shown[shown.index("<h2>Your turn") :].split("<li")
    assert "Rematch: " in invitation and "your turn" not in invitation and "your turn" in turn
    assert f'formaction="{table.b.get_absolute_url()}rematch/"' in invitation
    mine = text(table.alice.get("/mine/"))
    assert "<strong>Rematch</strong>" in mine
    flow.seal(other.b, 0, "H H H H H")
    assert table.bob.get("/mine/waiting/").json() == {"waiting": 1}
    table.alice.do(other.a, "draw", offer="1")
    assert table.bob.get("/mine/waiting/").json() == {"waiting": 2}
    shown = text(table.bob.get("/mine/"))
    assert "a draw?" in shown[shown.index("<h2>Your turn") :]
    assert table.alice.get("/mine/waiting/").json() == {"waiting": 1}, (
        "her turn; her own offer is no question"
    )
    table.bob.do(other.b, "draw", decline="1")
    assert table.bob.get("/mine/waiting/").json() == {"waiting": 1}


def test_those_who_share_a_device_go_on_from_the_page_where_it_ends(alice: Browser) -> None:
    match = share(alice)
    flow.resign(seat_at(match, "A"))
    shown = page(alice, match)
    assert f'action="/m/{match.key}/A/rematch/"' in shown and "Rematch" in shown
    assert "Rematch" not in page(Browser("Bob"), match)


def test_a_match_of_a_league_names_it_and_its_link(alice: Browser, bob: Browser, charlie: Browser) -> None:
    begun(alice, bob, charlie)
    seat = next(seat for match in Match.objects.all() for seat in match.seats.all() if seat.name == "Alice")
    shown = text(alice.get(f"{seat.get_absolute_url()}more/"))
    assert "Our spring" in shown
    assert "Your spot link for the league or cup opens this match, too" in shown
    assert "created in another browser" not in shown


def test_how_the_last_stone_ends_the_match_is_said_once(alice: Browser, bob: Browser, robble: Table) -> None:
    last = None
    while last is None:
        (letter,) = flow.owing(robble.match)
        view = state_of(robble.match).view(letter)
        squares = [one.leads_to for one in view.plan(letter, "").choices if one.sign and one.allowed]
        said = {one: [str(words) for words in view.plan(letter, one).words] for one in squares[-4:]}
        last = next((one for one in said if said[one][-1].startswith("The board is full.")), None)
        if last is None:
            robble.play_some(1, seed=robble.match.turn)
    seat = robble.seat(letter)
    player = {"A": alice, "B": bob}[letter]
    player.draft(seat, last)
    told = re.findall(r"<(\w+[^>]*)>(?:<b>)?The board is full\.", page(player, seat))
    assert told == ['p aria-hidden="true"', "li"], "the words of the plan are for the ear"


@pytest.fixture
def moved(robble: Table) -> Table:
    """A match of Robble in which the first player has placed a stone."""
    robble.play_some(1)
    return robble


def second(table: Table) -> tuple[Browser, Seat]:
    """The player who is to move now, and their seat."""
    (letter,) = flow.owing(table.match)
    seat = table.seat(letter)
    return (table.alice if seat == table.a else table.bob), seat


def test_it_opens_at_their_own_turn_with_the_film_one_tap_away_and_later_turns_as_news(moved: Table) -> None:
    browser, seat = second(moved)
    page = text(browser.get(seat.get_absolute_url()))
    assert "data-since" not in page and "at-last" in page and 'id="planner"' in page
    assert "data-play" in page, "the film of what was before"
    moved.play_some(2)
    assert "data-since" in text(browser.get(seat.get_absolute_url()))


NAMED = {("{by}’s robot {n}", "by")}
"""With several robots a player, each goes by the player's name and a number, for everybody."""


def said_in(sentence: Any) -> Iterator[Sentence]:
    if isinstance(sentence, Sentence):
        yield sentence
        for fact in sentence.facts.values():
            yield from said_in(fact)


def sentences_of(slug: str, preset: str, seed: int) -> Iterator[Sentence]:
    """All sentences of the film of a random match, as the players and a watcher read them."""
    game, rng = newest(slug), Random(seed)
    one = game.presets[preset]
    seats = one.seats[-1]
    options = game.read_options(one.options)
    state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    for _ in range(60):
        if state.outcome():
            return
        orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
        positions = list(play_turn(state, orders))
        for position in positions:
            for viewer in (None, *seat_letters(seats)):
                seen = position.view(viewer)
                yield from (tell(seen, event) for event in seen.events)
                yield from seen.words()
        state = positions[-1]


@pytest.mark.parametrize("slug", sorted(GAMES))
def test_every_sentence_of_a_film_can_be_said_to_its_own_player(slug):
    game, missing = newest(slug), set()
    for preset in game.presets:
        for sentence in sentences_of(slug, preset, seed=7):
            for part in said_in(sentence):
                for name, fact in part.facts.items():
                    key = (part.template, name)
                    if f"{{{name}}}" not in part.template or not isinstance(fact, SeatOf):
                        continue
                    if key not in {*LEAVING, *NAMED, *game.second_person}:
                        missing.add(key)
    assert not missing


def test_the_reader_is_you_and_all_others_have_their_names():
    game = newest("pigs")
    hit = Sentence("{by} fires {to} and hits {at}!", by=SeatOf("A"), to=Sentence("south"), at=SeatOf("B"))
    assert str(to_reader(game, hit, "A")) == "You fire south and hit B!"
    assert str(to_reader(game, hit, "B")) == "A fires south and hits you!"
    assert to_reader(game, hit, "C").template == hit.template
    assert to_reader(game, hit, None) is hit
    both = Sentence("{first} and {last}", first=SeatOf("B"), last=SeatOf("C"))
    hit = Sentence("{by} fires {to} and hits {at}!", by=SeatOf("A"), to=Sentence("south"), at=both)
    assert str(to_reader(game, hit, "C")) == "A fires south and hits B and you!"


def test_the_end_is_no_round_of_the_pages_the_timeline_and_the_review(table: Table) -> None:
    table.play_some(1)
    flow.resign(table.b)
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))
    assert "What happened in round 2" not in page
    assert '<section class="visually-hidden" id="happened"' in page
    assert '<h2 id="happened-title">What happened last</h2>' in page
    assert "One round played." in page
    happened = page.partition('id="happened"')[2].partition("</section>")[0]
    assert "<table" not in happened and "<ol" not in happened
    menu = text(table.alice.get(f"{table.a.get_absolute_url()}more/?at=2"))
    assert ">The end</a>" in menu and ">2</a>" not in menu
    assert "Round 1 of 1" in text(table.alice.get(f"{table.a.get_absolute_url()}?at=1"))
    tab = text(table.charlie.get(f"/m/{table.key}/?at=1.0")).partition("<title>")[2].partition("</title>")[0]
    assert "Round 2" not in tab
    table.a.match.refresh_from_db()
    assert wanted_of(table.a.match) == (0,)


@pytest.mark.parametrize("when", ["while it ends", "after its end"])
def test_a_push_does_not_wait_for_a_loop_that_has_ended(when: str) -> None:
    loop, at_work, may_end, ended = asyncio.new_event_loop(), *(threading.Event() for _ in range(3))

    def request() -> None:
        loop.call_soon_threadsafe(end)
        at_work.wait(30)
        if when == "after its end":
            may_end.set()
            while loop.is_running():
                time.sleep(0.01)
        threading.Timer(0.2, may_end.set).start()
        try:
            push._send({"type": "look"})
        except TimeoutError:
            pass  # what it would have told is found by the next look
        finally:
            ended.set()

    def end() -> None:
        """The loop's last deed; what the request asks of it meanwhile is not done any more."""
        at_work.set()
        may_end.wait(30)
        loop.stop()

    task = loop.create_task(sync_to_async(request, thread_sensitive=False)())
    loop.run_forever()
    try:
        assert ended.wait(30)
    finally:
        loop.run_until_complete(asyncio.wait([task], timeout=60))
        loop.close()
