"""A match's open page, without a browser, beside a site that is honest and one that lies: who is alarmed?"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from py_mini_racer import MiniRacer

from games import record
from games.core import Seat
from robosite.share.referee import bundle
from tests.games.cases import size
from tests.games.referee import match, sealed

SLUGS = ("pigs", "roboxing", "robosoccer", "robble")
Data = dict[str, Any]


class Site(NamedTuple):
    """A match as a site shows it, and what it publishes of it."""

    file: Data
    position: str
    """The last position on its page."""
    result: Data | None
    """The result on its page."""
    published: Data
    """The file whose seals were public before each turn was revealed."""


def played(slug: str, rng: Random) -> Data:
    """The record of a sealed match of a few turns with a result, in the end by resignations."""
    data = {key: value for key, value in match(slug, rng, rng.randint(2, 8)).items() if key != "seals"}
    shown = record.replay(data)
    if shown.outcome is None:
        data["turns"].append(dict.fromkeys(sorted(shown.states[-1].still_in())[1:], "resign"))
    outcome = record.replay(data).outcome
    assert outcome
    data = sealed({**data, "result": outcome.as_json()}, rng)
    return data if any(data["seals"]) else played(slug, rng)


def honest(data: Data) -> Site:
    return Site(data, record.replay(data).states[-1].position(), data["result"], data)


# ---- the page ----


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """An engine with the worker beside a page."""
    with closing(MiniRacer()) as racer:
        racer.eval(Path(__file__).with_name("page.js").read_text(encoding="utf-8"))
        racer.eval(bundle("worker"))
        yield Browser(racer)


class Browser:
    """A page that is open from the start of a match on, and has its script (`checked.js`)."""

    def __init__(self, racer: MiniRacer) -> None:
        script = Path("static/js/checked.js").read_text(encoding="utf-8")
        self.script = json.dumps(re.sub(r"^import .*\n", "", script, flags=re.MULTILINE))
        self.racer = racer
        self.version = self.back = 0

    def opens(self, turn: int = 0, shown: Site | None = None) -> None:
        self.version = self.back = 0
        self.racer.eval(f"opens({self.script}, {self._given(self._dataset(turn, shown), shown)})")

    def sees_seals(self, turn: int, seals: Data, orders: Data, shown: Site | None = None) -> None:
        """Sees seals that are published one by one while a turn goes on; the last one reveals it.

        The reader has the first seat that seals, and is shown their own order of `orders`.
        """
        own = {"seat": next(iter(seals), ""), "sealed": orders.get(next(iter(seals), ""), "")}
        for many in range(1, len(seals)):
            text = " ".join(f"{seat}:{seals[seat]['seal']}" for seat in list(seals)[:many])
            self._look(self._dataset(turn, shown, seals=text, **own), shown)

    def sees(self, turn: int, shown: Site | None) -> str:
        """Sees a reveal; `shown` is None while the rules hide what was played."""
        self._look(self._dataset(turn, shown), shown)
        self.racer.eval("waits()")
        verdict, *alarms = json.loads(str(self.racer.eval("says()")))
        assert bool(alarms) == (verdict == "differs"), (verdict, alarms)
        return str(verdict)

    def receipt(self) -> str:
        return str(self.racer.eval("line()"))

    def _dataset(self, turn: int, shown: Site | None = None, **more: str) -> dict[str, str]:
        self.version += 1
        over = {"over": ""} if shown and shown.result else {}
        back = {"takenBack": str(self.back)} if self.back else {}
        shows = _digest(shown) if shown else ""
        return {"version": str(self.version), "turn": str(turn), "shows": shows, **over, **back, **more}

    def _look(self, dataset: dict[str, str], shown: Site | None) -> None:
        self.racer.eval(f"shows({self._given(dataset, shown)})")

    @staticmethod
    def _given(dataset: dict[str, str], shown: Site | None) -> str:
        given = (dataset, json.dumps(shown.file), shown.position) if shown else (dataset, None, "")
        return ", ".join(map(json.dumps, given))


def _digest(shown: Site) -> str:
    """As the site writes it into its page: `robosite/matches/records.py`."""
    scores = sorted(shown.result["scores"].items()) if shown.result else []
    reason = [shown.result["reason"]] if shown.result else []
    line = " ".join([*reason, *(f"{seat}={score:.6f}" for seat, score in scores)])
    return sha256(f"{shown.position}\n{line}".encode()).hexdigest()[:32]


def verdict_at_the_end(browser: Browser, site: Site) -> str:
    """The verdict of a page that has seen the seals of all turns and then the end."""
    browser.opens()
    for turn, seals in enumerate(site.published["seals"]):
        browser.sees_seals(turn, seals, site.published["turns"][turn])
    return browser.sees(len(site.published["turns"]), site)


# ---- an honest site ----


@pytest.mark.fuzz
def test_an_honest_site_raises_no_alarm(browser: Browser) -> None:
    """Turn by turn, in matches that were played, played on from a later turn, or imported."""
    rng, said = Random("honest"), Counter[str]()
    for number in range(size(12, 500)):
        data = played(SLUGS[number % 4], rng)
        whole = honest(imported(data) if number % 12 > 7 else data)
        browser.opens(len(data["turns"]), whole)  # once it is over
        late = browser.sees(len(data["turns"]), whole)
        for verdict in (late, *watched(browser, by_others(data, rng), rng)):
            said[verdict] += 1
            assert verdict != "differs", json.dumps(data)
        assert late == "agrees"
    assert said["agrees"] > said["unknown"] > 0


def test_the_receipt_says_what_the_page_could_not_check(browser: Browser) -> None:
    """Of turns that it did not see while they were sealed, it knows the moves and not the promise."""
    rng = Random("late")
    data = next(one for one in iter(lambda: played("pigs", rng), None) if len(one["turns"]) > 4)
    states, last = record.replay(data).states, len(data["turns"])
    for since in (0, 2, 3, last):
        browser.opens(since, so_far(data, since, states[since]) if since else None)
        for turn in range(since, last):
            browser.sees_seals(turn, data["seals"][turn], data["turns"][turn])
        assert browser.sees(last, honest(data)) == "agrees"
        assert f"up to turn {last}." in browser.receipt()
        blind = sum(len(seals) > 1 for seals in data["seals"][:since])
        assert (f"In {blind} of these turns" in browser.receipt()) == bool(blind) == (since > 0)
    browser.opens(1)
    assert browser.sees(1, None) == "unknown"
    assert "secret until the match is over" in browser.receipt()


def imported(data: Data) -> Data:
    """The same as it was imported: its seals open only with another key."""
    return {key: value for key, value in data.items() if key != "seals"} | {"imported": True}


def by_others(data: Data, rng: Random) -> Data:
    """The same with orders of absent players, planned replies, bots and a match that was played before."""
    marks: tuple[Data, ...] = ({"by": "deadline"}, {"by": "reply"}, {"by": "record"})
    marks = ({}, *marks, {"by": "quick", "version": 2})
    return {**data, "seals": [{at: seals[at] | rng.choice(marks) for at in seals} for seals in data["seals"]]}


def watched(browser: Browser, data: Data, rng: Random) -> Iterator[str]:
    """The verdict of the page on each turn of this match, which it may not have seen from the start."""
    states = record.replay(data).states
    turn = rng.choice((0, 0, rng.randrange(len(data["turns"]))))
    before = so_far(data, turn, states[turn]) if turn else None
    browser.opens(turn, before)
    while turn < len(data["turns"]):
        seals = data["seals"][turn] or next(filter(None, data["seals"]))  # who resigns may have sealed
        orders = data["turns"][turn]
        if rng.random() < 0.2:  # somebody seals, opens it again, and seals another one
            browser.sees_seals(
                turn, sealed(data, rng)["seals"][turn], dict.fromkeys(orders, "another"), before
            )
            browser.version += 1
        browser.sees_seals(turn, seals, orders, before)
        if (
            rng.random() < 0.2
        ):  # a holiday, a seat that is lost and found: the match changes, and its turn does not
            browser.sees_seals(turn, seals, orders, before)
        turn += 1
        shown = so_far(data, turn, states[turn])
        yield browser.sees(turn, shown)
        if rng.random() < 0.1 and turn < len(data["turns"]):
            browser.back += 1
            turn -= 1
            data = {**data, "seals": [*data["seals"][:turn], *sealed(data, rng)["seals"][turn:]]}
            shown = so_far(data, turn, states[turn])
            yield browser.sees(turn, shown)
        before = shown


def so_far(data: Data, turn: int, state: Any) -> Site | None:
    if any(state.conceals(n, seat) for n, orders in enumerate(data["turns"][:turn]) for seat in orders):
        return None
    file = {**data, "turns": data["turns"][:turn], "seals": data["seals"][:turn]}
    result = file["result"] if state.outcome() else None
    if result is None:
        file.pop("result")
    return Site(file, state.position(), result, data)


# ---- lies: each makes of an honest site one that lies, or nothing where that match has no room for it ----


def another_order(site: Site, rng: Random) -> Site | None:
    """Plays another legal order than was sealed, all the rest by the rules."""
    found = _with_another_order(site.file, rng)
    return found and _shown(found[0], site)


def another_seal(site: Site, rng: Random) -> Site | None:
    """The same, and seals that order afterwards."""
    found = _with_another_order(site.file, rng)
    if not found:
        return None
    file, turn, seat = found
    _seal_anew(file, turn, seat, rng)
    return _shown(file, site) if _was_public(site, turn, seat) else None


def a_hidden_seal(site: Site, rng: Random) -> Site | None:
    """Plays another order than was sealed, and leaves its seal out of the file."""
    found = _with_another_order(site.file, rng)
    if not found:
        return None
    file, turn, seat = found
    del file["seals"][turn][seat]
    return _shown(file, site)


def no_seals(site: Site, rng: Random) -> Site | None:
    file = {key: value for key, value in site.file.items() if key != "seals"}
    were_public = any(len(seals) > 1 for seals in site.published["seals"])
    return site._replace(file=file) if were_public else None


def other_dice(site: Site, rng: Random) -> Site | None:
    """Draws another nonce for a bot's order, from which its later dice follow, and seals that."""
    turn, seat = _an_order(site.file, rng)
    file = deepcopy(site.file)
    _seal_anew(file, turn, seat, rng)
    return site._replace(file=file) if _was_public(site, turn, seat) else None


