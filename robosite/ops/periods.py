"""Retention periods of the data that is deleted after a time, for the privacy page and `manage.py prune`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_safe

from robosite.api import idempotency
from robosite.api.models import Challenge, KeptAnswer, KeptReceipt, NamedProgram
from robosite.leagues.flow import never_started
from robosite.leagues.models import PlaceHold
from robosite.matches.models import Hold, Match, Seat
from robosite.moderation import traces
from robosite.moderation.models import Measure, Report, Salt, TakenName, Trace
from robosite.notices import outbox
from robosite.people import sent_forms
from robosite.people.models import Guest, SentForm, Ticket
from robosite.talk.models import Message
from robosite.web.transactions import lock_rows

AT_A_TIME = 100


@dataclass(frozen=True, slots=True)
class Retention:
    """A kind of rows deleted after `days` (0: never); `past` returns those not needed since a time."""

    name: str
    says: str
    days: Callable[[], float]
    past: Callable[[datetime], QuerySet[Any]]

    def due(self) -> QuerySet[Any]:
        """The rows whose retention period is over; none if the rows stay for ever."""
        days = self.days()
        rows = self.past(timezone.now() - timedelta(days=days))
        return rows if days else rows.none()


def _never_begun(before: datetime) -> QuerySet[Match]:
    """Matches without a change or message since `before`, open or called off with a free seat."""
    free = Exists(Seat.objects.filter(match=OuterRef("pk"), taken_at=None))
    quiet = Match.objects.filter(
        changed_at__lt=before, turn=0, status__in=(Match.Status.OPEN, Match.Status.ABORTED)
    ).exclude(Exists(Message.objects.filter(match=OuterRef("pk"), sent_at__gte=before)))
    return quiet.filter(Q(status=Match.Status.OPEN) | Q(free, status=Match.Status.ABORTED))


def _warning() -> timedelta:
    """The time before its deletion at which the people of a match or league are told."""
    return min(outbox.WARNING, timedelta(days=settings.KEEP_OPEN_DAYS) / 2)


def warn() -> None:
    """Tells the people of matches and leagues that never began that these will soon be deleted."""
    if not settings.KEEP_OPEN_DAYS:
        return
    soon = timezone.now() - timedelta(days=settings.KEEP_OPEN_DAYS) + _warning()
    for match in _never_begun(soon).filter(status=Match.Status.OPEN):
        outbox.tell_once(Guest.objects.filter(holds__seat__match=match), match=match)
    for league in never_started(soon):
        held = Q(places__place__league=league, places__place__gone=False)
        outbox.tell_once(Guest.objects.filter(held | Q(organised=league)), league=league)


def _unused_guests(before: datetime) -> QuerySet[Guest]:
    """Guests to whom no row refers but perhaps a Trace, without a way to sign in again, and not merged."""
    unseen = Q(seen_at=None) | Q(seen_at__lt=before)
    guests = Guest.objects.filter(unseen, created_at__lt=before, email="", phrase_hash="", became=None)
    relation: Any
    for relation in Guest._meta.related_objects:
        if relation.related_model is not Trace:
            rows = relation.related_model._default_manager.filter(**{relation.field.name: OuterRef("pk")})
            guests = guests.exclude(Exists(rows))
    return guests


def _ended_measures(before: datetime) -> QuerySet[Measure]:
    """Measures that are over, unless a report or objection waits, or a name is still barred by them."""
    lasting = Q(kind__in=Measure.LASTING)
    over = Q(lifted_at__lt=before) | Q(lasting, ends_at__lt=before) | Q(~lasting, made_at__lt=before)
    waits = Report.objects.filter(status=Report.Status.OPEN)
    holds = Exists(TakenName.objects.filter(measure=OuterRef("pk")))  # its names are still barred
    measures = (
        Measure.objects.filter(over)
        .exclude(holds, lifted_at=None)
        .exclude(Exists(waits.filter(measure=OuterRef("pk"))))
    )
    return measures.exclude(Exists(waits.filter(pk=OuterRef("report"))))


RETENTIONS = (
    Retention(
        "matches",
        _("Matches that never began, after the last change"),
        lambda: settings.KEEP_OPEN_DAYS,
        lambda before: _never_begun(before).exclude(outbox.told_lately("match", _warning())),
    ),
    Retention(
        "leagues",
        _("Leagues that never began, after the last change"),
        lambda: settings.KEEP_OPEN_DAYS,
        lambda before: never_started(before).exclude(outbox.told_lately("league", _warning())),
    ),
    Retention(
        "imports",
        _("Imported matches, after the last change"),
        lambda: settings.KEEP_IMPORTS_DAYS,
        lambda before: Match.objects.filter(imported=True, created_at__lt=before, changed_at__lt=before),
    ),
    Retention(
        "guests",
        _("Names of visitors without a seat or an address, after their last visit"),
        lambda: settings.KEEP_GUESTS_DAYS,
        _unused_guests,
    ),
    Retention(
        "programs",
        _("API bots without a seat, after their last call"),
        lambda: settings.KEEP_GUESTS_DAYS,
        lambda before: NamedProgram.objects.filter(
            ~Exists(Hold.every.filter(guest=OuterRef("guest"))),
            ~Exists(PlaceHold.objects.filter(guest=OuterRef("guest"))),
            used_at__lt=before,
        ),
    ),
    Retention(
        "challenges",
        _("Invitations to API bots, after the match has begun or was cancelled"),
        lambda: 1.0,
        lambda before: Challenge.objects.filter(made_at__lt=before).exclude(match__status=Match.Status.OPEN),
    ),
    Retention(
        "tickets",
        _("One-time links, after they expire"),
        lambda: 1.0,
        lambda before: Ticket.objects.filter(expires_at__lt=before),
    ),
    Retention(
        "sessions",
        _("Browsers and whose they are, after their last use"),
        lambda: settings.SESSION_COOKIE_AGE / 86_400,
        lambda before: Session.objects.filter(
            expire_date__lt=before + timedelta(seconds=settings.SESSION_COOKIE_AGE)
        ),
    ),
    Retention(
        "notices",
        _("Notifications, once they are settled or the match is over"),
        lambda: outbox.KEPT_FOR / timedelta(days=1),
        outbox.notices_before,
    ),
    Retention(
        "parcels",
        _("Records of which notifications were sent, and how"),
        lambda: outbox.KEPT_FOR / timedelta(days=1),
        outbox.parcels_before,
    ),
    Retention(
        "answers",
        _("API responses to bots, encrypted, in case a request is repeated"),
        lambda: sent_forms.KEPT_FOR / timedelta(days=1),
        lambda before: KeptAnswer.objects.filter(made_at__lt=before),
    ),
    Retention(
        "receipts",
        _("Receipts for bots’ orders, encrypted, after the match is over"),
        lambda: idempotency.RECEIPTS_KEPT_FOR / timedelta(days=1),
        lambda before: KeptReceipt.objects.filter(
            seat__match__status__in=(Match.Status.OVER, Match.Status.ABORTED),
            seat__match__changed_at__lt=before,
        ),
    ),
    Retention(
        "forms",
        _("Results of forms you sent, encrypted, in case they are sent again"),
        lambda: sent_forms.KEPT_FOR / timedelta(days=1),
        lambda before: SentForm.objects.filter(made_at__lt=before),
    ),
    Retention(
        "reports",
        _("Reports and who made them, after they are closed"),
        lambda: settings.KEEP_REPORTS_DAYS,
        lambda before: Report.objects.filter(closed_at__lt=before).exclude(status=Report.Status.OPEN),
    ),
    Retention(
        "measures",
        _("Measures against someone and banned address ranges, after they end"),
        lambda: settings.KEEP_MEASURES_DAYS,
        _ended_measures,
    ),
    Retention(
        "traces",
        _(
            "A code for the network address from which you last created or joined a match, wrote or "
            "reported something"
        ),
        lambda: traces.KEPT_FOR / timedelta(days=1),
        lambda before: Salt.objects.filter(made_at__lt=before),
    ),
)


def prune(retention: Retention) -> Iterator[int]:
    """Deletes the rows that are due, in batches, and yields the number of rows deleted in each batch."""
    stayed: set[Any] = set()
    while True:
        rows = retention.due().order_by()  # unordered: by primary key, SQLite would read all rows
        keys = list(rows.exclude(pk__in=stayed).values_list("pk", flat=True)[:AT_A_TIME])
        if not keys:
            return
        with transaction.atomic():
            model = rows.model
            list(lock_rows(model._default_manager.filter(pk__in=keys)))
            still = list(retention.due().filter(pk__in=keys).values_list("pk", flat=True))
            model._default_manager.filter(pk__in=still).delete()
        stayed |= set(keys) - set(still)
        yield len(still)


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """View: shows which data is kept and for how long, from the table that `manage.py prune` uses."""
    rows = [(gettext(one.says), _for(one.days())) for one in RETENTIONS]
    return render(request, "ops/privacy.html", {"kept": rows})


def _for(days: float) -> str:
    if not days:
        return gettext("for good")
    whole = round(days)
    return ngettext("one day", "%(days)s days", whole) % {"days": whole}
