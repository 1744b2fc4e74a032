"""Form fields for the hour of the day at which turns are played, for matches and for leagues."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.dates import WEEKDAYS
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from robosite.matches.time import evenings
from robosite.people.zones import is_zone

AT_HOUR = "hour"
"""The value of the field `deadline` with which turns are played at a set hour of the day."""
USUAL_HOUR = "20:00"


class HourFields(forms.Form):
    """The fields for the hour, days and time zone of turns; they matter only if the deadline is AT_HOUR."""

    DAYS = (
        ("0123456", gettext_lazy("every day")),
        ("01234", gettext_lazy("Monday to Friday")),
        ("56", gettext_lazy("Saturday and Sunday")),
        ("024", format_lazy("{}, {}, {}", WEEKDAYS[0], WEEKDAYS[2], WEEKDAYS[4])),
        *((str(day), name) for day, name in WEEKDAYS.items()),
    )

    hour = forms.TimeField(
        required=False,
        input_formats=["%H:%M"],
        error_messages={"invalid": gettext_lazy("Please enter a time such as 20:00.")},
    )
    days = forms.ChoiceField(choices=DAYS, required=False)
    zone = forms.CharField(max_length=64, required=False)

    def clean_zone(self) -> str:
        zone: str = self.cleaned_data["zone"]
        if zone and not is_zone(zone):
            raise forms.ValidationError(_("There’s no such time zone. Please choose one from the list."))
        return zone

    def hour_terms(self, zone: str) -> dict[str, Any]:
        """Returns the chosen hour, days and time zone as values for the columns of a match or league.

        Empty fields stand for USUAL_HOUR, for all days, and for `zone`.
        """
        data = self.cleaned_data
        hour = f"{data['hour']:%H:%M}" if data.get("hour") else USUAL_HOUR
        days = data.get("days") or self.DAYS[0][0]
        return evenings.terms_of(hour, data.get("zone") or zone, map(int, days))
