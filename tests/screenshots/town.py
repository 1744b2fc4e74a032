"""The matches that are photographed: a few tables of each game, played through the API of a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Any

import httpx

from games import newest
from games.core import Order, Seat, State, play_turn
from tests.screenshots.pages import BROKEN
from tests.servers import Server, manage

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fritz", "Gus", "Hanna")
STAFF = {"username": "staff", "password": "look at the pictures"}
MIDDLE = 9
"""The number of turns that the tables in the middle of a match have played."""
MOST = 90
"""A match that is not over after so many turns is resigned."""
SOON_OVER = "over 244"
"""A seed with which a match of Robo Battle Pigs ends after seven turns."""


WRITTEN = """
import json
from datetime import timedelta
from django.template.loader import render_to_string
from django.contrib.auth import get_user_model
from django.utils import timezone
from robosite.matches.models import Match, Seat
from robosite.matches.site_models import Asking
from robosite.moderation.models import Measure
from robosite.notices.transports import unsubscribe_path
from robosite.notices.models import Channel
from robosite.people.models import Ticket
from robosite.people.letters import new_ticket

now = timezone.now()
get_user_model().objects.create_superuser(**{staff!r})
Match.objects.filter(key__in={late}).update(deadline=now - timedelta(hours=1), due=now)
ada = Seat.objects.get(match__key={hers!r}, letter="A").holds.order_by("pk").last().guest
ada.email, ada.email_confirmed_at = "ada@example.org", now
ada.save()
way = Channel.objects.create(guest=ada, kind="mail", when="soon", tells=["turn", "over"])
gus = Asking.objects.get(seat__match__key={lost!r}).guest
why = "Ben asked you twice to stop.\\nPlease write to others as you would talk to them."
mute = {{"kind": "mute", "reason": "insult", "why": why, "ends_at": now + timedelta(days=3)}}
told = Measure.objects.create(guest=gus, made_at=now, **mute)
ban = {{**mute, "kind": "ban", "ends_at": now + timedelta(days=1), "read_at": now}}
Measure.objects.create(guest=gus, made_at=now, **ban)
print(json.dumps({{
    "secret_device": new_ticket(Ticket.Kind.DEVICE, ada),
    "secret_confirm": new_ticket(Ticket.Kind.CONFIRM, ada, "ada@example.org"),
    "secret_unsubscribe": unsubscribe_path(way),
    "secret_measure": told.number,
    **{{
        status: render_to_string("error.html", {{"status": int(status), "own": "", "seconds": 40}})
        for status in {broken!r}
    }},
}}))
"""
"""States that no page brings about, or only with time: a past deadline, links in mails, and what broke."""


class Table:
    """A match as its players know it: all of them are the same hand here, with the same dice in every run."""

    def __init__(
        self,
        url: str,
        game: str,
        seed: str,
        preset: str = "",
        options: dict[str, Any] | None = None,
        more: dict[str, Any] | None = None,
    ) -> None:
        self.api = httpx.Client(base_url=f"{url}/api/v1", timeout=60, trust_env=False, verify=False)
        self.rng = Random(seed)
        preset = preset or next(iter(newest(game).presets))
        asked = {"game": game, "name": NAMES[0], "preset": preset, "options": options or {}, **(more or {})}
        while not self._makes(asked, seed):
            pass  # until the site has drawn the corners that this table has in every run
        match = self._ask("GET", f"/{self.key}")
        kind = newest(game)
        count = len(match["seats"])
        self.state: State = kind.state.start(kind.read_options(match["options"]), count, match["setup"])
        self.films: list[int] = []

    def _makes(self, asked: dict[str, Any], seed: str) -> bool:
        """Makes a match; tells whether two robots begin where the seed says, as far as that is drawn."""
        made = self._ask("POST", "", asked)
        self.key, self.invite = made["match"], made["invite"]
        self.tokens = {Seat("A"): made["token"]}
        match, kind = self._ask("GET", f"/{self.key}"), newest(asked["game"])
        if len(match["seats"]) != 2 or "corners" not in match["setup"]:
            return True
        wanted = kind.draw(kind.read_options(match["options"]), 2, Random(seed), {})
        return bool(match["setup"] == wanted)

    def sit_down(self) -> None:
        for letter, name in list(zip(self.state.seats, NAMES, strict=False))[1:]:
            joined = self._ask("POST", f"/{self.key}/seats", {"name": name, "invite": self.invite})
            self.tokens[letter] = joined["token"]

    def play(self, turns: int) -> None:
        for _ in range(turns):
            if self.state.outcome():
                return
            orders = {
                seat: self.state.view(seat).sample(seat, self.rng) for seat in sorted(self.state.to_act())
            }
            for seat, order in orders.items():
                self.seal(seat, order)
            positions = list(play_turn(self.state, orders))
            self.films.append(len(positions))
            self.state = positions[-1]

    def seal(self, seat: Seat, order: Order, turn: int | None = None) -> None:
        """Seals an order for the present turn, or for `turn` where others have played since."""
        turn = self.state.turn if turn is None else turn
        self._ask("PUT", f"/{self.key}/order", {"turn": turn, "order": order}, seat)

    def wait_for_ben(self) -> None:
        """Ada has done what she can: who is still to come is somebody else."""
        while Seat("A") in self.state.to_act():
            if len(self.state.to_act()) > 1:
                self.seal(Seat("A"), self.state.view(Seat("A")).sample(Seat("A"), self.rng))
                return
            self.play(1)

    def plan_for_ada(self) -> None:
        """It is Ada's turn, and she has begun to plan."""
        ada = Seat("A")
        while ada not in self.state.to_act():
            self.play(1)
        view, text = self.state.view(ada), ""
        for _ in range(12):
            plan = view.plan(ada, text)
            ways = [c.leads_to for c in plan.choices if c.allowed and len(c.leads_to) > len(text)]
            if plan.missing is None or not ways:
                break
            after = self.rng.choice(ways)
            if view.plan(ada, after).missing is None and text:
                break  # one step before it is whole
            text = after
        self._ask("PUT", f"/{self.key}/draft", {"turn": self.state.turn, "order": text}, ada)

    def offer_draw(self, seat: Seat) -> None:
        self._ask("POST", f"/{self.key}/draw", {"offer": True}, seat)

    def finish(self) -> None:
        self.play(MOST - self.state.turn)
        if not self.state.outcome():
            self.resign(Seat("B"))

    def resign(self, seat: Seat) -> None:
        self._ask("POST", f"/{self.key}/resign", {}, seat)

    @property
    def step(self) -> str:
        """A step in the middle of the last turn, as addresses write it."""
        return f"{len(self.films)}.{(self.films[-1] + 1) // 2}" if self.films else ""

    def seen_by(self, seat: Seat) -> Any:
        """The match as the seat's player sees it."""
        return self._ask("GET", f"/{self.key}", None, seat)

    def drafted(self, seat: Seat) -> str:
        return str(self.seen_by(seat)["draft"] or "")

    def _ask(self, method: str, path: str, body: Any = None, seat: Seat | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[seat]}"} if seat else {}
        answer = self.api.request(method, f"/matches{path}", json=body, headers=headers)
        assert answer.is_success, (method, path, body, answer.text)
        return answer.json() if answer.content else None


