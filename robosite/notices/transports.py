"""Prepares a claimed parcel or letter, with all database queries, for a thread that sends it."""

import hashlib
import json
import logging
import re
import smtplib
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from robosite.matches.time.timekeeping import deadline_of
from robosite.notices import services, webpush
from robosite.notices.models import Channel, Kind, Notice, Parcel
from robosite.notices.parcels import Claimed, SendOutcome
from robosite.notices.texts import NoticeText, most_urgent, site_of, write_lapse, write_notice, write_season
from robosite.people import letters
from robosite.people.models import Letter

log = logging.getLogger("robosite")

Send = Callable[[], SendOutcome]

UNSUBSCRIBE = "unsubscribe"


def host_of(channel: Channel) -> str:
    """The host to which a channel sends, such as `push.example.org`; "" for mail, or if it cannot be read."""
    try:
        if channel.kind == Channel.Kind.PUSH:
            return urlsplit(webpush.Subscription.read(channel.open()).endpoint).hostname or ""
        return "" if channel.kind == Channel.Kind.MAIL else urlsplit(kept_of(channel)["url"]).hostname or ""
    except ValueError:
        return ""


def ready(claimed: Claimed | Letter) -> Send:
    """Prepares a parcel or letter; returns a function that sends it or, if that is impossible, tells why."""
    if isinstance(claimed, Letter):
        return _letter(claimed)
    with letters.as_read_by(claimed.channel.guest):
        return _WAYS[claimed.channel.kind](claimed)


def _failed(fault: str, *, gone: bool = False) -> Send:
    return lambda: SendOutcome(fault, final=True, gone=gone)


def _titled(claimed: Claimed) -> NoticeText:
    """A parcel as one text: with the title of the most urgent notice or, of several matches, their number."""
    if claimed.parcel.what == Parcel.What.TEST:
        return NoticeText(
            _("This is a test"), _("Notifications from Robosite arrive here."), reverse("notices")
        )
    if claimed.parcel.what == Parcel.What.INVITED:
        path = claimed.parcel.match.get_absolute_url()  # type: ignore[union-attr]
        return NoticeText(_("Someone invites this bot to a match"), "", path)
    if claimed.parcel.what == Parcel.What.LAPSES:
        return write_lapse(claimed.parcel)
    if claimed.parcel.what == Parcel.What.SEASON and claimed.parcel.league:
        return write_season(claimed.parcel.league)
    notices = claimed.notices
    first = write_notice(most_urgent(notices))
    if len({notice.match_id for notice in notices}) == 1:
        more = [write_notice(notice).title for notice in notices if notice is not most_urgent(notices)]
        return NoticeText(
            first.title, " ".join([first.text, *(f"{title}." for title in more)]).strip(), first.path
        )
    n = len(notices)
    title = ngettext("One notification from your matches", "{n} notifications from your matches", n).format(
        n=n
    )
    return NoticeText(title, first.title, reverse("my-games"))


# E-mail


def unsubscribe_path(channel: Channel) -> str:
    return reverse("unsubscribe", args=[signing.dumps(channel.number.hex, salt=UNSUBSCRIBE)])


