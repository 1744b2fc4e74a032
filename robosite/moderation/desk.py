"""The admin's pages for reports and measures: nothing sealed, and private messages only if reported."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html

from robosite.matches.models import Match, Seat, held_by
from robosite.moderation import confirming, measures, traces
from robosite.moderation.measures import PERIODS, ImpossibleMeasure, until
from robosite.moderation.models import Measure, Note, Report, measures_in_force
from robosite.moderation.watched import LONGEST, Acting, HowLong, takes
from robosite.people.sent_forms import sent_once
from robosite.talk.models import Message
from robosite.trail.entries import note, subject_of
from robosite.web import limits

Kind = Measure.Kind

BEFORE, AFTER = 10, 5
"""The maximum number of messages that a report's page shows before and after the reported one."""
EARLIER = 10
"""The maximum length of each list on a report's page, such as the list of earlier reports about the guest."""

BUTTONS: tuple[tuple[Kind, str, str], ...] = (
    (Kind.WARN, "Warn", "shown on every page until it is read"),
    (Kind.RENAME, "Give another name", "in this and other matches with the same name"),
    (Kind.HIDE, "Hide the message", "its place stays"),
    (Kind.MUTE, "Mute", "cannot write messages; others do not notice"),
    (Kind.UNLIST, "Take off the open tables", "the invite still works"),
    (Kind.CLOSE, "Close the match", "cancelled, no one wins"),
    (Kind.REVOKE, "Revoke the seat's link", "and all browsers in the seat are signed out"),
    (Kind.BAN, "Ban", "cannot create, join, write or report; plays on in matches already joined"),
)