def build(
    server: Server, games: list[str], of_games: set[str], of_site: set[str]
) -> tuple[dict[str, dict[str, str]], dict[str, Any]]:
    """Builds the town; returns what the addresses of each game's pages need, and everybody's cookies."""
    places: dict[str, dict[str, str]] = {}
    people = {name: _browser(server) for name in ("Ada", "Gus", "Ida", "staff")}
    for game in games:
        places[game] = _settle(server, game, of_games if places else of_games | of_site, people)
    if "planning" in of_games | of_site:
        _notices(people["Ada"])
    if {"planning", "asked"} <= of_games | of_site:
        _written(server, people, places)
        _send(people["staff"], people["staff"].get("/admin/login/"), "/admin/login/?next=/admin/", STAFF)
    cookies = {name: _cookies(server, browser) for name, browser in people.items()}
    for browser in people.values():
        browser.close()
    return places, {**cookies, "Zoe": []}


def _settle(server: Server, game: str, wanted: set[str], people: dict[str, httpx.Client]) -> dict[str, str]:
    ada = people["Ada"]
    tables = {name: _table(server, game, name) for name in sorted(wanted)}
    for name, table in tables.items():
        with closing(table.api):
            STATES[name](table)
    for name in wanted - {"elsewhere", "shared"}:
        _take(ada, tables[name].tokens[Seat("A")], look=name not in UNSEEN)
    for name in {"over", "rematch"} & wanted:
        with _browser(server) as ben:
            _take(ben, tables[name].tokens[Seat("B")])
            at = f"/m/{tables[name].key}/B/"
            if name == "rematch":
                _send(ben, ben.get(at), f"{at}rematch/", {})
    if "planning" in tables:
        _talk(server, tables["planning"], ada, tables.get("over"))
    if "asked" in tables:
        at = f"/m/{tables['asked'].key}/B/ask/"
        _send(people["Gus"], people["Gus"].get(at), at, {})
    for name, who in (("pause", "B"), ("paused", "AB")):
        if name in tables:
            _pause(server, tables[name], ada, who)
    if "shared" in tables:
        for letter in "BA":
            _take(people["Ida"], tables["shared"].tokens[Seat(letter)])
    place = {"game": game}
    for name, table in tables.items():
        place |= {
            name: table.key,
            f"{name}_invite": table.invite,
            f"{name}_link": table.tokens[Seat("A")],
            f"{name}_step": table.step,
            f"{name}_steps": str(table.films[-1]) if table.films else "",
        }
    return place


