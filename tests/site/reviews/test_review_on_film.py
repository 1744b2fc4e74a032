"""A review on the film of its match: marks, better orders on the board; and the line of those who wait."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import GAMES
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.history import states_of, turns_of
from robosite.people.models import Guest
from robosite.reviews import complete_reviews, waiting_line
from robosite.reviews.rounds import course, reviewed
from robosite.reviews.waiting_line import (
    MOST_OF_ONE,
    MOST_WAITING,
    Found,
    ReviewQueue,
    Task,
    find,
    review_name,
    review_queue,
)
from robosite.share.pictures import drawn_files
from robosite.web import limits
from robosite.web.addresses import counted
from robosite.web.admission import Owner
from robosite.web.bounds import Bucket
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, sit_down, text
from tests.site.reviews.test_review_page import folder, over, page_of, quick, told

__all__ = ["folder", "over"]
FILM = {"HX-Request": "true", "HX-Target": "film"}


def judged(order: str, best: str, regret: float, **more: Any) -> dict[str, Any]:
    best_value = 0.25 + regret
    return {"order": order, "value": 0.25, "best": best, "best_value": best_value, "regret": regret, **more}


def keep(table: Table, *rounds: dict[str, Any]) -> None:
    """Keeps these as the review of the match, each with the seats that it judges."""
    match = table.match
    name = review_name(match.key, complete_reviews.turns_key(match))
    data = [{"turn": turn, **one} for turn, one in enumerate(rounds)]
    drawn_files.store(name, json.dumps({"at": 0, "rounds": data}).encode(), drawn=False)


COSTLY = {"seats": {"A": judged(SHOTS[0], "F F TR H H", 2), "B": judged(SHOTS[1], SHOTS[1], 0)}}
FINE = {"seats": {"A": judged(MORE_SHOTS[0], MORE_SHOTS[0], 0)}}


def look(browser: Browser, table: Table, more: str = "", **headers: Any) -> str:
    where = table.a.get_absolute_url() if browser is table.alice else f"/m/{table.key}/"
    if browser is table.bob:  # who is led to the own seat otherwise
        more = f"?public{more.replace('?', '&')}"
    answer = browser.get(f"{where}{more}", **headers)
    assert answer.status_code == 200
    return text(answer)


def seen_by_all(table: Table) -> Table:
    """Alice has looked at the end of the match."""
    look(table.alice, table)
    return table


def board(page: str) -> str:
    found = re.search(r'<svg class="board.*?</svg>', page, re.DOTALL)
    return found[0]


class Reading:
    """Reads what is kept, and remembers how often."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, name: str) -> Found:
        self.asked += 1
        return find(name)


def listed(page: str) -> str:
    found = re.search(r'<details class="turns" id="turns">.*?</details>', page, re.DOTALL)
    return found[0]


def shows_nothing(page: str) -> bool:
    signs = ("on-film", "cost-mark", "data-ghost", "better", "/review/", "review.css")
    return not any(sign in page for sign in signs)


def test_nothing_of_it_exists_for_anybody_while_the_match_goes_on(table: Table) -> None:
    table.play(SHOTS)
    keep(table, COSTLY)
    assert find(review_name(table.key, complete_reviews.turns_key(table.match))).rounds
    for browser in (table.alice, table.charlie):
        for more in ("", "?at=1.0", "?at=1.0&better=A", "?at=1.0&better=B"):
            for headers in ({}, {"headers": FILM}):
                page = look(browser, table, more, **headers)
                assert "on-film" not in page and "cost-mark" not in page and "could have gone" not in page
                assert "what was better" not in page and "data-better" not in page
    assert shows_nothing(look(table.charlie, table, "?at=1.0&better=A", headers=FILM))


