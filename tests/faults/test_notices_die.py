"""Mails by real processes: two senders at once, and a mail server that is away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def states(of: Server) -> list[str]:
    said = manage("shell", "-v", "0", "-c", ASK, env=of.env)
    return list(eval(said.partition("states ")[2]))


@pytest.mark.parametrize(
    "database", ["SQLite", pytest.param("PostgreSQL", marks=[pytest.mark.postgres, pytest.mark.slow])]
)
def test_two_senders_send_each_notice_once(
    tmp_path: Path, request: pytest.FixtureRequest, database: str
) -> None:
    env = {"DATABASE_URL": request.getfixturevalue("empty_postgres")} if database == "PostgreSQL" else {}
    with Mailbox() as box:
        given: Any = {"EMAIL_URL": box.url, "SENDER_SECONDS": "0.1", "BOT_PROCESSES": "0", **env}
        with Server(tmp_path, **given) as first, first.beside():
            manage("shell", "-v", "0", "-c", PREPARE, env=first.env)
            until(lambda: states(first) == ["sent"] * TABLES)
        assert len({str(mail["Message-ID"]) for mail in box.mails}) == len(box.mails) == TABLES


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
