"""The form with which a league or cup is made, and its checks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import GAMES, newest
from games.core import Game, Preset
from robosite.leagues.arithmetic import pairing
from robosite.leagues.formats import format_of
from robosite.leagues.models import LONGEST_NAME, League
from robosite.leagues.next_season import check_start
from robosite.leagues.terms import Pace, Terms, clean_league_name, usual_turns
from robosite.lobby.forms import AT_HOUR, LATE, HourFields, LateField, NameForm
from robosite.matches.flow import Refused
from robosite.people.names import RefusedName, clean_name

USUAL_CUP = 8
"""The maximum number of places of a cup, if the organiser chooses no number."""
MOST_BY_PAGE = 10
"""The most places of a league with matches of two made on the website, unless more friends are named."""


class StartField(forms.DateTimeField):
    """A field for the time at which a season starts by itself, in the reader's zone; it may stay empty."""

    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("Start (optional)"),
            required=False,
            widget=forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"}),
        )

    def clean(self, value: Any) -> datetime | None:
        starts_at: datetime | None = super().clean(value)
        try:
            check_start(starts_at)
        except Refused as refusal:
            raise forms.ValidationError(str(refusal)) from None
        return starts_at


class StartForm(forms.Form):
    starts_at = StartField()


@dataclass(frozen=True, slots=True)
class Playable:
    """A preset (a game with fixed options) as the form of a new league offers it."""

    value: str
    game: Game
    preset: Preset
    turns: int

    @property
    def is_usual(self) -> bool:
        """Returns True if the preset is the first, and so the usual, preset of its game."""
        return self.preset is next(iter(self.game.presets.values()))


class WayOut(NamedTuple):
    """An answer that would make the form valid: the field's name, the new value, and a button's label."""

    name: str
    value: str
    says: str


def playable() -> list[Playable]:
    """Returns the presets (named sets of options) of all games, in the newest version of the rules."""
    return [
        Playable(
            f"{slug}/{key}",
            newest(slug),
            preset,
            usual_turns(slug, newest(slug).rules, key, preset.seats[0]),
        )
        for slug in GAMES
        for key, preset in newest(slug).presets.items()
    ]


def hours_of(pace: str) -> tuple[float, float]:
    """Returns the hours for a turn and the hours of reserve for a match, from text such as `24` or `2+48`."""
    hours, _plus, reserve = pace.partition("+")
    return float(hours), float(reserve or 0)


