"""Mails by real processes: two senders at once, one that is killed, and a mail server that is away."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.test_sent_twice import Tab
from tests.receivers import Mailbox, until
from tests.servers import Server, manage

pytestmark = pytest.mark.more

TABLES = 8
PREPARE = f"""
from games import newest
from robosite.matches import flow
from robosite.notices.models import Channel
from robosite.people.models import Guest
pigs = newest("pigs")
for n in range({TABLES}):
    alice = Guest.objects.create(name="Alice", email=f"alice{{n}}@example.org")
    match, taken, invite = flow.create(pigs, pigs.read_options({{}}), 2, "Alice", guest=alice)
    bob = flow.join(match, "Bob", invite=invite)
    flow.seal(taken.seat, 0, "F F F F F")
    Channel.objects.create(guest=alice, kind="mail", tells=["turn"])
    flow.seal(bob.seat, 0, "F F F F F")
"""
ASK = """
from robosite.notices.models import Parcel
print("states", sorted(Parcel.objects.filter(what="notices").values_list("state", flat=True)))
"""


def server(data: Path, box: Mailbox, *, prepare: bool, **env: str) -> Server:
    given = {"EMAIL_URL": box.url, "SENDER_SECONDS": "0.1", "BOT_PROCESSES": "0", **env}
    return Server(data, prepare=prepare, **given)


def states(of: Server) -> Counter[str]:
    said = manage("shell", "-v", "0", "-c", ASK, env=of.env)
    return Counter(eval(said.partition("states ")[2]))


def ids(box: Mailbox) -> Counter[str]:
    return Counter(str(mail["Message-ID"]) for mail in box.mails)


@pytest.mark.parametrize(
    "database", ["SQLite", pytest.param("PostgreSQL", marks=[pytest.mark.postgres, pytest.mark.slow])]
)
def test_two_senders_send_each_notice_once(
    tmp_path: Path, request: pytest.FixtureRequest, database: str
) -> None:
    env = {"DATABASE_URL": request.getfixturevalue("empty_postgres")} if database == "PostgreSQL" else {}
    with Mailbox() as box, ExitStack() as running:
        first = server(tmp_path, box, prepare=True, **env)
        running.enter_context(first)
        running.enter_context(server(tmp_path, box, prepare=False, **env))
        manage("shell", "-v", "0", "-c", PREPARE, env=first.env)
        until(lambda: states(first)["sent"] == TABLES)
        assert list(ids(box).values()) == [1] * TABLES


@pytest.mark.slow
def test_a_sender_that_is_killed_has_it_sent_once_more_and_then_never(tmp_path: Path) -> None:
    with Mailbox() as box, ExitStack() as running:
        box.hold.clear()  # mails arrive, and nobody is told so
        one = server(tmp_path, box, prepare=True, SENDER_LEASE="8")
        running.enter_context(one)
        manage("shell", "-v", "0", "-c", PREPARE.replace(f"range({TABLES})", "range(1)"), env=one.env)
        for arrived in (1, 2):
            until(lambda count=arrived: len(box.mails) == count)  # type: ignore[misc]
            one.kill()
            one = server(tmp_path, box, prepare=False, SENDER_LEASE="8")
            running.enter_context(one)
        until(lambda: states(one) == Counter({"given up": 1}))
        assert list(ids(box).values()) == [2]


def test_a_mail_arrives_though_its_server_was_away_when_it_was_asked_for(tmp_path: Path) -> None:
    with Mailbox() as gone:
        url, port = gone.url, gone.controller.port
    with Server(tmp_path, EMAIL_URL=url, SENDER_SECONDS="0.1", BOT_PROCESSES="0") as site:
        ada = Tab(site.url)
        ada.ask("POST", "/matches/", {**ada.form("/new/pigs/"), "game": "pigs", "seats": 2, "name": "Ada"})
        asked = ada.ask("POST", "/me/mail/", {**ada.form("/me/"), "email": "ada@example.org"})
        assert asked.status_code == 302
        until(lambda: "hasn’t been sent yet" in ada.ask("GET", "/me/").text)
        with Mailbox(port=port) as back:
            until(lambda: back.mails)
            assert [mail["To"] for mail in back.mails] == ["ada@example.org"]
            until(lambda: "We’ve sent an e-mail to ada@example.org" in ada.ask("GET", "/me/").text)