def another_nonce(site: Site, rng: Random) -> Site | None:
    turn, seat = _an_order(site.file, rng)
    file = deepcopy(site.file)
    file["seals"][turn][seat]["nonce"] = f"{rng.getrandbits(256):064x}"
    return site._replace(file=file)


def another_winner(site: Site, rng: Random) -> Site | None:
    return site._replace(result=_other_result(site.file, rng))


def another_winner_in_the_file_too(site: Site, rng: Random) -> Site | None:
    result = _other_result(site.file, rng)
    return site._replace(result=result, file={**site.file, "result": result})


def another_position(site: Site, rng: Random) -> Site | None:
    """Shows a position to which these orders do not lead, as by another rule."""
    others = {state.position() for state in record.replay(site.file).states} - {site.position}
    return site._replace(position=rng.choice(sorted(others))) if others else None


def a_turn_left_out(site: Site, rng: Random) -> Site | None:
    turn = rng.randrange(len(site.file["turns"]))
    file = {**site.file}
    for key in "turns", "seals":
        file[key] = [one for n, one in enumerate(file[key]) if n != turn]
    return site._replace(file=file)


def swapped_seats(site: Site, rng: Random) -> Site | None:
    """Gives two seats each other's orders of a turn, with their seals."""
    turn = rng.randrange(len(site.file["turns"]))
    file = deepcopy(site.file)
    seats = rng.sample(sorted(file["seals"][turn]), 2) if len(file["seals"][turn]) > 1 else []
    if not seats or len({file["turns"][turn][seat] for seat in seats}) == 1:
        return None
    one, two = seats
    for of in file["turns"][turn], file["seals"][turn]:
        of[one], of[two] = of[two], of[one]
    return site._replace(file=file)


