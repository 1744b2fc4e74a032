"""The page of a review: made outside the request, kept with a bound, and only when the match is over."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games import newest
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.reviews import complete_reviews, review_process, waiting_line
from robosite.reviews.review_process import review_in_process
from robosite.reviews.waiting_line import review_queue
from tests import at_once
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, text


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


@pytest.mark.django_db
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
    "turns": [
        {"A": "F F F F F", "B": "F F F F F", "C": "TL F F F F"},
        {"A": "resign", "B": "resign"},
    ],
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
