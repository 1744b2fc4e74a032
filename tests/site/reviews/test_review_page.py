"""A review on its page and on the film: made outside the request, when the match is over; its queue."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import GAMES, newest
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.history import state_of, states_of, turns_of
from robosite.matches.models import Match
from robosite.people.models import Guest
from robosite.reviews import complete_reviews, review_process, waiting_line
from robosite.reviews.review_process import review_in_process
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
from robosite.web.admission import Owner
from robosite.web.bounds import Bucket
from tests import at_once
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, sit_down, text


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Iterator[Path]:
    settings.DATA_DIR = tmp_path
    review_queue.clear()
    yield tmp_path / "pictures"
    review_queue.clear()


@pytest.fixture
def over(table: Table) -> Table:
    table.play(SHOTS, MORE_SHOTS)
    return table


def told(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split()).replace(" :", ":")


def page_of(browser: Browser, table: Table, more: str = "") -> str:
    return text(browser.get(f"/m/{table.key}/review/{more}"))


def quick(record: Any, wanted: list[int], *, awaited: bool = False) -> list[dict[str, Any]]:
    """One round a time, in which seat A could have had two hits more."""
    one = {"order": "F F F F F", "value": 1.0, "landed": 2, "taken": 1}
    best = {"best": "TL F F F F", "best_value": 3.0, "regret": 2.0}
    fine = {"best": "F F F F F", "best_value": 1.0, "regret": 0.0}
    return [{"turn": wanted[0], "seats": {"A": {**one, **best}, "B": {**one, **fine}}}]


def test_nothing_of_it_is_there_while_the_match_goes_on(table: Table) -> None:
    table.play(SHOTS)
    for browser in (table.alice, table.charlie):
        assert browser.get(f"/m/{table.key}/review/").status_code == 404
    assert "/review/" not in page_of_match(table) and not review_queue.waiting
    flow.resign(table.b)
    assert f'href="/m/{table.key}/review/"' in page_of_match(table)
    assert table.charlie.head(f"/m/{table.key}/review/").status_code == 200
    assert not review_queue.waiting, "headers begin nothing"
    assert table.charlie.get(f"/m/{table.key}/review/").status_code == 200
    review_queue.clear()
    Match.objects.filter(key=table.key).update(watched=False)
    assert table.charlie.get(f"/m/{table.key}/review/").status_code == 403 and not review_queue.waiting
    assert table.alice.get(f"/m/{table.key}/review/").status_code == 200, "players among themselves see it"


def page_of_match(table: Table) -> str:
    return text(table.charlie.get(f"/m/{table.key}/"))


def test_matches_that_judge_nothing_have_none(charlie: Browser) -> None:
    game = newest("pigs")
    options = game.read_options({"mode": "continuous", "ends": "last_standing"})
    match, taken, _invite = flow.create(game, options, 2, "Alice", bots={"B": "random"})
    flow.resign(taken.seat)
    assert charlie.get(f"/m/{match.key}/review/").status_code == 404
    assert "/review/" not in text(charlie.get(f"/m/{match.key}/"))


@pytest.mark.parametrize("slug", ["robble", "robosoccer", pytest.param("roboxing", marks=pytest.mark.more)])
@pytest.mark.django_db(transaction=True)  # PostgreSQL ends a transaction in which nothing happens for so long
def test_other_games_are_judged_by_the_thorough_bots_search(charlie: Browser, slug: str) -> None:
    game, rng = newest(slug), Random(4)
    match, taken, _invite = flow.create(game, game.read_options({}), 2, "Alice", bots={"B": "random"})
    while match.turn < 3:
        at_once.answer_all()
        match.refresh_from_db()
        state = state_of(match)
        if "A" in state.to_act():
            flow.seal(taken.seat, match.turn, state.view(Letter("A")).sample(Letter("A"), rng))
            match.refresh_from_db()
    address = f"/m/{match.key}/review/"
    assert charlie.get(address).status_code == 404 and not review_queue.waiting
    flow.resign(taken.seat)
    assert "turns is being reviewed" in told(text(charlie.get(address)))
    review_queue.work_off()
    shown = told(" ".join(text(charlie.get(f"{address}?turn={n}")) for n in (1, 2, 3)))
    assert "How it works" in shown and ("isn’t rated: it was for" in shown) == (slug != "robble")
    if slug != "robosoccer":  # in three turns nothing but the set-up was played
        assert "chance of winning" in shown and "%" in shown
    assert ("Given what the player knew" in shown) == (slug == "roboxing")
    assert not re.search(r"\d hits", shown)


THREE: dict[str, Any] = {
    "format": "robosite/1",
    "game": "pigs",
    "seats": ["A", "B", "C"],
    "names": {"A": "Ada", "B": "Ben", "C": "Cleo"},
    "turns": [{"A": "F F F F F", "B": "F F F F F", "C": "TL F F F F"}, {"A": "resign", "B": "resign"}],
}


@pytest.mark.django_db(transaction=True)  # PostgreSQL ends a transaction in which nothing happens for so long
def test_among_three_pigs_what_could_be_expected_is_folded(charlie: Browser) -> None:
    answer = charlie.post("/import/", {"record": json.dumps(THREE)})
    address = f"/m/{answer['Location'].split('/')[2]}/review/"
    charlie.get(address)
    review_queue.work_off()
    page = text(charlie.get(f"{address}?turn=1"))
    assert "Expectations" in page
    unfolded = re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL)
    assert not re.search("Expectations|within two steps|hits expected", unfolded)
    fold = told(re.split("<summary>Expectations</summary>", page)[1].partition("</details>")[0])
    assert all(f"{who}: " in fold for who in THREE["names"].values())
    assert fold.count(" within two steps") == fold.count(" hits expected;") == 3
    assert "gains more than the gap" in fold and fold.count("with a gap of 0.0") == 3
    assert "Best mix" not in page and "%." not in fold


def test_the_line_is_that_of_the_readers_own_seat(over: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_sided(record: Any, wanted: list[int], **_more: Any) -> list[dict[str, Any]]:
        (one,) = quick(record, wanted)
        one["seats"]["B"]["value"] = one["seats"]["B"]["best_value"] = -1.0
        return [one]

    monkeypatch.setattr(waiting_line, "review_in_process", one_sided)
    page_of(over.alice, over)
    review_queue.work_off()
    rising, falling = "4,6.00 12,0.00", "4,18.00 12,24.00"
    lines = {
        over.alice: ("Alice", "side-a", rising),
        over.bob: ("Bob", "side-b", falling),
        over.charlie: ("Alice", "side-a", rising),
    }
    for browser, (who, side, line) in lines.items():
        page = page_of(browser, over, "?turn=2")
        assert f"The line: {who}’s lead in hits. The bars: missed hits" in page
        assert re.search(rf'class="course {side}".*?<polyline points="{line}"', page, re.DOTALL)
        path = {over.alice: over.a, over.bob: over.b}.get(browser, over.match).get_absolute_url()
        film = text(browser.get(f"{path}?at=1"))
        assert f'<polyline points="{line}"' in film
        assert ("by how many hits you were ahead" in told(film)) == (browser is not over.charlie)


def turn_of(page: str) -> str:
    """What a page says of the one turn that it shows, in its heading."""
    found = re.search(r'<h2 id="turn-title">(.*?)</h2>', page, re.DOTALL)
    return told(found[1])


@pytest.fixture
def done(over: Table, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A match of two rounds, each of which cost Alice two hits and Bob nothing."""
    monkeypatch.setattr(waiting_line, "review_in_process", quick)
    page_of(over.alice, over)
    review_queue.work_off()
    return over


