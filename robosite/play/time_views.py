"""Views about time: a match's clock, pauses and nudges, and a guest's holidays."""

from django import forms
from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from robosite.matches import flow
from robosite.matches.flow import pauses, signs
from robosite.matches.models import Match, Seat
from robosite.matches.site_models import Recount
from robosite.matches.time import timekeeping
from robosite.matches.wording import listed
from robosite.people.current_guest import current_guest
from robosite.people.sent_forms import sent_once
from robosite.people.zones import zone_here, zone_named
from robosite.play import lateness
from robosite.play.decorators import Request, number, seat_page, secret
from robosite.play.match_context import names_of
from robosite.play.views import action_view


@require_safe
@seat_page
@secret
def time(request: Request, seat: Seat) -> HttpResponse:
    """The page that explains the clock of a match, with the reader's buttons for pauses and nudges."""
    match = seat.match
    standing = flow.standing_of(match)
    names = names_of(standing)
    playing = match.status == Match.Status.PLAYING
    people = [one.at for one in standing.seats if one.taken and not one.is_bot]
    reserves = timekeeping.reserves_left(match, people) if match.reserve_hours else {}
    context = {
        "match": match,
        "game": match.game,
        "seat": seat,
        "you": seat.at,
        "in_it": playing and seat.at in standing.people,
        "terms": lateness.terms(standing, seat.at, names) if playing else None,
        "owing": standing.owing,
        "reserves": [(names[at], left) for at, left in reserves.items()],
        "awaited": listed([names[at] for at in signs.awaited(standing, seat.at, timezone.now())]),
        "has_nudged": signs.has_nudged(match, seat, timezone.now()),
        "rivals": [names[at] for at in sorted(standing.people) if at != seat.at],
        "holiday_days": settings.HOLIDAY_DAYS,
    }
    return render(request, "play/time.html", context)


@action_view
def pause(request: Request, seat: Seat) -> None:
    """Asks for or agrees to a pause if the form's `offer` is "1"; else ends it, or all requests for one."""
    if request.POST.get("offer") == "1":
        pauses.ask_pause(seat)
    else:
        pauses.play_on(seat)


@action_view
def nudge(request: Request, seat: Seat) -> None:
    signs.nudge(seat)


class HolidayForm(forms.Form):
    """A form for a holiday: its first and last day, both included."""

    first = forms.DateField(
        label=gettext_lazy("First day"),
        error_messages={
            "required": gettext_lazy("Please choose a day."),
            "invalid": gettext_lazy("Please type the day like this: 2026-12-24."),
        },
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
    )
    last = forms.DateField(
        label=gettext_lazy("Last day"),
        error_messages=first.error_messages,
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@secret
@sent_once
def my_holidays(request: Request) -> HttpResponse:
    """The page with the guest's holidays, on which they can begin one or end one early."""
    guest, zone, now = current_guest(request), zone_named(zone_here(request)), timezone.now()
    today = now.astimezone(zone).date()
    form, error, status = HolidayForm(initial={"first": today}), "", 200
    if request.method == "POST":
        if guest is None:
            return redirect("holidays")
        if "end" in request.POST:
            pauses.end(guest, number(request.POST["end"]), zone, now)
            return redirect("holidays")
        form, status = HolidayForm(request.POST), 422
        if form.is_valid():
            try:
                pauses.begin(
                    guest,
                    first=form.cleaned_data["first"],
                    last=form.cleaned_data["last"],
                    zone=zone,
                    now=now,
                )
                return redirect("holidays")
            except flow.Refused as refusal:
                error = str(refusal)
    context = {
        "guest": guest,
        "form": form,
        "error": error,
        "now": now,
        "year": today.year,
        "zone": zone.key,
        "days": settings.HOLIDAY_DAYS,
        "days_left": pauses.days_left(guest, today.year) if guest else settings.HOLIDAY_DAYS,
        "setting": Recount.objects.filter(guest=guest).exists() if guest else False,
        "holidays": pauses.coming(guest, now) if guest else [],
    }
    return render(request, "play/holidays.html", context, status=status)
