"""Moderation's views for guests: reporting, the receipt of a report, and a measure with its objection."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from robosite.leagues.league_talk import hold_in
from robosite.leagues.models import League
from robosite.leagues.pages.league_page import league_with
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.moderation import measures, reports
from robosite.moderation.models import Measure, Report
from robosite.people.current_guest import KEY, current_guest
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.people.shares import too_many
from robosite.play import hot_seat
from robosite.play.decorators import Request, among_players, match_of, private
from robosite.talk.views import before_of
from robosite.web import limits
from robosite.web.http import next_page, render_form

asked = require_http_methods(["GET", "HEAD", "POST"])


@asked
@private
@unless_restricted(Action.REPORT)
@sent_once
def report(request: Request, key: str) -> HttpResponse:
    """View: shows the form to report a match, or its names, seats and messages; a POST creates a report."""
    match, guest = flow.apply_due(match_of(key)), current_guest(request)
    if not match.may_be_watched_by(guest):
        return among_players(request, match)
    mine = hot_seat.held(guest, match)
    open_ = [seat for seat in mine if not hot_seat.is_covered(request, seat, mine)]
    offered = reports.offered(match, guest, open_, before_of(request))
    return _reported(request, match, offered)


@asked
@private
@unless_restricted(Action.REPORT)
@sent_once
def report_league(request: Request, key: str) -> HttpResponse:
    """View: as `report`, for a league's name and, for its players, messages."""
    league = league_with(key)
    hold = hold_in(league, current_guest(request))
    offered = reports.offered_in(league, hold.place if hold else None, before_of(request))
    return _reported(request, league, offered)


def _reported(request: Request, of: Match | League, offered: reports.Offered) -> HttpResponse:
    if request.method != "POST":
        return _report_page(request, of, offered)
    subject = offered.find(request.POST.get("about", ""))
    reason, words = request.POST.get("reason", ""), _words(request)
    error, seconds = "", 0
    if subject is None:
        error = _("Please choose what it’s about.")
    elif reason not in Report.Reason.values:
        error = _("Please choose what’s wrong with it.")
    else:
        error, seconds = _refused(request, words)
    if error or subject is None:
        return _report_page(request, of, offered, error=error, seconds=seconds)
    try:
        page = reports.make(subject, current_guest(request), reason, words)
    except reports.TooMany as refusal:
        return _report_page(request, of, offered, error=str(refusal))
    return redirect(page)


def _report_page(
    request: Request, of: Match | League, offered: reports.Offered, *, error: str = "", seconds: int = 0
) -> HttpResponse:
    context = {
        "of": of,
        "reported": of.name if isinstance(of, League) else of.game.name,
        "offered": offered,
        "reasons": Report.Reason.choices,
        "longest": reports.LONGEST,
        "error": error,
        "given": request.POST,
    }
    status = 429 if seconds else 422 if error else 200
    return render_form(request, "moderation/report.html", context, status=status, seconds=seconds)


def _words(request: HttpRequest) -> str:
    return request.POST.get("words", "").replace("\r\n", "\n").replace("\0", "").strip()


@require_safe
@private
def received(request: HttpRequest, number: int) -> HttpResponse:
    """View: shows the receipt of a report, with its number and status, but without the reported text."""
    return render(request, "moderation/received.html", {"report": get_object_or_404(Report, number=number)})


@asked
@private
def measure(request: HttpRequest, number: int) -> HttpResponse:
    """View: a measure, for its guest or a browser at its address; a POST marks it as read or objects."""
    shown = get_object_or_404(Measure, number=number)
    is_subject = shown.guest is not None and shown.guest == current_guest(request)
    if not is_subject and not measures.comes_from(shown, limits.address(request)):
        raise Http404
    error, seconds = "", 0
    if request.method == "POST":
        if "read" in request.POST:
            if is_subject:
                Measure.objects.filter(pk=shown.pk, read_at=None).update(read_at=timezone.now())
            return HttpResponseRedirect(next_page(request, otherwise=reverse("my-games")))
        error, seconds = _object(request, shown)
        if not error:
            return redirect(shown)
    context = {
        "measure": shown,
        "says": measures.SAYS[shown.kind](),
        "is_subject": is_subject,
        "why": measures.sentence_of(shown, is_subject),
        "objection": shown.objections.order_by("pk").last(),
        "longest": reports.LONGEST,
        "error": error,
        "typed": _words(request),
    }
    status = 429 if seconds else 422 if error else 200
    return render_form(request, "moderation/measure.html", context, status=status, seconds=seconds)


def _object(request: HttpRequest, shown: Measure) -> tuple[str, int]:
    """Stores an objection; returns an error, "" if none, and the seconds to wait before a next try."""
    words = _words(request)
    if not words:
        return _("Please type something first."), 0
    error, seconds = _refused(request, words)
    if not error:
        reports.object_to(shown, words)
    return error, seconds


def _refused(request: HttpRequest, words: str) -> tuple[str, int]:
    """Returns why these words cannot be sent now, or "", and the seconds to wait before a next try."""
    if len(words) > reports.LONGEST:
        too_long = _("This is too long: {n} characters, {most} at most.")
        return too_long.format(n=len(words), most=reports.LONGEST), 0
    seconds = reports.TRIES.wait(request)
    return too_many(seconds) if seconds else "", seconds


def moderation_context(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `moderated`, pairs of an unread measure and its sentence; not for htmx."""
    if not hasattr(request, "session") or not request.session.get(KEY) or getattr(request, "htmx", False):
        return {}
    guest = current_guest(request)
    unread = measures.unread(guest) if guest else []
    return {"moderated": [(one, measures.SAYS[one.kind]()) for one in unread]} if unread else {}