def test_it_begins_with_one_plain_sentence_and_explains_its_signs(done: Table) -> None:
    own = told(page_of(done.alice, done))
    start = own.index("Review", own.index("Skip to content"))
    assert "Round 1 could have gone 2 hits better for you:" in own[start : start + 250]
    for browser in (done.alice, done.bob):
        page = page_of(browser, done)
        unfolded = re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL)
        assert not re.search("How it works|equilibrium", told(unfolded), re.IGNORECASE)
        assert "How it works" in told(page) and 'data-what href="/rules/' in page
    for browser in (done.alice, done.charlie):
        page = page_of(browser, done)
        assert "<code>" not in page and page.count('class="order-drawn"') >= 1


def test_the_round_that_cost_the_reader_most_is_shown_first(done: Table) -> None:
    assert turn_of(page_of(done.alice, done)) == "Round 1 could have gone 2 hits better for you:"
    assert turn_of(page_of(done.charlie, done)).startswith("Round 1 could have gone 2 hits better for Alice")
    assert "No round could have gone better for you." in page_of(done.bob, done)
    best = page_of(done.bob, done, "?turn=2")
    assert turn_of(best) == "Round 2: best play" and '<p class="plan-line">' in best, "and says what that was"


def test_one_turn_is_shown_and_links_lead_to_those_beside_it_and_to_play_on(done: Table) -> None:
    for asked in ("?watch=2.A", "?turn=2"):
        page = page_of(done.alice, done, asked)
        assert turn_of(page).startswith("Round 2 ") and page.count('class="board-sheet"') == 1
    assert re.search(rf'href="/m/{done.key}/again/\?turn=2&(amp;)?seat=A"', page)
    assert 'rel="prev" href="?turn=1#turn"' in page and 'rel="next" href="?turn' not in page
    assert 'href="?turn=1#turn">Costliest turn' in page
    counts = "The hit that ends the match counts as three."
    assert counts in told(page)
    page = page_of(done.alice, done)
    assert 'rel="next" href="?turn=2#turn"' in page and 'rel="prev" href="?turn' not in page
    assert counts not in told(page)
    for odd in ("0", "3", "x", "-1", "99999"):
        assert turn_of(page_of(done.alice, done, f"?turn={odd}")).startswith("Round 1 ")


