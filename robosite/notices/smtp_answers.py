"""Errors of mail servers, by reply codes such as `550` (RFC 5321) or enhanced, `5.1.1` (RFC 3463)."""

from __future__ import annotations

import logging
import re
import smtplib

from robosite.notices.parcels import SendOutcome

log = logging.getLogger("robosite")

ENHANCED = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
NO_MAILBOX = (550, 551, 553, 556)
"""There is no such mailbox, unless an enhanced code `5.….…` or a text ABOUT_THE_SENDER says otherwise."""
OF_AN_ADDRESS = "1"
"""The second number of the enhanced codes about an address (`5.1.…`)."""
OF_THE_SENDER = ("7", "8")
"""The last numbers of the enhanced codes `5.1.…` that are about the sender's address."""
OF_A_MAILBOX = "2"
"""The second number of enhanced codes about a mailbox (`5.2.…`)."""
DISABLED_DETAIL = "1"
"""The mailbox is disabled (`5.2.1`); all other faults of one, such as being full, may be temporary."""
ABOUT_THE_SENDER = re.compile(
    r"relay|authenti|not authori|sender|spam|block|blacklist|policy|reputation|denied|rcpthosts|"
    r"\bspf\b|dkim|dmarc"
)
"""Words which show that the sender is refused, rather than the mailbox."""


def outcome_of(fault: Exception) -> SendOutcome:
    """A mail's outcome: `mailbox` (gone), `server` (it refuses all), `refused` or `no-answer`."""
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(fault.recipients.values()), (0, b""))
        return _of_answer(code, text)
    if isinstance(fault, smtplib.SMTPDataError):
        return _of_answer(fault.smtp_code, fault.smtp_error)
    if isinstance(fault, smtplib.SMTPResponseException | smtplib.SMTPNotSupportedError):
        return _of_the_host(getattr(fault, "smtp_code", 0))
    return SendOutcome("no-answer")


def _of_answer(code: int, text: bytes | str) -> SendOutcome:
    if not 500 <= code < 600:
        return SendOutcome("refused")
    answer = text.decode(errors="replace") if isinstance(text, bytes) else text
    found = ENHANCED.search(answer)
    if found and found[1] == "5":
        subject, detail = found[2], found[3]
        if subject == OF_A_MAILBOX and detail != DISABLED_DETAIL:
            return SendOutcome("refused")
        gone = subject == OF_A_MAILBOX or (subject == OF_AN_ADDRESS and detail not in OF_THE_SENDER)
    else:
        gone = code in NO_MAILBOX and not ABOUT_THE_SENDER.search(answer.lower())
    return SendOutcome("mailbox", gone=True) if gone else _of_the_host(code)


def _of_the_host(code: int) -> SendOutcome:
    log.error("the mail server refuses the site's mail: %s", code)
    return SendOutcome("server")