class LeagueForm(HourFields, NameForm):
    """The form of a new league or cup: its name, its players, and all of its terms."""

    WHAT_FITS = (
        ("", gettext_lazy("A day, or less if it has to end sooner")),
        (AT_HOUR, gettext_lazy("Every evening, all together")),
    )
    SEVERAL_A_DAY = (
        ("2+48", gettext_lazy("2 hours")),
        ("3+48", gettext_lazy("3 hours")),
        ("5+48", gettext_lazy("5 hours")),
        ("8+48", gettext_lazy("8 hours")),
    )
    BY_AND_BY = (
        ("12", gettext_lazy("12 hours")),
        ("24", gettext_lazy("1 day")),
        ("48", gettext_lazy("2 days")),
        ("72", gettext_lazy("3 days")),
    )
    PACES = (*WHAT_FITS, *SEVERAL_A_DAY, *BY_AND_BY)
    PACE_GROUPS = (
        ("", WHAT_FITS),
        (gettext_lazy("Several turns a day, with two days of extra time per match"), SEVERAL_A_DAY),
        (gettext_lazy("Over days"), BY_AND_BY),
    )
    """The paces as the page shows them: pairs of a group's heading and its choices."""
    ENDS = (
        ("", gettext_lazy("Enough for all matches")),
        ("7", gettext_lazy("1 week")),
        ("14", gettext_lazy("2 weeks")),
        ("30", gettext_lazy("1 month")),
        ("60", gettext_lazy("2 months")),
        ("120", gettext_lazy("4 months")),
        ("180", gettext_lazy("6 months")),
        ("365", gettext_lazy("1 year")),
    )
    ROUNDS = (
        ("", gettext_lazy("All matches at once.")),
        ("3", gettext_lazy("A matchday every 3 days.")),
        ("7", gettext_lazy("A matchday every week.")),
    )
    LEGS = (
        ("1", gettext_lazy("Everyone plays everyone else once.")),
        ("2", gettext_lazy("Everyone plays everyone else twice, swapping sides.")),
    )

    title = forms.CharField(
        label=gettext_lazy("Name of the league or cup (optional)"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "maxlength": LONGEST_NAME}),
    )
    TABLES = (
        ("", gettext_lazy("The minimum")),
        ("3", "3"),
        ("4", "4"),
        ("5", "5"),
        ("6", "6"),
        ("7", "7"),
        ("8", "8"),
    )
    SCORING = (
        ("", gettext_lazy("The win. Players who share it share its points.")),
        ("places", gettext_lazy("The order of elimination, from the winner down.")),
    )

    FORMATS = (
        (League.Format.LEAGUE, gettext_lazy("League"), gettext_lazy("Everyone plays everyone else.")),
        (League.Format.CUP, gettext_lazy("Cup"), gettext_lazy("Lose and you’re out.")),
    )
    CUP_SIZES = (("4", "3–4"), ("8", "3–8"), ("16", "3–16"), ("32", "3–32"))
    OF_LEAGUES = ("seats", "scoring", "rounds", "legs")
    """The fields that apply to leagues only; a cup ignores them."""

    LATE = LATE
    late = LateField()
    kept = forms.BooleanField(required=False)
    format = forms.ChoiceField(choices=[one[:2] for one in FORMATS], required=False)
    cup_size = forms.ChoiceField(choices=CUP_SIZES, required=False)
    WHO = (
        ("", gettext_lazy("People, and the bots they give the link to.")),
        ("programs", gettext_lazy("API bots only, each under its own name. You organise and don’t play.")),
    )

    BOTS = (("", gettext_lazy("none")), ("1", "1"), ("2", "2"), ("3", "3"))
    """The numbers of bots that may play from the start; more can be added on the league's page."""

    plays = forms.ChoiceField(choices=[(one.value, one.value) for one in playable()])
    seats = forms.ChoiceField(label=gettext_lazy("Players per match"), choices=TABLES, required=False)
    scoring = forms.ChoiceField(choices=SCORING, required=False)
    who = forms.ChoiceField(choices=WHO, required=False)
    pace = forms.ChoiceField(choices=PACES, required=False)
    ends = forms.ChoiceField(choices=ENDS, required=False)
    rounds = forms.ChoiceField(choices=ROUNDS, required=False)
    legs = forms.ChoiceField(choices=LEGS, required=False)
    bots = forms.ChoiceField(choices=BOTS, required=False)
    names = forms.CharField(
        label=gettext_lazy("Your friends’ names (optional)"),
        max_length=2_000,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "aria-describedby": "names-hint"}),
    )

    def __init__(self, *args: Any, zone_here: str = "", **more: Any) -> None:
        """Makes the form; `zone_here` is the reader's time zone, or "" for the site's time zone."""
        super().__init__(*args, **more)
        self.zone_here = zone_here or settings.TIME_ZONE
        self.too_short = ""
        self.ways_out: list[WayOut] = []

    def clean_title(self) -> str:
        if not self.cleaned_data["title"].strip():
            return ""
        try:
            return clean_league_name(self.cleaned_data["title"])
        except RefusedName as fault:
            raise forms.ValidationError(str(fault)) from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        data["format"] = data.get("format") or League.Format.LEAGUE
        self.kind = format_of(data["format"])
        data["cup_size"] = int(data.get("cup_size") or USUAL_CUP) if self.kind.knocks_out else 0
        if self.kind.knocks_out:
            data.update(dict.fromkeys(self.OF_LEAGUES, ""))
        data["written"] = self._written(data)
        if "plays" in data:
            game = newest(data["plays"].partition("/")[0])
            data["title"] = data.get("title") or self.kind.usual_title.format(game=game.name)
            self._choose_table(data)
        if "pace" in data and data.get("plays") and "ends" in data:
            chosen = data["pace"]
            data["pace"] = chosen or self._slowest_pace(data)
            data["times"] = self.hour_terms(self.zone_here)
            if data["pace"] != AT_HOUR:
                hours, reserve = hours_of(data["pace"])
                data["times"] = {"deadline_hours": hours, "reserve_hours": reserve, "zone": self.zone_here}
            self._choose_ends(data, chosen)
        return data

    def _written(self, data: dict[str, Any]) -> list[str]:
        most = data["cup_size"] or pairing.MOST
        known = [data["name"]] if data.get("name") else []
        written = [name.strip() for name in re.split(r"[,;\n]+", data.get("names") or "") if name.strip()]
        if len(written) + len(known) > most:
            self.add_error("names", self.kind.too_many_names.format(n=most))
            return []
        for name in written:
            try:
                known.append(clean_name(name, known))
            except RefusedName as fault:
                self.add_error("names", str(fault))
                break
        return written

    def lengths(self) -> Iterator[tuple[str, str, str]]:
        """Yields each choice of `ends`, its label, and what it means for a turn; the form must be cleaned."""
        data, paces = self.cleaned_data, dict(self.PACES)
        for value, label in self.ENDS:
            says = ""
            if "table_seats" in data and not self.data.get("pace"):
                pace = self._slowest_pace({**data, "ends": value})
                says = _("{time} per turn").format(time=paces[pace])
                if value and self._pace(data, hours_of(pace)[0]).why_too_short(float(value)):
                    says = _("too short")
            yield value, str(label), says

    def said(self, name: str) -> str:
        """Returns the label of the answer in a field with choices."""
        return str(dict(self.fields[name].choices)[self.cleaned_data[name]])  # type: ignore[attr-defined]

    @property
    def has_valid_terms(self) -> bool:
        """Returns True if the length, the time for a turn and the number of places are known and valid."""
        return {"times", "ends", "most_places"} <= self.cleaned_data.keys() and not self.errors.keys() & {
            "ends",
            "plays",
            "seats",
        }

    def _slowest_pace(self, data: dict[str, Any]) -> str:
        if not data["ends"]:
            return "24"
        paces = [value for value, _label in self.PACES if value not in ("", AT_HOUR)]
        fits = (
            value
            for value in reversed(paces)
            if self._pace(data, hours_of(value)[0]).days_to_play <= float(data["ends"])
        )
        return next(fits, paces[0])

    def _terms(self, data: dict[str, Any], hours: float) -> Terms:
        slug, _slash, key = data["plays"].partition("/")
        game = newest(slug)
        return Terms(
            kind=self.kind,
            game=game,
            options=game.read_options(dict(game.presets[key].options)),
            places=data["most_places"],
            table_seats=data["table_seats"],
            deadline_hours=hours,
            ends_days=0,
            scoring=data.get("scoring") or League.Scoring.SHARES,
            legs=int(data.get("legs") or 1),
            every_days=int(data["rounds"]) if data.get("rounds") else None,
            turns=usual_turns(slug, game.rules, key, data["table_seats"]),
        )

    def _pace(self, data: dict[str, Any], deadline_hours: float) -> Pace:
        return self._terms(data, deadline_hours).pace

    def _choose_table(self, data: dict[str, Any]) -> None:
        slug, _slash, key = data["plays"].partition("/")
        preset = newest(slug).presets[key]
        seats = int(data.get("seats") or preset.seats[0])
        if seats not in preset.seats:
            least, most = preset.seats[0], preset.seats[-1]
            text = _("{preset} is for {least} to {most} players.")
            if least == most:
                text = _("{preset} is for {least} players.")
            text = text.format(preset=_(preset.name), least=least, most=most)
            self.add_error("seats", text)
            seats = least
        most_by_page = MOST_BY_PAGE if seats == 2 else pairing.largest_division(seats)
        data["table_seats"] = seats
        data["most_places"] = data["cup_size"] or max(most_by_page, 1 + len(data["written"]))
        data["least_places"] = self.kind.least_places(seats)
        for refused in self._terms(data, 24).refused():
            if refused.term != "ends_days":
                self.add_error("scoring" if refused.term == "scoring" else "plays", refused.says)

    def _choose_ends(self, data: dict[str, Any], chosen_pace: str) -> None:
        pace = self._pace(data, data["times"]["deadline_hours"])
        needed = pace.days_to_play
        fits = next(((value, label) for value, label in self.ENDS if value and float(value) >= needed), None)
        if fits and not data["ends"]:
            data["ends"] = fits[0]
        text = pace.why_too_short(float(data["ends"] or 0))
        if not text:
            return
        self.too_short = text
        self.ways_out = list(self._ways_out(data, fits, chosen_pace))
        advice = _("Choose less time per turn, or a shorter game.")
        if fits:
            advice = _("We’ve chosen “{choice}”. Send the form again if that suits you.").format(
                choice=fits[1]
            )
            again = QueryDict(mutable=True)
            again.update(self.data)
            again["ends"] = fits[0]
            self.data = again
        self.add_error("ends", f"{text} {advice}")

    def _ways_out(
        self, data: dict[str, Any], later: tuple[str, Any] | None, chosen_pace: str
    ) -> Iterator[WayOut]:
        if later:
            yield WayOut("ends", later[0], _("{time} instead").format(time=later[1]))
        days = float(data["ends"] or 0)
        if chosen_pace and self._fits(data, days):
            yield WayOut("pace", "", _("Less time per turn"))
        for size, _label in reversed(self.CUP_SIZES):
            smaller = {**data, "cup_size": int(size), "most_places": int(size)}
            if int(size) < data["cup_size"] and self._fits(smaller, days, chosen_pace):
                yield WayOut("cup_size", size, _("At most {n} players").format(n=size))
                return

    def _fits(self, data: dict[str, Any], days: float, pace: str = "") -> bool:
        hours = data["times"].get("deadline_hours") if pace else None
        if hours is None:
            hours, _reserve = hours_of(self._slowest_pace({**data, "ends": days}))
        return not self._pace(data, hours).why_too_short(days)
