"""The page on which an organiser changes a season before its start; of a first one, the start alone."""

from math import ceil
from typing import Any

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from robosite.leagues import next_season
from robosite.leagues.forms import LeagueForm, StartField, hours_of
from robosite.leagues.models import League
from robosite.leagues.pages.actions import organises_in_lock
from robosite.leagues.pages.league_page import league_page, league_with, organises_it
from robosite.leagues.terms import Pace, usual_turns
from robosite.matches import flow as match_flow
from robosite.people.current_guest import current_guest
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.play.decorators import Request
from robosite.web.http import secret


class TermsForm(forms.Form):
    """A form with the terms of a league: the time for a turn, the length, the rounds, and the legs."""

    pace = forms.ChoiceField(label=gettext_lazy("Time per turn"))
    ends_days = forms.TypedChoiceField(label=gettext_lazy("Ends within"), coerce=float)
    every_days = forms.TypedChoiceField(
        label=gettext_lazy("Schedule"), coerce=int, required=False, empty_value=None
    )
    legs = forms.TypedChoiceField(label=gettext_lazy("Matches per pairing"), coerce=int)
    starts_at = StartField()

    def __init__(self, league: League, data: Any = None) -> None:
        self.league = league
        now = {
            "pace": _written(league.deadline_hours)
            + (f"+{_written(league.reserve_hours)}" if league.reserve_hours else ""),
            "ends_days": _written(league.ends_days),
            "every_days": _written(league.every_days),
            "legs": _written(league.legs),
        }
        start = {"starts_at": league.starts_at}
        super().__init__(data, initial=now | start)
        usual = {
            "pace": tuple(
                (value, _in_full(str(label), hours_of(value)[1]))
                for value, label in (*LeagueForm.SEVERAL_A_DAY, *LeagueForm.BY_AND_BY)
            ),
            "ends_days": LeagueForm.ENDS[1:],
            "every_days": LeagueForm.ROUNDS,
            "legs": LeagueForm.LEGS,
        }
        for name, choices in usual.items():
            field: Any = self.fields[name]
            known = now[name] in dict(choices)
            field.choices = choices if known else [(now[name], _as_now(league, name)), *choices]
        if league.reveal_at:  # its turns are played at an hour of the day, and go on so
            del self.fields["pace"]
        if league.kind.knocks_out:
            del self.fields["every_days"], self.fields["legs"]
        if league.season == 1:
            self.fields = {"starts_at": self.fields["starts_at"]}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if self.errors or "ends_days" not in data:
            return data
        league = self.league
        pace = Pace(
            most=league.most_places,
            legs=data.get("legs", league.legs),
            every_days=data.get("every_days"),
            deadline_hours=hours_of(data["pace"])[0] if "pace" in data else league.deadline_hours,
            turns=usual_turns(league.game_slug, league.rules, preset_key_of(league), league.table_seats),
            table_seats=league.table_seats,
            cup_rounds=league.kind.rounds(league.most_places),
        )
        told = pace.why_too_short(data["ends_days"])
        if told:
            self.add_error("ends_days", told)
        return data

    @property
    def terms(self) -> dict[str, Any]:
        """The cleaned answers, keyed by the column names of `League`."""
        data = dict(self.cleaned_data)
        if "pace" in data:
            data["deadline_hours"], data["reserve_hours"] = hours_of(data.pop("pace"))
        return data


def _written(number: float | None) -> str:
    return "" if number is None else f"{number:g}"


def _as_now(league: League, name: str) -> str:
    if name == "pace":
        return _in_full(_hours(league.deadline_hours), league.reserve_hours)
    if name == "legs":
        return _("{n} times").format(n=league.legs)
    days = league.every_days if name == "every_days" else league.ends_days
    told = ngettext("%(n)s day", "%(n)s days", ceil(days or 0)) % {"n": _written(days)}
    return _("A new matchday after {days}").format(days=told) if name == "every_days" else told


def _in_full(time: str, reserve: float) -> str:
    """Returns the label of a pace: the time for a turn and, if there is one, the time reserve in hours."""
    if not reserve:
        return time
    return _("{hours}, and {reserve} of extra time").format(hours=time, reserve=_hours(reserve))


def _hours(number: float) -> str:
    return ngettext("%(n)s hour", "%(n)s hours", ceil(number)) % {"n": _written(number)}


def preset_key_of(league: League) -> str:
    return next(iter(league.game.presets_with(league.given_options)), "")


@require_http_methods(["GET", "HEAD", "POST"])
@secret
@unless_restricted(Action.PLAY)
@sent_once
def terms(request: Request, key: str) -> HttpResponse:
    """The page on which a season's organiser changes its terms; a POST changes them."""
    league, guest = league_with(key), current_guest(request)
    if not organises_it(request, league, guest):
        raise Http404
    form = TermsForm(league, request.POST if request.method == "POST" else None)
    try:
        next_season.check_terms_open(league)
        if request.method == "POST" and form.is_valid():
            next_season.change_terms(league, organises_in_lock(request, guest), **form.terms)
            return redirect(league)
    except match_flow.SeatLost:
        raise Http404 from None
    except match_flow.Refused as refusal:
        return league_page(request, league_with(key), str(refusal), status=409)
    status = 422 if form.errors else 200
    return render(request, "leagues/terms.html", {"league": league, "form": form}, status=status)