def _table(server: Server, game: str, name: str) -> Table:
    seed = SOON_OVER if STATES[name] is _over else name
    return Table(server.url, game, f"{game} {seed}", more=MORE.get(name))


def _played(table: Table, turns: int, *, wait: bool = False) -> None:
    table.sit_down()
    table.play(turns)
    if wait:
        table.wait_for_ben()


def _planning(table: Table) -> None:
    _played(table, MIDDLE)
    table.plan_for_ada()


def _offered(table: Table) -> None:
    _played(table, 2)
    table.offer_draw(Seat("B"))


def _over(table: Table) -> None:
    table.sit_down()
    table.finish()


_opening, _begun = partial(_played, turns=0), partial(_played, turns=2, wait=True)
_sealed = partial(_played, turns=MIDDLE - 2, wait=True)
STATES: dict[str, Callable[[Table], object]] = {
    "open": lambda table: None,
    "planning": _planning,
    "offered": _offered,
    "news": partial(_played, turns=MIDDLE),
    **dict.fromkeys(("sealed", "timed"), _sealed),
    **dict.fromkeys(("ended", "over", "rematch"), _over),
    **dict.fromkeys(("opening", "elsewhere", "asked", "shared"), _opening),
    **dict.fromkeys(("late", "pause", "paused"), _begun),
}
UNSEEN = {"news", "ended"}
"""Tables at which Ada has not yet looked at what happened: in all others it is no news in any picture."""


MORE = {
    "timed": {"deadline_hours": 72, "late": "fill"},
    **{name: {"deadline_hours": 72, "late": "claim"} for name in ("late", "pause", "paused")},
}
"""The options with which tables are made beside the first preset."""


def _browser(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.url, timeout=60, trust_env=False, verify=False, follow_redirects=True)