def test_the_better_plan_is_a_film_beside_what_happened(done: Table) -> None:
    page = page_of(done.alice, done)
    first = page[page.index('class="watch') : page.index("</section>")]
    assert 'class="watch better at-first" data-film' in first and first.count('class="frame"') > 1
    assert 'href="?watch=1.A#turn"' in first and 'href="?watch=1.A&played#turn"' in first
    assert "data-ghost=" in first and "data-plays" not in first
    played = page_of(done.alice, done, "?watch=1.A&played&at=2")
    first = played[played.index('class="watch') : played.index("</section>")]
    assert 'class="watch" data-film' in first and "data-ghost=" not in first
    assert re.search(r'<li data-sentence-step="2" class="current">', first)
    assert 'href="?watch=1.A&played&at=3#turn"' in first


def test_a_tap_gets_the_film_alone(done: Table) -> None:
    address, htmx = f"/m/{done.key}/review/", {"HX-Request": "true"}
    for browser in (done.alice, done.charlie):
        film = text(browser.get(f"{address}?watch=2.A", headers=htmx))
        assert film.lstrip().startswith('<div class="watch better at-first"') and "data-plays" in film
    assert "You fire" in text(done.alice.get(f"{address}?watch=2.A&played", headers=htmx))
    assert done.alice.get(f"{address}?watch=2.B", headers=htmx).status_code == 404, "nothing was better"
    assert done.alice.get(f"{address}?watch=2.B&played", headers=htmx).status_code == 200
    for odd in ("9.A", "0.A", "1.H", "x", "1.A.B", "99999.A"):
        assert done.alice.get(f"{address}?watch={odd}").status_code == 200
        assert done.alice.get(f"{address}?watch={odd}", headers=htmx).status_code in (200, 404)


def ask_for_more(browser: Browser, table: Table, after: int) -> Any:
    return browser.get(f"/m/{table.key}/review/?after={after}", headers={"HX-Request": "true"})


