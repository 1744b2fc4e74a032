"""Checks of the form in which a league is made."""

from __future__ import annotations

import re
from math import ceil
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import GAMES, newest
from robosite.leagues import pairing
from robosite.leagues.league_names import clean_league_name
from robosite.leagues.models import LONGEST_NAME
from robosite.leagues.pace import days_to_play, least_days, usual_turns
from robosite.lobby.forms import NameForm
from robosite.people.names import RefusedName, clean_name

MOST_BY_PAGE = 10
"""The most places of a league that is made by its page: one division."""


def presets_of_two() -> list[tuple[str, str, str, int]]:
    """The presets that two can play: value of the form, names of game and preset, usual number of turns."""
    return [
        (f"{slug}/{key}", newest(slug).name, preset.name, usual_turns(slug, newest(slug).rules, key))
        for slug in GAMES
        for key, preset in newest(slug).presets.items()
        if 2 in preset.seats
    ]


class LeagueForm(NameForm):
    """A new league: its name, what is played, at which pace, and until when."""

    PACES = (
        ("12", gettext_lazy("Twelve hours")),
        ("24", gettext_lazy("A day")),
        ("48", gettext_lazy("Two days")),
        ("72", gettext_lazy("Three days")),
    )
    ENDS = (
        ("", gettext_lazy("As long as the pace needs")),
        ("14", gettext_lazy("Two weeks")),
        ("30", gettext_lazy("A month")),
        ("60", gettext_lazy("Two months")),
        ("120", gettext_lazy("Four months")),
        ("180", gettext_lazy("Half a year")),
        ("365", gettext_lazy("A year")),
    )
    ROUNDS = (
        ("", gettext_lazy("All matches at once.")),
        ("3", gettext_lazy("A round every three days.")),
        ("7", gettext_lazy("A round every week.")),
    )
    LEGS = (
        ("1", gettext_lazy("Everybody plays everybody once.")),
        ("2", gettext_lazy("Everybody plays everybody twice, changing sides.")),
    )

    title = forms.CharField(
        label=gettext_lazy("Name of the league"),
        max_length=200,
        error_messages={"required": gettext_lazy("Please type a name for the league.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "maxlength": LONGEST_NAME}),
    )
    plays = forms.ChoiceField(choices=[(value, value) for value, *_names in presets_of_two()])
    pace = forms.ChoiceField(choices=PACES, initial="24")
    ends = forms.ChoiceField(choices=ENDS, required=False)
    rounds = forms.ChoiceField(choices=ROUNDS, required=False)
    legs = forms.ChoiceField(choices=LEGS, required=False)
    names = forms.CharField(
        label=gettext_lazy("Who is expected? Names separated by commas"),
        max_length=2_000,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def clean_title(self) -> str:
        try:
            return clean_league_name(self.cleaned_data["title"])
        except RefusedName as fault:
            raise forms.ValidationError(str(fault)) from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        known = [data["name"]] if data.get("name") else []
        written = [name for name in re.split(r"[,;\n]+", data.get("names") or "") if name.strip()]
        if len(written) + len(known) > pairing.MOST:
            self.add_error("names", _("A league has at most {n} places.").format(n=pairing.MOST))
            written = []
        for name in written:
            try:
                known.append(clean_name(name, known))
            except RefusedName as fault:
                self.add_error("names", str(fault))
                break
        data["written"] = [name.strip() for name in written]
        if data.get("pace") and data.get("plays") and "ends" in data:
            self._choose_ends(data)
        return data

    def _choose_ends(self, data: dict[str, Any]) -> None:
        """Chooses the last day, if that is left to the pace; a chosen one that is too early is refused.

        The form that comes back then has one that fits.
        """
        slug, _slash, key = data["plays"].partition("/")
        turns = usual_turns(slug, newest(slug).rules, key)
        pace = float(data["pace"])
        most, legs = max(MOST_BY_PAGE, 1 + len(data["written"])), int(data.get("legs") or 1)
        every = int(data["rounds"]) if data.get("rounds") else None
        needed, least = (days(most, legs, every, pace, turns) for days in (days_to_play, least_days))
        fits = next(((value, label) for value, label in self.ENDS if value and float(value) >= needed), None)
        if fits and not data["ends"]:
            data["ends"] = fits[0]
        if data["ends"] and float(data["ends"]) >= least:
            return
        for_rounds = pairing.days_needed(most, legs, every, pace)
        if every and float(data["ends"] or 0) < for_rounds:
            told = _("So many rounds need {days} days.").format(days=ceil(for_rounds))
        else:
            told = _("Such a match often takes {turns} turns: at this pace the league may need {days} days.")
            told = told.format(turns=turns, days=ceil(needed))
        advice = _("Choose a quicker pace.")
        if fits:
            advice = _("“{choice}” is chosen now. Send the form again, or choose a quicker pace.")
            advice = advice.format(choice=fits[1])
            again = QueryDict(mutable=True)
            again.update(self.data)
            again["ends"] = fits[0]
            self.data = again
        self.add_error("ends", f"{told} {advice}")
