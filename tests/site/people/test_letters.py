"""Mail and letters."""

from __future__ import annotations

import re
import smtplib
from io import StringIO
from typing import Any

import pytest
from django.core import mail as django_mail
from django.core import serializers
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils.translation import gettext

from robosite.notices import parcels, transports
from robosite.notices.parcels import LOOKED_AT
from robosite.people import letters
from robosite.people.models import Guest, Letter, Ticket
from tests import at_once
from tests.receivers import Mailbox
from tests.site.browsers import Browser, Table, text
from tests.site.conftest import Time
from tests.site.notices.test_notices_sent import mailbox
from tests.site.people.test_ways_back import secret_in

__all__ = ["mailbox"]


ALICE = "alice@example.org"


def ask(browser: Browser, email: str = ALICE) -> None:
    answer = browser.post("/me/mail/", {"email": email})
    assert (answer.status_code, answer["Location"]) == (302, "/me/?said=mail")


def said(browser: Browser) -> str:
    """The sentence on the e-mail at the top of the page."""
    found = re.search(
        r'<p class="notice" data-news>(.*?)</p>', text(browser.get("/me/?said=mail")), re.DOTALL
    )
    assert found
    return found[1].strip()


def test_no_request_waits_for_the_mail_server(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "send_mail", lambda *given, **more: pytest.fail("a request sent a mail"))
    ask(table.alice)
    assert said(table.alice).startswith("We’re about to send an e-mail to alice@example.org.")
    assert Letter.objects.get().closed_at is None


def test_a_mail_server_that_comes_back_gets_the_letter(table: Table, mailbox: Mailbox, time: Time) -> None:
    mailbox.answers = ["451 4.3.0 come back later"] * 3
    ask(table.alice)
    for seconds in (0, 10, 30):
        time.pass_(seconds=seconds)
        assert at_once.send_all() == 1 and at_once.send_all() == 0
        assert "hasn’t been sent yet. We’ll keep trying until" in said(table.alice)
    time.pass_(seconds=60)
    at_once.send_all()
    (letter,) = mailbox.mails
    assert said(table.alice).startswith("We’ve sent an e-mail to alice@example.org.")
    link = f"/s/mail/{secret_in(str(letter.get_content()))}/"
    assert "alice@example.org" in text(Browser("").get(link))
    assert table.alice.post(f"{link}confirm/").status_code == 200
    assert said(table.alice) == "The link in that e-mail has been used, or has expired."
    assert not Letter.objects.exists()


def test_what_is_tried_again_is_the_same_mail(table: Table, mailbox: Mailbox, time: Time) -> None:
    """A mail server that loses its answer, not the mail: whoever reads them sees one."""
    ask(table.alice)
    letter = parcels.claim_letter()
    assert letter
    transports.ready(letter)()
    time.pass_(minutes=5)  # its sender died, so its lease ends
    at_once.send_all()
    first, second = mailbox.mails
    assert first["Message-ID"] == second["Message-ID"] and first.get_content() == second.get_content()


def test_a_mailbox_that_is_not_there_is_told_to_who_typed_it(
    table: Table, mailbox: Mailbox, time: Time
) -> None:
    mailbox.of_recipients[ALICE] = "550 5.1.1 no such user"
    ask(table.alice)
    at_once.send_all()
    assert (
        said(table.alice)
        == "The mail server says there’s no mailbox alice@example.org. Is it spelt correctly?"
    )
    time.pass_(hours=2)
    assert at_once.send_all() == 0 and mailbox.named == [ALICE]


def test_a_letter_goes_to_one_of_two_senders_and_not_after_its_link_has_expired(
    table: Table, mailbox: Mailbox, time: Time
) -> None:
    ask(table.alice)
    assert parcels.claim_letter() and parcels.claim_letter() is None
    time.pass_(hours=24, seconds=1)
    assert at_once.send_all() == 0 and not mailbox.mails


def test_letters_that_fail_hold_up_no_new_one(table: Table, mailbox: Mailbox, time: Time) -> None:
    for n in range(LOOKED_AT + 5):
        mailbox.of_recipients[f"a{n}@example.org"] = "451 later"
        letters.write(Ticket.Kind.CONFIRM, f"a{n}@example.org", "https://example.org")
    at_once.send_all()
    time.pass_(seconds=10)
    ask(table.alice)
    claimed = parcels.claim_letter()
    assert claimed and claimed.ticket.email == ALICE


