"""A guest's personal data in moderation: their reports, measures about them, and their address's code."""

from typing import Any

from django.utils.translation import gettext as _

from robosite.moderation import traces
from robosite.moderation.models import Measure, Report, TakenName
from robosite.people.models import Guest
from robosite.people.personal_data import Part

OF_REPORTS = ("number", "what", "shown", "reason", "words", "made_at", "status")
OF_MEASURES = ("number", "kind", "reason", "why", "made_at", "ends_at", "lifted_at", "objection")


def export(guest: Guest, request: object = None) -> dict[str, Any] | None:
    """The guest's own reports, measures about them, and the keyed hash of their last address; or None."""
    reports = Report.objects.filter(by=guest).order_by("pk").values(*OF_REPORTS)
    measures = Measure.objects.filter(guest=guest).order_by("pk").values(*OF_MEASURES)
    trace = traces.trace_of(guest)
    if not (reports or measures or trace):
        return None
    data: dict[str, Any] = {"reports": list(reports), "measures": list(measures)}
    if trace:
        data["address_code"] = {"code": trace.code, "salt_made_at": trace.salt.made_at}
    return data


def merge(gone: Guest, guest: Guest) -> None:
    Report.objects.filter(by=gone).update(by=guest)
    Report.objects.filter(guest=gone).update(guest=guest)
    Measure.objects.filter(guest=gone).update(guest=guest)
    TakenName.objects.filter(guest=gone).update(guest=guest)
    traces.merge(gone, guest)


def stays() -> list[str]:
    return [
        _(
            "A report is kept, with the message it is about, until a moderator has dealt with it. It no "
            "longer says who made it."
        ),
        _(
            "The audit trail permanently records what moderators looked at and did, with your number "
            "but never your name."
        ),
    ]


def forget(guest: Guest) -> None:
    """Erases what moderators no longer need; measures stay until the guest's row is deleted."""
    about = Report.objects.filter(guest=guest)
    about.exclude(status=Report.Status.OPEN).delete()
    about.exclude(what__in=(Report.What.MESSAGE, Report.What.OBJECTION)).update(shown="")
    own = Report.objects.filter(by=guest)
    own.exclude(status=Report.Status.OPEN).update(words="")
    own.filter(what=Report.What.OBJECTION).delete()


PART = Part(stays=stays, export=export, merge=merge, forget=forget)
