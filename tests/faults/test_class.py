"""A school class: thirty phones behind one address, from the link to the sealed first turn and beyond.

In the short form there are twelve.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from games import GAMES
from tests.faults.programs import Browser
from tests.games.cases import size
from tests.receivers import until
from tests.servers import PATIENCE, Server
from tests.site.browsers import FIRST

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(1200)]
PHONES = int(size("12", "30"))
IN_A_LEAGUE = 6
AT_ONCE = 6
"""So many ask at the same instant: a class taps when the teacher says so."""
NAMES = [f"{first}{last}" for first in ("Ann", "Bea", "Cyd", "Dot", "Eve") for last in "aeiouy"]


class Phone(Browser):
    """A phone of the class, with cookies of its own; `asked` counts the answers of all."""

    def __init__(self, url: str, name: str, asked: Counter[tuple[str, int]]) -> None:
        super().__init__(url)
        self.name, self.asked, self.seat = name, asked, ""
        self.box = f"{name.lower()}@example.org"

    def look(self, what: str, path: str) -> str:
        answer = self.get(path)
        self.asked[what, answer.status_code] += 1
        return answer.text

    def submit(self, what: str, path: str, page: str, **fields: str) -> httpx.Response:
        answer = self.fill_in(path, page, **fields)
        self.asked[what, answer.status_code] += 1
        return answer

    def link(self, what: str, path: str, kind: str) -> str:
        (link,) = {*re.findall(rf"/s/{kind}/[\w-]+/", self.look(what, path))}
        return link


def links_in_mails(folder: Path) -> dict[str, str]:
    """The paths of the links in all mails so far, by the mailbox that got them."""
    found = {}
    for file in folder.glob("*"):
        for mail in file.read_text().split("Subject: ")[1:]:
            to, link = re.search(r"^To: (\S+)", mail, re.MULTILINE), re.search(r"/s/mail/[\w-]+/", mail)
            if to and link:
                found[to[1]] = link[0]
    return found


def test_thirty_phones_behind_one_address_are_never_told_to_wait(tmp_path: Path) -> None:
    asked: Counter[tuple[str, int]] = Counter()
    mails = tmp_path / "mails"
    with (
        Server(tmp_path, LIMITS="on", EMAIL_URL=f"file:///{mails}", SENDER_SECONDS="0.2") as site,
        ThreadPoolExecutor(AT_ONCE) as together,
        ExitStack() as open_phones,
    ):
        phones = [open_phones.enter_context(Phone(site.url, name, asked)) for name in NAMES[:PHONES]]
        invites: dict[str, str] = {}

        def make(phone: Phone) -> None:
            given = {"game": "pigs", "seats": "2", "name": phone.name}
            made = phone.submit("create a match", "/matches/", "/new/pigs/", **given)
            phone.seat = made.headers["Location"]
            invites[phone.name] = phone.link("own seat", phone.seat, "invite")

        def accept(phone: Phone) -> None:
            invite = invites[phones[phones.index(phone) - 1].name]
            answer = phone.submit("take a seat", f"{invite}accept/", invite, name=phone.name)
            phone.seat = answer.headers["Location"]
            phone.look("own seat", phone.seat)

        list(together.map(make, phones[::2]))
        list(together.map(accept, phones[1::2]))
        for does in (learn, plan, ask_for_a_mail):
            list(together.map(does, phones))
        links = until(lambda: len(found := links_in_mails(mails)) == PHONES and found, 2 * PATIENCE)

        def confirm(phone: Phone) -> None:
            phone.submit("confirm a mail", f"{links[phone.box]}confirm/", links[phone.box])

        list(together.map(confirm, phones))
        list(together.map(come_back, phones[: size(3, PHONES)]))  # a phrase takes a third of a second
        for first in range(0, PHONES, IN_A_LEAGUE):
            list(together.map(joins(found_a_league(phones[first])), phones[first + 1 : first + IN_A_LEAGUE]))
        list(together.map(chat, phones))
    refused = sum(count for (_, status), count in asked.items() if status == 429)
    print(f"\n{PHONES} phones: {asked.total()} requests, {refused} × 429")
    for (what, status), count in sorted(asked.items()):
        print(f"{count:5} × {status} {what}")
    assert not {what: status for what, status in asked if status >= 400}


def learn(phone: Phone) -> None:
    for slug in [*GAMES][:: size(2, 1)]:
        phone.look("lesson", f"/learn/{slug}/")
        phone.look("next lesson", f"/learn/{slug}/2/")
        phone.look("puzzle", f"/puzzles/{slug}/1/")
    phone.submit("solve a puzzle", "/puzzles/pigs/1/?order=F", "/puzzles/pigs/1/", choose="F")


def plan(phone: Phone) -> None:
    for _ in range(size(2, 5)):
        phone.submit("plan", f"{phone.seat}plan/", phone.seat, turn="0", typed="F F", use="1")
    phone.submit("seal", f"{phone.seat}plan/", phone.seat, turn="0", typed=FIRST, seal="1")


def ask_for_a_mail(phone: Phone) -> None:
    phone.submit("ask for a mail", "/me/mail/", "/me/", email=phone.box)


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
    return phone.link("league", made.headers["Location"], "league")


def joins(link: str) -> Callable[[Phone], object]:
    return lambda phone: phone.submit("join a league", f"{link}join/", link, name=phone.name)


def chat(phone: Phone) -> None:
    for text in ("Hello!", "That was close.", "Again?"):
        phone.submit("chat", f"{phone.seat}talk/", f"{phone.seat}talk/", text=text)
    phone.submit("a bot", "/play/", "/", game="robble")
    phone.look("my games", "/mine/")
