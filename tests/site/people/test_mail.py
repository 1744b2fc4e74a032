"""Mails: what they carry, in whose language, and that no request waits for them."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core import mail as django_mail
from django.core.management import CommandError, call_command
from django.utils.translation import gettext

from robosite.people import mail
from robosite.people.models import Guest
from tests.site.browsers import Browser


def test_a_mail_has_the_message_id_and_the_headers_that_it_is_given(settings: Any) -> None:
    settings.DEFAULT_FROM_EMAIL = "Robosite <robots@example.org>"
    mail.send(
        "ann@example.org",
        "Your turn\r\nBcc: all@example.org",
        "Hello\n",
        message_id=mail.new_id("turn-3"),
        headers={"List-Unsubscribe": "<https://example.org/x>"},
    )
    (sent,) = django_mail.outbox
    message = sent.message()
    assert message["Message-ID"] == "<turn-3@example.org>"
    assert message["List-Unsubscribe"] == "<https://example.org/x>"
    assert message["From"] == "Robosite <robots@example.org>"
    assert message["Subject"] == "Your turn Bcc: all@example.org" and "Bcc" not in message
    assert message.get_content_type() == "text/plain" and sent.to == ["ann@example.org"]


def test_ids_made_by_chance_are_never_the_same(settings: Any) -> None:
    settings.DEFAULT_FROM_EMAIL = "robots@example.org"
    assert len({mail.new_id() for _ in range(50)}) == 50
    assert mail.new_id().endswith("@example.org>")


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
    with mail.as_read_by(ann):
        assert gettext("My games") == "Meine Partien"
    with mail.as_read_by(Guest()):
        assert gettext("My games") == "My games"


def test_a_host_tries_a_mail_and_is_told_what_became_of_it(settings: Any) -> None:
    out = StringIO()
    call_command("test_mail", "ann@example.org", stdout=out)
    assert "took the mail to ann@example.org" in out.getvalue()
    assert [sent.to for sent in django_mail.outbox] == [["ann@example.org"]]


def test_a_mail_that_cannot_be_sent_says_where_it_was_tried(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with pytest.raises(CommandError, match=r"127\.0\.0\.1:1 did not take it"):
        call_command("test_mail", "ann@example.org")
    settings.MAIL = False
    with pytest.raises(CommandError, match="set EMAIL_URL"):
        call_command("test_mail", "ann@example.org")