def _mail(claimed: Claimed) -> Send:
    guest, parcel = claimed.channel.guest, claimed.parcel
    to = guest.email
    if not to:
        return _failed("address")
    if not settings.MAIL:
        return _failed("off")
    site, title = site_of(guest), _titled(claimed)
    way_out = site + unsubscribe_path(claimed.channel)
    settings_at = _("Your notification settings: {address}").format(address=site + reverse("notices"))
    footer = "-- \n" + settings_at + "\n" + _("To stop e-mails like this: {address}").format(address=way_out)
    text = "\n\n".join([*_paragraphs(claimed, site), footer]) + "\n"
    headers = {"List-Unsubscribe": f"<{way_out}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    message_id = letters.new_id(f"notice-{parcel.number.hex}")
    return partial(send_mail, to, title.title, text, message_id=message_id, headers=headers)


def _letter(letter: Letter) -> Send:
    try:
        to, subject, text = letters.text_of(letter)
    except LookupError:  # the key that made its link is gone
        return _failed("lost")
    message_id = letters.new_id(f"letter-{letter.ticket.secret_hash[:32]}")
    return partial(send_mail, to, subject, text, message_id=message_id)


def _paragraphs(claimed: Claimed, site: str) -> list[str]:
    if not claimed.notices:
        notice_text = _titled(claimed)
        told = [notice_text.title + ".", notice_text.text]
        return told if claimed.parcel.what == Parcel.What.TEST else [*told, site + notice_text.path]
    written = []
    for notice in claimed.notices:
        notice_text = write_notice(notice)
        written.append(
            "\n".join(filter(None, [notice_text.title, notice_text.text, site + notice_text.path]))
        )
    return written


def send_mail(to: str, subject: str, text: str, *, message_id: str, **more: Any) -> SendOutcome:
    try:
        letters.send_mail(to, subject, text, message_id=message_id, **more)
    except Exception as fault:  # a network error, or an address that mail cannot be sent to; it is not logged
        log.warning("a mail did not go: %s", type(fault).__name__)
        return outcome_of(fault)
    return SendOutcome()


# A mail's outcome, by reply codes such as `550` (RFC 5321) and enhanced ones, `5.1.1` (RFC 3463)


ENHANCED = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")


NO_MAILBOX = (550, 551, 553, 556)
"""The SMTP codes for a missing mailbox, unless an enhanced code or ABOUT_THE_SENDER says otherwise."""


OF_AN_ADDRESS = "1"
"""The second number of the enhanced codes about an address (`5.1.…`)."""


OF_THE_SENDER = ("7", "8")
"""The last numbers of the enhanced codes `5.1.…` that are about the sender's address."""


OF_A_MAILBOX = "2"
"""The second number of enhanced SMTP status codes about a mailbox (`5.2.…`)."""


DISABLED_DETAIL = "1"
"""The last number of a disabled mailbox's code (`5.2.1`); other faults, such as full, may be temporary."""


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


# Web push


def _push(claimed: Claimed) -> Send:
    try:
        subscription = webpush.Subscription.read(claimed.channel.open())
    except ValueError:
        return _failed("lost")
    notice_text = _titled(claimed)
    tag = tag_of(claimed)
    message = {"title": notice_text.title, "body": notice_text.text, "url": notice_text.path, "tag": tag}
    body = webpush.message({key: text[:400] for key, text in message.items()}, subscription)
    topic = hashlib.sha256(f"{claimed.channel.number.hex} {tag}".encode()).digest()
    urgent = any(
        notice.kind in (Kind.ASKED, Kind.TURN, Kind.DEADLINE, Kind.NUDGE) for notice in claimed.notices
    )
    headers = {
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(webpush.TTL),
        "Topic": webpush.base(topic)[:32],
        "Urgency": "high" if urgent else "normal",
        "Authorization": webpush.authorization(subscription.endpoint),
    }
    call = services.Call("POST", subscription.endpoint, body, headers)
    return lambda: services.deliver(call)


def tag_of(claimed: Claimed) -> str:
    """The tag of a push, which replaces one with the same: the match (“-talk” for messages), or the kind."""
    matches = {notice.match.key for notice in claimed.notices}
    if claimed.parcel.match:
        matches = {claimed.parcel.match.key}
    tag = matches.pop() if len(matches) == 1 else claimed.parcel.what
    talk = claimed.notices and all(notice.kind == Kind.MESSAGE for notice in claimed.notices)
    return f"{tag}-talk" if talk else tag


# Webhooks


def kept_of(channel: Channel) -> dict[str, str]:
    """The "url" and the signing "key" of a webhook or ntfy channel."""
    opened = channel.open()
    return {"url": "", "key": "", **(json.loads(opened) if opened else {})}


def _webhook(claimed: Claimed) -> Send:
    hook = kept_of(claimed.channel)
    url, key = hook["url"], hook["key"]
    if not url:
        return _failed("lost")
    if not services.is_on("json"):
        return _failed("off")
    notice_text, site = _titled(claimed), site_of(claimed.channel.guest)
    number = f"msg_{claimed.parcel.number.hex}"
    what = {
        "type": f"robosite.{claimed.parcel.what}",
        "timestamp": timezone.now().isoformat(),
        "data": {
            "title": notice_text.title,
            "text": notice_text.text,
            "url": site + notice_text.path,
            "match": claimed.parcel.match.key if claimed.parcel.match else None,
            "notices": [_as_data(notice, site) for notice in claimed.notices],
        },
    }
    address = services.Address(url, key)
    return lambda: services.deliver(services.signed_json(address, number, what))


def _as_data(notice: Notice, site: str) -> dict[str, Any]:
    written, match = write_notice(notice), notice.match
    deadline = deadline_of(match, notice.seat.letter) or match.deadline
    return {
        "kind": notice.kind,
        "match": match.key,
        "game": match.game_slug,
        "seat": notice.seat.letter,
        "turn": notice.turn,
        "taken_back": match.taken_back,
        "who": notice.who,
        "deadline": deadline.isoformat() if deadline else None,
        "title": written.title,
        "text": written.text,
        "url": site + written.path,
    }


def _ntfy(claimed: Claimed) -> Send:
    url, written = kept_of(claimed.channel)["url"], _titled(claimed)
    if not url:
        return _failed("lost")
    if not services.is_on("ntfy"):
        return _failed("off")
    call = services.ntfy(
        services.Address(url),
        title=written.title,
        message=written.text or written.title,
        link=site_of(claimed.channel.guest) + written.path,
    )
    return lambda: services.deliver(call)


_WAYS: dict[str, Callable[[Claimed], Send]] = {
    Channel.Kind.MAIL: _mail,
    Channel.Kind.PUSH: _push,
    Channel.Kind.WEBHOOK: _webhook,
    Channel.Kind.NTFY: _ntfy,
}