def test_neither_the_database_nor_a_letter_to_nobody_has_a_link(table: Table, mailbox: Mailbox) -> None:
    ask(table.alice)
    Browser("").post("/back/mail/", {"email": "nobody@example.org"})
    at_once.send_all()
    (sent,) = mailbox.mails
    secret = secret_in(str(sent.get_content()))
    kept = serializers.serialize("json", [*Letter.objects.all(), *Ticket.objects.all()])
    assert secret not in kept and len(Letter.objects.all()) == 2


def test_a_new_key_opens_old_letters_and_a_lost_one_is_told(
    table: Table, mailbox: Mailbox, settings: Any
) -> None:
    ask(table.alice)
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another" * 8
    settings.SECRET_KEY_FALLBACKS = [old]
    assert letters.text_of(Letter.objects.get())
    settings.SECRET_KEY_FALLBACKS = []
    at_once.send_all()
    assert Letter.objects.get().fault == "lost" and not mailbox.mails


def test_a_letter_is_written_with_what_asked_for_it_or_not_at_all(table: Table, settings: Any) -> None:
    with transaction.atomic():
        letters.write(Ticket.Kind.CONFIRM, ALICE, "https://example.org")
        transaction.set_rollback(True)
    assert not Letter.objects.exists()
    settings.MAIL = False
    assert table.alice.post("/me/mail/", {"email": ALICE}).status_code == 409
    assert Browser("").post("/back/mail/", {"email": ALICE}).status_code == 409
    assert not Letter.objects.exists()


def test_a_letter_is_in_the_language_of_its_form(table: Table) -> None:
    table.alice.post("/language/", {"language": "de", "next": "/"})
    ask(table.alice)
    table.alice.post("/language/", {"language": "en", "next": "/"})
    at_once.send_all()
    (sent,) = django_mail.outbox
    assert sent.subject == "Bestätige deine E-Mail-Adresse"


def test_no_log_has_the_address(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*given: Any, **more: Any) -> None:
        raise smtplib.SMTPException("alice@example.org is unknown")

    monkeypatch.setattr(letters, "send_mail", fails)
    ask(table.alice)
    at_once.send_all()
    assert "SMTPException" in caplog.text and "alice@" not in caplog.text


def test_a_mail_has_the_message_id_and_the_headers_that_it_is_given(settings: Any) -> None:
    settings.DEFAULT_FROM_EMAIL = "Robosite <robots@example.org>"
    letters.send_mail(
        "ann@example.org",
        "Your turn\r\nBcc: all@example.org",
        "Hello\n",
        message_id=letters.new_id("turn-3"),
        headers={"List-Unsubscribe": "<https://example.org/x>"},
    )
    (sent,) = django_mail.outbox
    message = sent.message()
    assert message["Message-ID"] == "<turn-3@example.org>"
    assert message["List-Unsubscribe"] == "<https://example.org/x>"
    assert message["From"] == "Robosite <robots@example.org>"
    assert message["Subject"] == "Your turn Bcc: all@example.org" and "Bcc" not in message
    assert message.get_content_type() == "text/plain" and sent.to == ["ann@example.org"]
    ids = {letters.new_id() for _ in range(50)}
    assert len(ids) == 50 and all(one.endswith("@example.org>") for one in ids)


def test_what_is_sent_to_a_guest_is_in_the_language_that_he_read_last(alice: Browser) -> None:
    alice.get("/")
    alice.make()
    ann = Guest.objects.get()
    assert ann.language == "en"
    alice.post("/language/", {"language": "xx", "next": "/"})
    ann.refresh_from_db()
    assert ann.language == "en"
    alice.post("/language/", {"language": "de", "next": "/"})
    ann.refresh_from_db()
    assert ann.language == "de"
    with letters.as_read_by(ann):
        assert gettext("My games") == "Meine Partien"
    with letters.as_read_by(Guest()):
        assert gettext("My games") == "My games"


def test_a_host_tries_a_mail_and_is_told_what_became_of_it(settings: Any) -> None:
    out = StringIO()
    call_command("test_mail", "ann@example.org", stdout=out)
    assert "took the mail to ann@example.org" in out.getvalue()
    assert [sent.to for sent in django_mail.outbox] == [["ann@example.org"]]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with pytest.raises(CommandError, match=r"127\.0\.0\.1:1 did not take it"):
        call_command("test_mail", "ann@example.org")
    settings.MAIL = False
    with pytest.raises(CommandError, match="set EMAIL_URL"):
        call_command("test_mail", "ann@example.org")
