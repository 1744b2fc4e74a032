"""A school class: thirty phones behind one address, from the link to the sealed first turn and beyond.

Twelve of them in the short form.

Nobody is told to wait: the limits are on, as the table has them (`make class` prints what was asked).
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest

from games import GAMES
from tests.games.sizes import size
from tests.servers import PATIENCE, Server
from tests.site.browsers import FIRST

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(1200)]
PHONES = int(size("12", "30"))
IN_A_LEAGUE = 6
AT_ONCE = 6
"""So many ask at the same instant: a class taps when the teacher says so."""
NAMES = [f"{first}{last}" for first in ("Ann", "Bea", "Cyd", "Dot", "Eve") for last in "aeiouy"]


class Phone(httpx.Client):
    """A phone of the class, with cookies of its own; `asked` counts the answers of all."""

    def __init__(self, url: str, name: str, asked: Counter[tuple[str, int]]) -> None:
        super().__init__(base_url=url, timeout=PATIENCE, headers={"Origin": url})
        self.name, self.asked = name, asked
        self.seat = ""

    def note(self, what: str, answer: httpx.Response) -> httpx.Response:
        self.asked[what, answer.status_code] += 1
        return answer

    def look(self, what: str, path: str) -> httpx.Response:
        return self.note(what, self.get(path))

    def submit(self, what: str, path: str, page: str, **fields: str) -> httpx.Response:
        shown = self.look(f"{what} (page)", page)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', shown.text)
        assert token, (page, shown.status_code)
        return self.note(what, self.post(path, data={**fields, "csrfmiddlewaretoken": token[1]}))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Server]:
    with Server(
        tmp_path, LIMITS="on", EMAIL_URL=f"file:///{tmp_path / 'mails'}", SENDER_SECONDS="0.2"
    ) as one:
        yield one


def links_in_mails(folder: Path) -> dict[str, str]:
    """The paths of the links in all mails so far, by the mailbox that got them."""
    found = {}
    for file in folder.glob("*"):
        for mail in file.read_text().split("Subject: ")[1:]:
            to, link = re.search(r"^To: (\S+)", mail, re.MULTILINE), re.search(r"/s/mail/[\w-]+/", mail)
            if to and link:
                found[to[1]] = link[0]
    return found


def invite_on(page: str) -> str:
    (link,) = {*re.findall(r"/s/invite/[\w-]+/", page)}
    return link


def test_thirty_phones_behind_one_address_are_never_told_to_wait(site: Server, tmp_path: Path) -> None:
    asked: Counter[tuple[str, int]] = Counter()
    with ThreadPoolExecutor(AT_ONCE) as together, ExitStack() as open_phones:
        phones = [open_phones.enter_context(Phone(site.url, name, asked)) for name in NAMES[:PHONES]]

        def everyone(does: Callable[[Phone], object]) -> None:
            list(together.map(does, phones))

        invites: dict[str, str] = {}

        def make(phone: Phone) -> None:
            given = {"game": "pigs", "seats": "2", "name": phone.name}
            phone.seat = phone.submit("create a match", "/matches/", "/new/pigs/", **given).headers[
                "Location"
            ]
            invites[phone.name] = invite_on(phone.look("own seat", phone.seat).text)

        def accept(phone: Phone) -> None:
            host = phones[phones.index(phone) - 1].name
            answer = phone.submit("take a seat", f"{invites[host]}accept/", invites[host], name=phone.name)
            phone.seat = answer.headers["Location"]
            phone.look("own seat", phone.seat)

        list(together.map(make, phones[::2]))
        list(together.map(accept, phones[1::2]))
        everyone(learn)
        everyone(solve)
        everyone(plan)
        everyone(lambda phone: phone.submit("ask for a mail", "/me/mail/", "/me/", email=box_of(phone)))
        links = wait_for_mails(tmp_path / "mails")
        everyone(lambda phone: confirm(phone, links[box_of(phone)]))
        everyone(come_back)
        for first in range(0, PHONES, IN_A_LEAGUE):
            league = found_a_league(phones[first])
            others = phones[first + 1 : first + IN_A_LEAGUE]
            list(together.map(partial(join_league, league), others))
        everyone(chat)
        everyone(lambda phone: phone.submit("a bot", "/play/", "/", game="robble"))
        everyone(lambda phone: phone.look("my games", "/mine/"))
    told = {what: status for what, status in asked if status >= 400}
    refused = sum(count for (_, status), count in asked.items() if status == 429)
    print(f"\n{PHONES} phones: {asked.total()} requests, {refused} × 429")
    for (what, status), count in sorted(asked.items()):
        print(f"{count:5} × {status} {what}")
    assert not told


def box_of(phone: Phone) -> str:
    return f"{phone.name.lower()}@example.org"


def learn(phone: Phone) -> None:
    for slug in GAMES:
        phone.look("lesson", f"/learn/{slug}/")
        phone.look("next lesson", f"/learn/{slug}/2/")


def solve(phone: Phone) -> None:
    for slug in GAMES:
        phone.look("puzzle", f"/puzzles/{slug}/1/")
    phone.submit("solve a puzzle", "/puzzles/pigs/1/?order=F", "/puzzles/pigs/1/", choose="F")


def plan(phone: Phone) -> None:
    for _ in range(5):
        phone.submit("plan", f"{phone.seat}plan/", phone.seat, turn="0", typed="F F", use="1")
    phone.submit("seal", f"{phone.seat}plan/", phone.seat, turn="0", typed=FIRST, seal="1")


def confirm(phone: Phone, link: str) -> None:
    phone.submit("confirm a mail", f"{link}confirm/", link)


def come_back(phone: Phone) -> None:
    """Makes six words, and types them on another browser."""
    shown = phone.submit("create a recovery phrase", "/me/phrase/", "/me/")
    words = " ".join(re.findall(r"<li>(\w+)</li>", shown.text))
    with Phone(str(phone.base_url), phone.name, phone.asked) as other:
        assert other.submit("type six words", "/back/phrase/", "/back/", phrase=words).status_code == 302
        other.look("my games elsewhere", "/mine/")


def found_a_league(phone: Phone) -> str:
    given = {"title": "Our class", "plays": "pigs/standard", "name": phone.name}
    given |= {"format": "cup", "pace": "24", "ends": ""}
    made = phone.submit("found a league", "/l/new/", "/l/new/", **given)
    assert made.status_code == 302
    (link,) = {*re.findall(r"/s/league/[\w-]+/", phone.look("league", made.headers["Location"]).text)}
    return link


def join_league(link: str, phone: Phone) -> None:
    phone.submit("join a league", f"{link}join/", link, name=phone.name)


def chat(phone: Phone) -> None:
    for text in ("Hello!", "That was close.", "Again?"):
        phone.submit("chat", f"{phone.seat}talk/", f"{phone.seat}talk/", text=text)


def wait_for_mails(folder: Path) -> dict[str, str]:
    end = time.monotonic() + 2 * PATIENCE
    while len(found := links_in_mails(folder)) < PHONES and time.monotonic() < end:
        time.sleep(0.2)
    assert len(found) == PHONES
    return found