class InStatus(admin.SimpleListFilter):
    """Filters reports by status; only open reports are listed unless a status is chosen."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("dealt", "dealt with"), ("dismissed", "dismissed"), ("all", "all")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        asked = self.value() or Report.Status.OPEN
        return queryset if asked == "all" else queryset.filter(status=asked)

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            yield {**choice, "display": "open"} if choice["display"] == "All" else choice


@admin.register(Report)
class ReportAdmin(Acting):
    """The queue of reports: those about the most reported subjects first, then the newest."""

    list_display = ("what", "excerpt", "about", "reason", "times", "status", "made_at")
    list_display_links = ("what", "excerpt")
    list_filter = (InStatus, "what", "reason", "made_at")
    list_select_related = ("guest", "match", "league")
    search_fields = ("=number", "guest__name", "match__key", "shown")
    date_hierarchy = "made_at"
    action_form = HowLong
    actions = ("dismiss", "warn", "hide", "rename", "mute", "ban")
    change_form_template = "moderation/desk/report.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        same = Report.objects.filter(subject=OuterRef("subject"), status=Report.Status.OPEN).order_by()
        count = same.values("subject").annotate(n=Count("pk")).values("n")
        times = Coalesce(Subquery(count, output_field=IntegerField()), 0)
        return Report.objects.annotate(times=times)

    def get_ordering(self, request: HttpRequest) -> list[str]:
        return ["-times", "-made_at"]

    @admin.display(description="reported", ordering="times")
    def times(self, report: Report) -> str:
        n: int = report.times  # type: ignore[attr-defined]
        return f"{n} ×" if n else ""

    @admin.display(description="as it stood")
    def excerpt(self, report: Report) -> str:
        return report.shown[:80] or "–"

    @admin.display(description="about", ordering="guest__name")
    def about(self, report: Report) -> str:
        return str(report.guest or report.match or report.league or "")

    # Permissions

    def has_deal_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("moderation.change_report")

    @admin.action(description="Dismiss: nothing needs to be done", permissions=["deal"])
    def dismiss(self, request: HttpRequest, rows: QuerySet[Report]) -> None:
        for report in rows:
            measures.dismiss(report, request.user)  # type: ignore[arg-type]
        self.message_user(request, "Dismissed.", messages.SUCCESS)

    warn = takes(Kind.WARN, "Warn the guests they are about")
    hide = takes(Kind.HIDE, "Hide the messages")
    rename = takes(Kind.RENAME, "Give the guests they are about another name")
    mute = takes(Kind.MUTE, "Mute the guests they are about")
    ban = takes(Kind.BAN, "Ban the guests they are about")

    def take_all(self, request: HttpRequest, kind: Kind, rows: QuerySet[Report]) -> HttpResponse | None:
        """Returns a confirmation page or, once confirmed, takes a measure for each guest or subject."""
        page = confirming.ask_for_measure(self, request, kind, rows, back=request.get_full_path())
        if page is not None:
            return page
        done: set[Any] = set()
        for report in rows:
            about = report.guest_id if kind in (Kind.WARN, Kind.RENAME, *Measure.LASTING) else None
            key = about or report.subject
            if key in done:
                measures.close(report, Report.Status.DEALT)
            elif self.take(request, kind, report=report, reason=report.reason):
                done.add(key)
        if done:
            self.message_user(request, f"Done: {len(done)}.", messages.SUCCESS)
        return None

    # One report

    @method_decorator(sent_once)
    def posted(self, request: HttpRequest, report: Report) -> HttpResponse:
        back, do = reverse("admin:moderation_report_change", args=[report.pk]), request.POST.get("do", "")
        if do in Kind.values:
            _need(self.has_act_permission(request))
            page = confirming.ask_for_measure(self, request, Kind(do), [report], back)
            if page is not None:
                note(request.user, "asks", subject_of(report), action=do)
                return page
            reason = request.POST.get("reason", report.reason)
            reason = reason if reason in Report.Reason.values else report.reason
            if self.take(request, Kind(do), report=report, reason=reason):
                self.message_user(request, f"Done: {Kind(do).label}.", messages.SUCCESS)
        else:
            self._do(request, report, do)
        return HttpResponseRedirect(back)

    def _do(self, request: HttpRequest, report: Report, do: str) -> None:
        post = request.POST
        user: Any = request.user
        _need(self.has_deal_permission(request))
        if do == "lift" and report.measure:
            _need(request.user.has_perm("moderation.change_measure"))
            try:
                measures.lift(report.measure, user)
            except ImpossibleMeasure as refusal:
                self.message_user(request, str(refusal), messages.WARNING)
                return
            measures.close(report, Report.Status.DEALT)
            self.message_user(request, "Lifted.", messages.SUCCESS)
        elif do == "dismiss":
            measures.dismiss(report, user)
            self.message_user(request, "Dismissed.", messages.SUCCESS)
        elif do in ("dealt", "reopen"):
            measures.close_or_reopen(report, user, open_=do == "reopen")
        elif do == "note" and post.get("note", "").strip():
            with transaction.atomic():
                Note.objects.create(
                    report=report, by=user, text=post["note"].strip()[:LONGEST], made_at=timezone.now()
                )
                note(user, "report-note", subject_of(report))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **given: Any) -> Any:
        report: Report = given["obj"]
        others = Report.objects.exclude(pk=report.pk).order_by("-made_at", "-pk")
        context |= {
            "report": report,
            "subtitle": None,
            "around": around(report),
            "earlier": others.filter(guest=report.guest)[:EARLIER] if report.guest else [],
            "about_guest": _of_guest(report),
            "notes": report.notes.select_related("by"),
            "buttons": [one for one in BUTTONS if _fits(one[0], report)],
            "reasons": Report.Reason.choices,
            "periods": PERIODS,
            "period": "7",
            "may_act": self.has_act_permission(request),
            "may_deal": self.has_deal_permission(request),
            "seat_name": f"Player {report.seat.letter}" if report.seat else "Player",
            "same": others.filter(subject=report.subject)[:EARLIER],
        }
        return super().render_change_form(request, context, *args, **given)


def _need(may: bool) -> None:
    if not may:
        raise PermissionDenied


def _fits(kind: Kind, report: Report) -> bool:
    match = report.match
    if kind in (Kind.WARN, Kind.MUTE, Kind.BAN):
        return report.guest is not None
    if kind == Kind.RENAME:
        return bool(report.guest or report.seat)
    if kind == Kind.HIDE:
        return report.message is not None and not report.message.hidden
    if kind == Kind.REVOKE:
        return measures.may_revoke(report.seat)
    if kind == Kind.UNLIST:
        return match is not None and match.listed and match.status == Match.Status.OPEN
    going_on = (Match.Status.OPEN, Match.Status.PLAYING)
    return match is not None and (match.status in going_on or (match.imported and match.watched))


def around(report: Report) -> list[Any]:
    """Up to BEFORE messages to all, the reported one even if private, and up to AFTER; oldest first."""
    if report.message and report.message.league_id:
        return _around(report.message, Message.objects.filter(league=report.message.league_id))
    if report.match is None:
        return []
    messages = Message.objects.filter(match=report.match, to_all=True)
    if report.message is None:
        return list(messages.order_by("-sent_at", "-pk")[: BEFORE + AFTER])[::-1]
    return _around(report.message, messages.filter(watchers=report.message.watchers))


def _around(one: Any, messages: QuerySet[Any]) -> list[Any]:
    messages = messages.exclude(pk=one.pk)
    before = messages.filter(sent_at__lte=one.sent_at).order_by("-sent_at", "-pk")[:BEFORE]
    after = messages.filter(sent_at__gt=one.sent_at).order_by("sent_at", "pk")[:AFTER]
    return [*list(before)[::-1], one, *after]


def _of_guest(report: Report) -> dict[str, Any]:
    guest = report.guest
    if guest is None:
        return {}
    names = Seat.objects.filter(held_by(guest)).values_list("name", flat=True).distinct()
    return {
        "guest": guest,
        "names": sorted({*names[:EARLIER], guest.name} - {""}),
        "matches": Match.objects.filter(held_by(guest, "seats__")).distinct().count(),
        "measures": Measure.objects.filter(guest=guest).order_by("-made_at", "-pk")[:EARLIER],
        "trace": traces.trace_of(guest),
    }


class InForceFilter(admin.SimpleListFilter):
    """Filters the list of measures, such as bans: only those in force, or only those objected to."""

    title = "in force"
    parameter_name = "holds"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "in force"), ("objected", "objected to")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Measure]) -> QuerySet[Measure]:
        if self.value() == "1":
            return queryset.filter(pk__in=measures_in_force(timezone.now()))
        return queryset.exclude(objected_at=None) if self.value() == "objected" else queryset


class RangeForm(forms.Form):
    """The form to ban a range of network addresses."""

    network = forms.CharField(
        label="Address or range", max_length=50, help_text="Such as 203.0.113.0/24 or 2001:db8::/48."
    )
    days = forms.ChoiceField(label="Lasts", choices=PERIODS, initial="7", required=False)
    why = forms.CharField(
        label="Message to people from this range",
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


@admin.register(Measure)
class MeasureAdmin(Acting):
    """The list of all measures, where moderators lift them and ban ranges of addresses."""

    list_display = ("kind", "about", "made_at", "by", "ends", "state", "objected_at")
    list_filter = (InForceFilter, "kind", "made_at")
    list_select_related = ("guest", "by", "match")
    search_fields = ("=number", "guest__name", "network", "match__key")
    date_hierarchy = "made_at"
    ordering = ("-made_at",)
    action_form = ActionForm
    actions = ("lift",)
    change_list_template = "moderation/desk/measures.html"
    change_form_template = "moderation/desk/measure.html"
    fields: ClassVar = (
        "said_number",
        "kind",
        "about",
        "match",
        "seat",
        "message",
        "report_link",
        "reason",
        "why",
        "by",
        "made_at",
        "ends_at",
        "state",
        "lifted_at",
        "read_at",
        "objected_at",
        "objection",
    )
    readonly_fields = ("said_number", "about", "report_link", "state")

    @admin.display(description="number")
    def said_number(self, measure: Measure) -> str:
        return measure.said_number

    @admin.display(description="about")
    def about(self, measure: Measure) -> str:
        about = measure.network or str(measure.guest or measure.match or "")
        return f"{about}, and the address" if measure.code else about

    @admin.display(description="report")
    def report_link(self, measure: Measure) -> str:
        if measure.report is None:
            return "–"
        page = reverse("admin:moderation_report_change", args=[measure.report_id])
        return format_html('<a href="{}">{}</a>', page, measure.report)

    @admin.display(description="ends", ordering="ends_at")
    def ends(self, measure: Measure) -> Any:
        return "" if not measure.lasting else measure.ends_at or "never"

    @admin.display(description="state")
    def state(self, measure: Measure) -> str:
        if measure.lifted_at:
            return "lifted"
        return ("holds" if measure.is_in_force else "over") if measure.lasting else "done"

    def has_lift_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("moderation.change_measure")

    @admin.action(description="Lift: it holds no more, or is undone", permissions=["lift"])
    def lift(self, request: HttpRequest, rows: QuerySet[Measure]) -> None:
        lifted = sum(self._lift(request, measure) for measure in rows)
        if lifted:
            self.message_user(request, f"Lifted: {lifted}.", messages.SUCCESS)

    def _lift(self, request: HttpRequest, measure: Measure) -> bool:
        try:
            measures.lift(measure, request.user)  # type: ignore[arg-type]
        except ImpossibleMeasure as refusal:
            self.message_user(request, f"{measure}: {refusal}", messages.WARNING)
            return False
        return True

    @method_decorator(sent_once)
    def posted(self, request: HttpRequest, measure: Measure) -> HttpResponse:
        _need(self.has_lift_permission(request) and request.POST.get("do") == "lift")
        if self._lift(request, measure):
            self.message_user(request, "Lifted.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:moderation_measure_change", args=[measure.pk]))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **given: Any) -> Any:
        measure: Measure = given["obj"]
        over = measure.lifted_at or (measure.lasting and not measure.is_in_force)
        can_be_lifted = measure.kind in measures.LIFTED and not over
        context["may_lift"] = self.has_lift_permission(request) and can_be_lifted
        return super().render_change_form(request, context, *args, **given)

    def get_urls(self) -> list[URLPattern]:
        ban = path("range/", self.admin_site.admin_view(self.ban_range), name="moderation_measure_range")
        return [ban, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        more = {**(extra_context or {}), "may_act": self.has_act_permission(request)}
        return super().changelist_view(request, more)

    @method_decorator(sent_once)
    def ban_range(self, request: HttpRequest) -> HttpResponse:
        """View: the form to ban a range of addresses, except one with the moderator's own."""
        _need(self.has_act_permission(request))
        form = RangeForm(request.POST or None, initial={"days": "7"})
        if request.method == "POST" and form.is_valid():
            given = form.cleaned_data
            try:
                if measures.covers(str(measures.range_of(given["network"])), limits.address(request)):
                    raise ImpossibleMeasure(f"Your own address is in this range. {measures.ALL_FROM_ONE}")
                user: Any = request.user
                measure = measures.take(
                    Kind.BAN, user, network=given["network"], why=given["why"], ends_at=until(given["days"])
                )
            except ImpossibleMeasure as refusal:
                form.add_error("network", str(refusal))
            else:
                self.message_user(request, f"Banned: {measure.network}.", messages.SUCCESS)
                return HttpResponseRedirect(reverse("admin:moderation_measure_changelist"))
        context = {
            **self.admin_site.each_context(request),
            "form": form,
            "opts": self.opts,
            "title": "Ban a range of addresses",
        }
        return TemplateResponse(request, "moderation/desk/range.html", context)
