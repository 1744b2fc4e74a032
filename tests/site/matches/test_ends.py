"""Every table has an end: a period after which its rows go, a row that they go with, or a reason to stay."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import models
from django.utils import timezone

from robosite.matches.models import Match
from robosite.moderation.models import Report
from robosite.notices import sender
from robosite.ops.periods import RETENTIONS
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table
from tests.site.conftest import Time

STAYS = {
    "trail.Entry": "the audit trail: a row a look or deed of staff, and none may ever go unnoticed",
    "trail.Head": "one row",
    "trail.Telling": "one row",
    "trail.Tally": "a row a day and kind",
    "matches.Heartbeat": "one row",
    "matches.ProcessHeartbeat": "a row a kind of process",
    "matches.KeyCheck": "a row a key",
    "ops.JobRun": "a row a kind of job",
    "matches.Figures": "a row a game and variant",
    "auth.Group": "made by a migration",
    "auth.Group_permissions": "made by a migration",
    "auth.Permission": "made by a migration",
    "contenttypes.ContentType": "made by a migration",
}
"""The tables whose rows stay, and why they cannot fill a disk. Matches that were played stay too, since they
are what people come for; they are in a table of which other rows go."""


EITHER = {"talk.Message": ("match", "league"), "notices.GroupChannel": ("match", "league")}
"""Fields of which each row has one: it goes with that."""


def goes_with(model: type[models.Model], ends: set[type[models.Model]]) -> bool:
    """Tell whether each row hangs on one that goes."""
    if model._meta.label in EITHER:
        either: Any = [model._meta.get_field(name) for name in EITHER[model._meta.label]]
        return all(
            one.related_model in ends and one.remote_field.on_delete is models.CASCADE for one in either
        )
    needed = [field for field in model._meta.fields if field.is_relation and not field.null]
    return any(
        field.remote_field.on_delete is models.CASCADE and field.related_model in ends for field in needed
    )


def test_every_table_has_an_end_or_a_reason_to_stay() -> None:
    every = set(apps.get_models(include_auto_created=True))
    ends: set[type[models.Model]] = {retention.past(timezone.now()).model for retention in RETENTIONS}
    ends.add(User)  # staff are few, and their host removes them
    while more := {model for model in every - ends if goes_with(model, ends)}:
        ends |= more
    assert {model._meta.label for model in every - ends} == STAYS.keys()


def rows() -> dict[str, int]:
    """The number of rows of each table that has any."""
    found = {model._meta.label: model._default_manager.count() for model in apps.get_models()}
    return {label: count for label, count in found.items() if count}


@pytest.mark.django_db
def test_a_year_later_only_what_was_played_is_there(table: Table, time: Time, settings: Any) -> None:
    """A busy day at a table, until its browsers are forgotten, and a year in which nobody comes."""
    alice = table.alice
    alice.post("/me/mail/", {"email": "alice@example.org"})
    alice.post("/me/device/")
    alice.post("/notices/add/", {"kind": "atom"})
    alice.do(table.a, "talk", text="Hello Bob")
    Browser("Mallory").make()
    reported = table.bob.post(
        f"/report/{table.key}/", {"about": "match", "reason": "other", "words": "Look."}
    )
    assert reported.status_code == 302
    table.play(SHOTS, MORE_SHOTS)
    assert table.match.status == Match.Status.OVER
    sender.send_all()
    busy = rows()
    for label in GONE:
        assert busy[label], label
    Report.objects.update(status="settled", closed_at=timezone.now())
    time.pass_(seconds=settings.SESSION_COOKIE_AGE, days=366)
    call_command("prune", "--yes", verbosity=0)
    assert rows().keys() <= STAYS.keys() | PLAYED


GONE = (
    "people.Letter", "people.Ticket", "sessions.Session", "notices.Notice", "moderation.Report",
    "moderation.Salt", "moderation.Trace",
)  # fmt: skip
"""Tables that are empty again after the year."""
PLAYED = {
    "matches.Match", "matches.Seat", "matches.Program", "matches.Hold", "people.Guest", "talk.Message",
    "talk.Heard", "notices.Channel", "notices.Wishes",
}  # fmt: skip
"""A match that was played, those who played it, and the ways by which they wish to hear of the next one."""