def _take(browser: httpx.Client, link: str, *, look: bool = True) -> None:
    """Sits down by a seat's own link, and looks at the page that one comes to."""
    page = browser.get(f"/s/seat/{link}/")
    _send(browser, page, f"/s/seat/{link}/take/", {}, follow=look)


def _send(
    browser: httpx.Client, page: httpx.Response, to: str, data: dict[str, str], *, follow: bool = True
) -> httpx.Response:
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
    assert token, page.text
    given = {**data, "csrfmiddlewaretoken": token[1]}
    answer = browser.post(to, data=given, headers={"Referer": to}, follow_redirects=follow)
    assert answer.is_success or (answer.is_redirect and not follow), answer.text
    return answer


def _talk(server: Server, table: Table, ada: httpx.Client, over: Table | None) -> None:
    """Ada and Ben talk, and so does somebody who watches; Ada has a word and a note."""
    with _browser(server) as ben, _browser(server) as gus:
        _take(ben, table.tokens[Seat("B")])
        if over:
            _take(ben, over.tokens[Seat("B")])
        hers, his = f"/m/{table.key}/A/", f"/m/{table.key}/B/"
        plan = "Rather five.\nI have a plan this time, and it is a good one."
        for browser, at, said in (
            (ben, his, {"phrase": "hello"}),
            (ada, hers, {"text": "Good evening! Three turns before tea?"}),
            (ben, his, {"text": plan, "phrase": "luck"}),
            (gus, f"/m/{table.key}/", {"name": "Gus", "text": "Ben says that every time."}),
        ):
            _send(browser, browser.get(f"{at}talk/"), f"{at}talk/", said)
        for written in ({"word": "Did you see that coming?"}, {"note": "He likes to turn left when hurt."}):
            there = {"turn": str(table.state.turn), **written}
            _send(ada, ada.get(f"{hers}notes/"), f"{hers}notes/", there)


def _pause(server: Server, table: Table, ada: httpx.Client, who: str) -> None:
    """Lets these players ask for a pause."""
    with _browser(server) as ben:
        _take(ben, table.tokens[Seat("B")])
        for letter in who:
            browser, at = (ada, f"/m/{table.key}/A/") if letter == "A" else (ben, f"/m/{table.key}/B/")
            _send(browser, browser.get(f"{at}time/"), f"{at}pause/", {"offer": "1"})


def _notices(ada: httpx.Client) -> None:
    """Ada has ways to be told, and a holiday before her."""
    for kind in ("atom", "calendar"):
        _send(ada, ada.get("/notices/"), "/notices/add/", {"kind": kind})
    first, last = (date.today() + timedelta(days=days) for days in (30, 33))
    when = {"first": first.isoformat(), "last": last.isoformat()}
    _send(ada, ada.get("/me/holidays/"), "/me/holidays/", when)


def _written(server: Server, people: dict[str, httpx.Client], places: dict[str, dict[str, str]]) -> None:
    """Ada reports a match, has links in her mails, and somebody is late at one of her tables."""
    ada, ida = people["Ada"], people["Ida"]
    some = next(iter(places.values()))
    at = f"/report/{some['planning']}/"
    about = {"about": "match", "reason": "other", "words": "We have a different memory of this."}
    received = _send(ada, ada.get(at), at, about)
    page = ida.get(at)
    said = re.findall(r'"(message-\d+)"', page.text)
    _send(ida, page, at, {"about": said[0], "reason": "insult"})
    late = [place["late"] for place in places.values() if "late" in place]
    code = WRITTEN.format(late=late, staff=STAFF, hers=some["planning"], lost=some["asked"], broken=BROKEN)
    written = json.loads(manage("shell", "--no-imports", "--command", code, env=server.env))
    for place in places.values():
        place |= {**written, "secret_received": received.url.path}


def _cookies(server: Server, browser: httpx.Client) -> list[dict[str, Any]]:
    return [
        {"name": cookie.name, "value": cookie.value, "url": server.url, "httpOnly": True}
        for cookie in browser.cookies.jar
    ]
