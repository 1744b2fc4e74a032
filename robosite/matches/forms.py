"""What people type, checked."""

from __future__ import annotations

from typing import Any

from django import forms

from games import GAMES, newest
from games.core import IllegalOption
from robosite.people.names import RefusedName, clean_name


class NameForm(forms.Form):
    name = forms.CharField(
        label="Your name",
        max_length=200,
        error_messages={"required": "Please type a name."},
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "maxlength": 60}),
    )

    def __init__(self, *args: Any, others: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.others = others

    def clean_name(self) -> str:
        try:
            return clean_name(self.cleaned_data["name"], self.others)
        except RefusedName as fault:
            raise forms.ValidationError(str(fault)) from None


class NewMatchForm(NameForm):
    game = forms.ChoiceField(choices=[(slug, newest(slug).name) for slug in GAMES], initial=next(iter(GAMES)))
    seats = forms.TypedChoiceField(
        label="Players", coerce=int, choices=[(n, str(n)) for n in range(2, 5)], initial=2
    )
    preset = forms.CharField(initial="standard", widget=forms.HiddenInput, required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if "game" not in data or "seats" not in data:
            return data
        game = newest(data["game"])
        preset = game.presets.get(data.get("preset") or next(iter(game.presets)))
        if preset is None:
            raise forms.ValidationError("This game has no such variant.")
        try:
            data["options"] = game.read_options(preset.options)
            game.check_seats(data["options"], data["seats"])
        except IllegalOption as fault:
            raise forms.ValidationError(str(fault)) from None
        data["rules"] = game
        return data