def another_start(site: Site, rng: Random) -> Site | None:
    """Says that other options or lots were drawn."""
    other = played(site.file["game"], rng)
    file = {**site.file, "options": other["options"], "setup": other["setup"]}
    shown = record.replay(file)
    is_another = shown.positions and shown.positions != record.replay(site.file).positions
    return site._replace(file=file) if is_another else None


def another_key(site: Site, rng: Random) -> Site | None:
    return site._replace(file={**site.file, "match": "mnkjhgfedcba"})


def another_own_order(site: Site, rng: Random) -> Site | None:
    """Seals another order than its reader gave, from the first moment on, and plays that."""
    found = _with_another_order(site.file, rng)
    if not found:
        return None
    file, turn, seat = found
    _seal_anew(file, turn, seat, rng)
    if seat != next(iter(file["seals"][turn])) or not _was_public(site, turn, seat):
        return None
    return _shown(file, site)._replace(published={**file, "turns": site.file["turns"]})


LIES: tuple[Callable[[Site, Random], Site | None], ...] = (
    *(another_order, another_seal, a_hidden_seal, no_seals, other_dice, another_nonce, another_winner),
    *(another_winner_in_the_file_too, another_position, a_turn_left_out, swapped_seats, another_start),
    another_key,
    another_own_order,
)


