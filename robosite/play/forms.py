"""Django forms for players, except the planner's form."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy


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
