"""Mails that people ask for while the real mail server is away: the page says so, and they arrive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.test_sent_twice import Tab
from tests.receivers import Mailbox, until
from tests.servers import Server

pytestmark = pytest.mark.more


def test_a_mail_arrives_though_its_server_was_away_when_it_was_asked_for(tmp_path: Path) -> None:
    with Mailbox() as gone:
        url, port = gone.url, gone.controller.port
    with Server(tmp_path, EMAIL_URL=url, SENDER_SECONDS="0.1", BOT_PROCESSES="0") as site:
        ada = Tab(site.url)
        ada.ask("POST", "/matches/", {**ada.form("/new/pigs/"), "game": "pigs", "seats": 2, "name": "Ada"})
        asked = ada.ask("POST", "/me/mail/", {**ada.form("/me/"), "email": "ada@example.org"})
        assert asked.status_code == 302
        until(lambda: "could not be sent so far" in ada.ask("GET", "/me/").text)
        with Mailbox(port=port) as back:
            until(lambda: back.mails)
            assert [mail["To"] for mail in back.mails] == ["ada@example.org"]
            until(lambda: "We’ve sent an e-mail to ada@example.org" in ada.ask("GET", "/me/").text)