@pytest.mark.fuzz
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_each_lie_raises_the_alarm(browser: Browser, lie: Callable[[Site, Random], Site | None]) -> None:
    rng, tried = Random(lie.__name__), 0
    while tried < size(5, 100):
        site = honest(played(rng.choice(SLUGS), rng))
        lied = lie(site, rng)
        if lied is None:
            continue
        tried += 1
        assert verdict_at_the_end(browser, site) == "agrees"
        assert verdict_at_the_end(browser, lied) == "differs", json.dumps(lied)


def _an_order(file: Data, rng: Random) -> tuple[int, str]:
    return rng.choice([(turn, seat) for turn, seals in enumerate(file["seals"]) for seat in seals])


def _with_another_order(file: Data, rng: Random) -> tuple[Data, int, str] | None:
    """The file with one order that is another legal one, with which the rest is legal too."""
    file = deepcopy(file)
    turn, seat = _an_order(file, rng)
    state = record.replay(file).states[turn]
    order = state.view(Seat(seat)).sample(Seat(seat), rng)
    if order == file["turns"][turn][seat]:
        return None
    file["turns"][turn][seat] = order
    shown = record.replay({key: value for key, value in file.items() if key not in ("seals", "result")})
    if shown.fault or not shown.outcome:
        return None
    return {**file, "result": shown.outcome.as_json()}, turn, seat


def _shown(file: Data, site: Site) -> Site:
    plain = record.replay({key: value for key, value in file.items() if key not in ("seals", "result")})
    return Site(file, plain.states[-1].position(), file["result"], site.published)


def _seal_anew(file: Data, turn: int, seat: str, rng: Random) -> None:
    nonce = f"{rng.getrandbits(256):064x}"
    text = record.seal(file["match"], turn, seat, nonce, file["turns"][turn][seat])
    file["seals"][turn][seat] = {"seal": text, "nonce": nonce}


def _was_public(site: Site, turn: int, seat: str) -> bool:
    """Tell whether that seal was public before its turn was revealed: the last one of a turn never is."""
    return seat in list(site.published["seals"][turn])[:-1]


def _other_result(file: Data, rng: Random) -> Data:
    seats = [seat for seat in file["seats"] if file["result"]["scores"][seat] != 1]
    winner = rng.choice(seats)
    return {**file["result"], "scores": {seat: int(seat == winner) for seat in file["seats"]}}