def test_a_running_match_looks_for_no_review(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = Reading()
    monkeypatch.setattr(complete_reviews, "find", reading)
    table.play(SHOTS)
    look(table.alice, table)
    look(table.charlie, table, "?at=1.0&better=A")
    assert not reading.asked


def test_nothing_of_it_is_there_until_all_of_it_is_made(over: Table) -> None:
    seen_by_all(over)
    assert "on-film" not in look(over.alice, over, "?at=1.0&better=A")
    keep(over, COSTLY)
    assert "on-film" not in look(over.alice, over, "?at=1.0&better=A")
    keep(over, COSTLY, {"failed": 1})
    assert "on-film" not in look(over.alice, over, "?at=1.0")
    keep(over, COSTLY, {"failed": 2})
    assert "on-film" in look(over.alice, over, "?at=1.0")


def test_whoever_has_not_seen_the_end_is_told_nothing(over: Table) -> None:
    keep(over, COSTLY, FINE)
    page = look(over.alice, over)
    assert "data-since" in page and "data-unwatched" in page and "on-film" not in page
    assert "cost-mark" not in page
    page = look(over.alice, over)
    assert "data-unwatched" not in page and "on-film" in page


def test_a_turn_that_cost_something_has_a_mark_that_says_so_and_leads_there(over: Table) -> None:
    keep(seen_by_all(over), COSTLY, FINE)
    page = look(over.alice, over)
    first, second = re.findall(r'data-turn-link="([^"]*)"[^>]*>(.*?)</a></li>', listed(page))
    assert first[0] == "1.0&better=A" and second[0] == "2.0"
    assert "cost-mark side-a" in first[1] and 'title="could have gone 2 hits better for Alice"' in first[1]
    assert re.search(r'visually-hidden">, could have gone 2 hits better for Alice<', first[1])
    assert "cost" not in second[1]
    assert 'id="cost-back"' in page and 'id="cost-forward"' not in page


def test_what_was_better_stands_in_words_and_as_ghosts_of_that_player_alone(over: Table) -> None:
    keep(seen_by_all(over), COSTLY, FINE)
    said = told(look(over.charlie, over, "?at=1.3")).replace(" ,", ",").replace(" .", ".")
    assert (
        "Round 1 could have gone 2 hits better for Alice. "
        "Better: fire, fire, turn right, punch, punch. Hits landed minus" in said
    )
    assert ": +2.25" in said
    assert "better for Bob" not in said and "On the board you see" not in said
    plain, drawn = look(over.charlie, over, "?at=1.0"), look(over.charlie, over, "?at=1.0&better=A")
    assert "On the board you see what was better for Alice." in told(drawn)
    panel = drawn[drawn.index("on-film") :]
    assert panel.count("plate side-a") >= 2 and ">better<" in panel  # both in slots
    assert "In words" in told(drawn)
    assert "data-ghost" not in plain and 'data-better="A"' in drawn
    assert "The board, with what was better for Alice" in board(drawn)
    ghosts = re.findall(r'<g class="(?:ghost )?side-(\w)" data-ghost="(\d)"', board(drawn))
    assert {side for side, _ in ghosts} == {"a"} and {n for _, n in ghosts} == set("12345")
    assert 'class="sheet better at-first"' in drawn  # without a script too
    part = look(over.alice, over, "?at=1.0&better=A", headers=FILM)
    assert "data-ghost" in part and "on-film" in part
    for asked in ("?at=1.0&better=B", "?at=2.0&better=A", "?at=1.0&better=", "?at=1.0&better=%FF"):
        page = look(over.charlie, over, asked)
        assert "on-film" in page and "data-ghost" not in page and "data-better" not in page, asked
    where = f"/m/{over.key}/again/?turn=1&seat=A"
    assert re.search(rf'href="{re.escape(where)}" rel="nofollow">(?:<span>)?Play on as Alice<', plain)
    assert over.charlie.get(where).status_code == 200


def test_a_mark_leads_to_one_s_own_loss_else_to_the_biggest(over: Table) -> None:
    both = {"seats": {"A": judged(SHOTS[0], "F F TR H H", 1), "B": judged(SHOTS[1], "F F F F F", 3)}}
    keep(seen_by_all(over), both, FINE)
    assert '"1.0&better=A"' in listed(look(over.alice, over))
    hers, his = told(look(over.alice, over, "?at=1.1")), told(look(over.bob, over, "?at=1.1"))
    assert "could have gone one hit better for you" in hers
    assert "could have gone 3 hits better for Bob." in hers
    assert (
        "could have gone one hit better for Alice." in his and "could have gone 3 hits better for Bob." in his
    ), "as on the public page"
    assert '"1.0&better=B"' in listed(look(over.charlie, over))
    assert 'title="could have gone one hit better for Alice, could have gone 3 hits better for Bob"' in look(
        over.charlie, over
    )


@pytest.mark.parametrize(
    ("regret", "said"),
    [(0.5, "0.5 hits"), (1, "one hit"), (1.5, "1.5 hits"), (2, "2 hits"), (0.25, "0.25 hits")],
)
def test_hits_are_told_with_no_more_places_than_they_need(over: Table, regret: float, said: str) -> None:
    keep(seen_by_all(over), {"seats": {"A": judged(SHOTS[0], "F F TR H H", regret)}}, FINE)
    assert f"Round 1 could have gone {said} better for Alice." in told(look(over.charlie, over, "?at=1.1"))


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.django_db
def test_every_game_draws_what_was_better(alice: Browser, bob: Browser, charlie: Browser, slug: str) -> None:
    table = sit_down(alice, bob, charlie, slug)
    table.play_some(10 if slug == "robosoccer" else 4)
    turn = table.match.turn - 1
    flow.resign(table.b)
    seat, order = next(iter(turns_of(table.match)[turn].items()))
    state = states_of(table.match)[turn]
    best = state.sample(seat, Random(1))
    rounds: list[dict[str, Any]] = [{}] * (turn + 2)  # the last is the resignation
    rounds[turn] = {
        "seats": {seat: judged(order, best, 0.5, then=judged("", best, 0.5, sure=True), sure=True)}
    }
    keep(table, *rounds)
    plain, drawn = (look(charlie, table, f"?at={turn + 1}.0{more}") for more in ("", f"&better={seat}"))
    acts = re.search(r'<span class="order-(?:drawn|words)">(.*?)</p>', plain, re.DOTALL)
    assert "a sure win" in told(plain) and acts and "<code>" not in acts[1]
    assert board(plain) != board(drawn) and f'data-better="{seat}"' in drawn
    assert 'class="taps' not in drawn and 'id="ghosts"' not in drawn
    by_share = slug != "pigs"  # what pigs could expect stands in the review alone
    assert ("Given what the player knew" in told(drawn)) == by_share


def test_after_robble_s_swap_a_line_has_the_side_that_its_player_had(robble: Table) -> None:
    for letter, order in (("A", "d4"), ("B", "swap"), ("A", "a1")):
        flow.seal(robble.seat(letter), robble.match.turn, order)
    found = {n: {"turn": n, "seats": {at: judged("", "", 0)}} for n, at in enumerate("ABA")}
    lines = [one.lines[0] for one in reviewed(robble.match, found, {Letter("A"): "", Letter("B"): ""})]
    assert [line.side for line in lines] == ["b", "w", "w"]


def test_the_line_of_hits_adds_them_up_around_the_middle(over: Table) -> None:
    lost = {**judged("", "", 0), "value": -3}
    won = {**judged("", "", 0), "value": 1}
    found: dict[int, dict[str, Any]] = {
        0: {"turn": 0, "seats": {"A": lost}},
        1: {"turn": 1, "failed": 2},
        2: {"turn": 2, "seats": {"A": won}},
    }
    rounds = reviewed(over.match, found, {Letter("A"): "", Letter("B"): ""})
    two = [Letter("A"), Letter("B")]
    assert course(rounds, two, two[0], by_share=False) == "4,24.00 20,20.00"
    assert course(rounds, [*two, Letter("C")], two[0], by_share=False) == ""


def test_a_film_reads_a_review_once_and_asks_the_database_no_more(
    over: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = Reading()
    monkeypatch.setattr(complete_reviews, "find", reading)

    def queries(more: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            look(over.alice, over, more)
        return len(asked)

    seen_by_all(over)
    before = queries("?at=1.0&better=A")
    keep(over, COSTLY, FINE)
    reading.asked = 0
    assert queries("?at=1.0&better=A") == before == queries("?at=1.0&better=A")
    assert reading.asked == 1


def test_what_is_kept_is_bounded_and_broken_made_anew(
    over: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complete_reviews, "MOST_ROUNDS", 1)
    monkeypatch.setattr(waiting_line, "review_in_process", quick)
    said = told(page_of(over.charlie, over))
    assert "Only the last 1 rounds are reviewed, from round 2 on." in said
    assert "This round is being reviewed" in said
    (name,) = review_queue.waiting
    drawn_files.store(name, b"{half", drawn=False)
    assert find(name).rounds == {} and "This round is being" in told(page_of(over.charlie, over))
    monkeypatch.setattr(drawn_files, "MOST", 4)
    for n in range(9):
        review_queue.put(Owner("here"), Task(f"match{n}", "0/1", {}, (0,)))
    review_queue.work_off()
    assert len(list(folder.iterdir())) <= 4
    monkeypatch.setattr(drawn_files, "store", lambda name, made, drawn: made)
    review_queue.put(Owner("here"), Task("on a disk that keeps nothing", "0/1", {}, (0,)))
    review_queue.work_off()
    assert not review_queue.waiting


def test_a_review_outlasts_new_styles_which_pictures_do_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn_files.store("review", b"kept", drawn=False)
    drawn_files.store("picture", b"drawn")
    monkeypatch.setattr(drawn_files, "_drawn_by", lambda: "other styles")
    assert drawn_files.find("review", drawn=False) == b"kept" and drawn_files.find("picture") is None


def test_addresses_take_turns_and_so_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def watched(record: Any, wanted: list[int], **_more: Any) -> list[dict[str, Any]]:
        order.append(record)
        return quick(record, wanted)

    monkeypatch.setattr(waiting_line, "review_in_process", watched)
    one = ReviewQueue()
    for address, key in (("A", "a1"), ("A", "a2"), ("B", "b1")):
        one.put(Owner(address), Task(key, "0/2", key, (0, 1)))
    one.work_off()
    assert order == ["a1", "b1", "a2", "b1", "a1", "a2"]
    for n in range(MOST_OF_ONE):
        assert one.put(Owner("A"), Task(f"x{n}", "0/1", "", (0,)))
    assert not one.put(Owner("A"), Task("x9", "0/1", "", (0,)))
    for n in range(MOST_WAITING - MOST_OF_ONE):
        assert one.put(Owner(f"C{n}"), Task(f"y{n}", "0/1", "", (0,)))
    assert one.put(Owner("B"), Task("z", "0/1", "", (0,)))
    out = Task(f"x{MOST_OF_ONE - 1}", "0/1", "", (0,)).name
    assert len(one.waiting) == MOST_WAITING and out not in one.waiting and out in one.displaced
    order.clear()
    one.work_off()
    assert len(order) == MOST_WAITING and not one.waiting and not len(one.admission)


def filled(addresses: Iterable[str], each: int) -> list[bool]:
    """Has each of the addresses ask for so many reviews; whether there was a place for each."""
    asked = [(address, n) for address in addresses for n in range(each)]
    return [
        review_queue.put(Owner(counted(address)), Task(f"{address} {n}", "0/1", "", (0,)))
        for address, n in asked
    ]


@pytest.mark.parametrize(
    "network",
    [
        [f"2001:db8:0:{n:x}::7" for n in range(7)],  # a home connection
        [f"2001:db8:{n:x}::7" for n in range(20)],  # a provider
        [f"2001:db8:0:{n:x}00::7" for n in range(20)],
        [f"203.0.113.{n}" for n in range(20)],
        [f"203.0.{n}.7" for n in range(20)],
    ],
)
def test_a_network_that_fills_the_line_refuses_nobody(over: Table, settings: Any, network: list[str]) -> None:
    settings.LIMITS = "on"
    filled(network, 3)
    before = len(review_queue.waiting)
    page = over.charlie.get(f"/m/{over.key}/review/", REMOTE_ADDR="198.51.100.9")
    assert "is being reviewed" in told(text(page))
    assert len(review_queue.waiting) == min(before + 1, MOST_WAITING)


def test_who_is_put_out_is_told_on_the_page_and_what_is_done_stays(over: Table, settings: Any) -> None:
    settings.LIMITS = "on"
    address = f"/m/{over.key}/review/"
    filled([f"198.{n}.100.7" for n in range(MOST_WAITING - 2)], 1)
    assert review_queue.put(Owner("203.0.113.9"), Task("of his own", "0/1", "", (0,)))
    assert "is being reviewed" in told(text(over.charlie.get(address, REMOTE_ADDR="203.0.113.9")))
    assert review_queue.put(Owner("192.0.2.1"), Task("of another", "0/1", "", (0,)))
    assert len(review_queue.waiting) == MOST_WAITING
    page = told(text(over.charlie.get(address, REMOTE_ADDR="203.0.113.9")))
    assert "This review has given up its place in the queue to someone who had none." in page
    assert "tries again in 60 seconds" in page
    review_queue.clear()
    again = told(text(over.charlie.get(address, REMOTE_ADDR="203.0.113.9")))
    assert "is being reviewed" in again and "given up its place" not in again


def test_newcomers_of_an_address_neither_put_out_nor_refuse_a_guest_of_long_standing(
    over: Table, settings: Any
) -> None:
    settings.LIMITS, settings.BUCKETS = "on", {**settings.BUCKETS, "review": Bucket(4, 0.1)}
    address = f"/m/{over.key}/review/"
    for n in range(MOST_OF_ONE):
        assert review_queue.put(Owner("127.0.0.1", f"new {n}"), Task(f"new {n}", "0/1", "", (0,)))
    Guest.objects.filter(name="Alice").update(created_at=timezone.now() - timedelta(days=30))
    while not limits.wait("review", "127.0.0.1"):  # the newcomers have asked for all that they may
        pass
    assert "Too many matches are being reviewed" in told(text(over.bob.get(address)))
    assert "is being reviewed" in told(text(over.alice.get(address)))
    for n in range(9):
        review_queue.put(Owner("127.0.0.1", f"newer {n}"), Task(f"newer {n}", "0/1", "", (0,)))
    assert any(name.startswith(over.key) for name in review_queue.waiting)
    assert len(review_queue.waiting) == MOST_OF_ONE


def test_a_thread_works_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_line, "review_in_process", quick)
    ended: list[str] = []

    class Now:
        def __init__(self, target: Any, **more: Any) -> None:
            self.target = target

        def start(self) -> None:
            self.target()
            ended.append("once")

    monkeypatch.setattr(waiting_line, "Thread", Now)
    one = ReviewQueue()
    one.wake()
    assert not ended
    one.put(Owner("A"), Task("a", "0/1", {}, (0,)))
    one.wake()
    one.wake()
    assert ended == ["once"] and find(Task("a", "0/1", {}, (0,)).name).rounds
