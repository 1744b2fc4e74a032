"""Interprets refusals of mail servers: of this mailbox, for now, or of all mail from the site.

The codes are those of RFC 5321, the enhanced ones (`5.1.1`) those of RFC 3463.
"""

from __future__ import annotations

import logging
import re
import smtplib

from robosite.notices.parcels import SendOutcome

log = logging.getLogger("robosite")

ENHANCED = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
NO_MAILBOX = (550, 551, 553, 556)
"""The only codes that mean that there is no such mailbox, unless their text is about the sender."""
OF_AN_ADDRESS = "1"
OF_THE_SENDER = ("7", "8")
"""The details of enhanced codes about addresses (`5.1.…`) that are about the sender's address."""
OF_A_MAILBOX = "2"
DISABLED = "1"
"""The detail of an enhanced code about a mailbox (`5.2.…`) that is disabled. Other faults, such as a full
one, may pass."""
ABOUT_THE_SENDER = re.compile(
    r"relay|authenti|not authori|sender|spam|block|blacklist|policy|reputation|denied|rcpthosts|"
    r"\bspf\b|dkim|dmarc"
)


def outcome_of(fault: Exception) -> SendOutcome:
    """The outcome of a mail that failed: no such mailbox (`gone`), a fault of the site's own server, or only
    a delay."""
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(fault.recipients.values()), (0, b""))
        return _of_answer(code, text)
    if isinstance(fault, smtplib.SMTPDataError):
        return _of_answer(fault.smtp_code, fault.smtp_error)
    if isinstance(fault, smtplib.SMTPResponseException | smtplib.SMTPNotSupportedError):
        return _of_the_host(getattr(fault, "smtp_code", 0))
    return SendOutcome("no-answer")


def _of_answer(code: int, text: bytes | str) -> SendOutcome:
    """The outcome for a response to the recipient's address, or to the mail itself."""
    if not 500 <= code < 600:
        return SendOutcome("refused")
    answer = text.decode(errors="replace") if isinstance(text, bytes) else text
    found = ENHANCED.search(answer)
    if found and found[1] == "5":
        subject, detail = found[2], found[3]
        if subject == OF_A_MAILBOX and detail != DISABLED:
            return SendOutcome("refused")
        gone = subject == OF_A_MAILBOX or (subject == OF_AN_ADDRESS and detail not in OF_THE_SENDER)
    else:
        gone = code in NO_MAILBOX and not ABOUT_THE_SENDER.search(answer.lower())
    return SendOutcome("mailbox", gone=True) if gone else _of_the_host(code)


def _of_the_host(code: int) -> SendOutcome:
    """The outcome if the server refuses all mail of the site; logs it for the operator, without addresses."""
    log.error("the mail server refuses the site's mail: %s", code)
    return SendOutcome("server")