def test_each_round_is_shown_as_soon_as_it_is_there(over: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def one_by_one(record: Any, wanted: list[int], **_more: Any) -> Iterator[dict[str, Any]]:
        seen.append(ask_for_more(over.charlie, over, 0).status_code)  # none yet
        for turn in wanted:
            (one,) = quick(record, [turn])
            yield one
            if turn == 0:
                seen.append(page_of(over.charlie, over))
                seen.append(ask_for_more(over.charlie, over, 0))
                seen.append(ask_for_more(over.charlie, over, 1).status_code)

    monkeypatch.setattr(waiting_line, "review_in_process", one_by_one)
    page_of(over.charlie, over)
    review_queue.work_off()
    none, page, more, no_more = seen
    assert none == no_more == 204
    assert "Round 1 has been reviewed, the first of 2." in told(page) and turn_of(page).startswith("Round 1 ")
    assert "?after=1" in page and "All rounds in a table" not in page
    assert turn_of(text(more)).startswith("Round 1 ") and "HX-Retarget" not in more
    last = ask_for_more(over.charlie, over, 1)
    assert last["HX-Retarget"] == ".review" and "All rounds in a table" in text(last)


def test_what_was_done_before_a_process_was_killed_stays(
    over: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[int]] = []

    def killed(record: Any, wanted: list[int], **_more: Any) -> Iterator[dict[str, Any]]:
        asked.append(wanted)
        yield from quick(record, wanted)
        if len(asked) == 1:
            raise SystemExit  # the server ends in the middle

    monkeypatch.setattr(waiting_line, "review_in_process", killed)
    page_of(over.charlie, over)
    with pytest.raises(SystemExit):
        review_queue.work_off()
    review_queue.clear()
    assert complete_reviews.complete_review(over.match) is None  # the film shows nothing of half a review
    assert "Round 1 has been reviewed" in told(page_of(over.charlie, over))
    monkeypatch.setattr(waiting_line, "FRESH", 0)
    page_of(over.charlie, over)
    review_queue.work_off()
    assert asked == [[0, 1], [1]] and complete_reviews.complete_review(over.match) is not None


def test_the_first_round_of_a_match_is_not_put_behind_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only its first round: then the process is as patient as it was."""
    nice: list[tuple[int, int]] = []
    out = StringIO()
    monkeypatch.setattr("os.nice", lambda by: nice.append((by, len(out.getvalue().splitlines()))))
    monkeypatch.setattr(
        review_process, "rounds", lambda record, wanted: ({"turn": n} for n in sorted(wanted))
    )
    monkeypatch.setattr(review_process, "read", lambda record: record)
    monkeypatch.setattr("signal.signal", lambda *given: None)
    monkeypatch.setattr("sys.stdout", out)
    for awaited in (True, False):
        out.truncate(0)
        monkeypatch.setattr("sys.stdin", StringIO(json.dumps([{}, [0, 1], awaited])))
        review_process.main()
    assert nice == [(10, 1), (10, 0)]


def test_a_request_makes_nothing_and_says_how_far_it_is(over: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[int]] = []

    def watched(record: Any, wanted: list[int], **_more: Any) -> list[dict[str, Any]]:
        made.append(wanted)
        if len(made) == 1:
            assert "names" not in record and "seals" not in record
        else:
            assert "Round 1 has been reviewed, the first of 2." in told(page_of(over.charlie, over))
        return quick(record, wanted)

    monkeypatch.setattr(waiting_line, "review_in_process", watched)
    first = page_of(over.charlie, over)
    assert "The first of 2 rounds is being reviewed." in told(first)
    assert '<noscript><meta http-equiv="refresh"' in first
    assert 'data-hx-trigger="every 2s"' in first
    assert not made and len(review_queue.waiting) == 1
    page_of(over.bob, over)
    assert len(review_queue.waiting) == 1
    review_queue.work_off()
    assert made == [[0, 1], [1]] and not review_queue.waiting
    done = page_of(over.charlie, over)
    assert "http-equiv" not in done and not review_queue.waiting
    said = told(done)
    assert "Round 1 could have gone 2 hits better for Alice" in said and "+3 instead of +1" in said


def test_the_whole_review_is_told_in_words_and_slots(over: Table) -> None:
    page_of(over.charlie, over)
    review_queue.work_off()
    page = page_of(over.alice, over, "?turn=1")
    said = told(page)
    assert "Hits landed: 4; taken: 0." in said and "Hits landed: 0; taken: 4." in said
    assert f'href="{over.a.get_absolute_url()}?at=1"' in page
    assert "no reply beats it" in said and "one round only; what comes after it is a rule of thumb." in said
    assert 'class="bar"' in page_of(over.charlie, over) and "<caption>" in page
    assert "<script>" not in page and "style=" not in page


def test_a_player_who_was_forgotten_is_in_no_review_and_on_no_film(done: Table) -> None:
    film = f"/m/{done.key}/?at=1.1"
    assert "better for Alice" in text(done.charlie.get(film))
    assert done.alice.post("/me/forget/", {"sure": "1"}).status_code == 302
    for page in (page_of(done.charlie, done), text(done.charlie.get(film))):
        assert "Alice" not in told(page) and "could have gone 2 hits better for Somebody" in told(page)


def test_a_round_whose_process_hangs_or_dies_is_told(over: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def hung(record: Any, wanted: list[int], **_more: Any) -> list[dict[str, Any]]:
        return [{"turn": wanted[0], "failed": 1}] if wanted[0] == 0 else quick(record, wanted)

    monkeypatch.setattr(waiting_line, "review_in_process", hung)
    page_of(over.charlie, over)
    review_queue.work_off()
    failed, said = (told(page_of(over.charlie, over, more)) for more in ("?turn=1", ""))
    assert "Round 1 couldn’t be reviewed" in failed
    assert "Round 2 could have gone" in said
    assert not review_queue.waiting


def test_a_process_that_hangs_or_dies_is_noticed_and_gets_no_keys_of_the_site(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: dict[str, Any] = {}
    popen = subprocess.Popen

    def begun(command: list[str], **more: Any) -> Any:
        given.update(more)
        return popen(command, **more)

    monkeypatch.setattr("robosite.reviews.review_process.subprocess.Popen", begun)
    assert list(review_in_process({}, [0], patience=30)) == [{"turn": 0, "failed": 1}]
    assert given["env"] == {}
    assert list(review_in_process({}, [3, 4], patience=0.001)) == [{"turn": 3, "failed": 1}]


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
    read: list[str] = []

    def reading(name: str) -> Found:
        read.append(name)
        return find(name)

    monkeypatch.setattr(complete_reviews, "find", reading)

    def queries(more: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            look(over.alice, over, more)
        return len(asked)

    seen_by_all(over)
    before = queries("?at=1.0&better=A")
    keep(over, COSTLY, FINE)
    read.clear()
    assert queries("?at=1.0&better=A") == before == queries("?at=1.0&better=A")
    assert len(read) == 1


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


def test_who_is_put_out_is_told_on_the_page_and_what_is_done_stays(over: Table, settings: Any) -> None:
    settings.LIMITS = "on"
    address = f"/m/{over.key}/review/"
    for n in range(MOST_WAITING - 2):
        assert review_queue.put(Owner(f"198.{n}.100.7"), Task(f"{n}", "0/1", "", (0,)))
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
