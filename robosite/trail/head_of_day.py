"""A daily task that logs the trail's head (the last entry's number and hash) and mails it to AUDIT_MAIL.

So the head is kept where the site cannot change it. The one process that advances the due time mails.
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from asgiref.sync import sync_to_async
from django.conf import settings
from django.utils import timezone

from robosite.people import letters
from robosite.trail.models import Head, Telling

log = logging.getLogger("robosite")

LOOKS = 60
AGAIN = timedelta(minutes=10)
"""The delay before the next attempt, if a mail failed or the process died before it had sent all mails."""

Tell = Callable[[], None]


def claim_mail() -> Tell | None:
    """If the mail is due, defers it by AGAIN, logs the head, returns a function that mails it; else None."""
    now = timezone.now()
    mailing, _ = Telling.objects.get_or_create(pk=1, defaults={"due_at": now})
    mine = Telling.objects.filter(pk=1, due_at=mailing.due_at, due_at__lte=now).update(due_at=now + AGAIN)
    if not mine:
        return None
    head = Head.objects.filter(pk=1).first() or Head()
    log.info("the audit trail has %d entries; its head is %s", head.number, head.hash)

    def tell() -> None:
        for number, to in enumerate(settings.AUDIT_MAIL):
            _mail(number, to, head, now)

    return tell


def note_mailed() -> None:
    """Makes the next mail with the audit trail's head due at the next midnight in the site's time zone."""
    tomorrow = timezone.localtime(timezone.now(), timezone.get_default_timezone()) + timedelta(days=1)
    next_time = tomorrow.replace(hour=0, minute=0, second=0, microsecond=0)
    Telling.objects.filter(pk=1).update(due_at=next_time)


def _mail(number: int, to: str, head: Head, now: datetime) -> None:
    text = (
        f"At {now:%F %T} UTC the audit trail of {settings.PUBLIC_URL or 'the site'} had "
        f"{head.number} entries. The hash of the last one:\n\n{head.hash}\n\n"
        "Keep this mail where the site's host cannot reach it. Nothing up to that entry was changed since\n"
        f"if this says so:\n\nmanage.py audit --verify --head {head.hash}\n"
    )
    subject = f"Audit trail: {head.number} entries, {head.hash[:12]}"
    letters.send_mail(to, subject, text, message_id=letters.new_id(f"trail-{now:%F}-{number}"))


async def run() -> None:
    """Logs and mails the audit trail's head every day, until the task is cancelled."""
    while True:
        try:
            if tell := await sync_to_async(claim_mail)():
                await asyncio.to_thread(tell)
                await sync_to_async(note_mailed)()
        except Exception as fault:  # an address stands in no log
            log.error("the head of the audit trail could not be told: %s", type(fault).__name__)
        await asyncio.sleep(LOOKS)
