"""The Django forms for names and for new matches."""

from __future__ import annotations

from random import SystemRandom
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.forms.utils import ErrorDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import GAMES, newest
from games.core import Game, IllegalOption, seat_letters
from games.players import PLAYERS, USUAL
from robosite.lobby import questions
from robosite.lobby.hour_fields import AT_HOUR, HourFields
from robosite.matches.models import Match
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name
from robosite.web.sentences import render_sentence


class NameForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=200,
        error_messages={"required": gettext_lazy("Please type a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "maxlength": 60}),
    )

    def __init__(
        self,
        *args: Any,
        others: tuple[str, ...] = (),
        guest: Guest | None = None,
        table: int | None = None,
        **kwargs: Any,
    ) -> None:
        """The form for the name that `guest` wants in a match.

        `table` is the match's primary key; None while the match does not exist. `others` are the names of the
        other players in the match.
        """
        super().__init__(*args, **kwargs)
        self.others, self.guest, self.table = others, guest, table

    def clean_name(self) -> str:
        try:
            return clean_name(self.cleaned_data["name"], self.others, guest=self.guest, table=self.table)
        except RefusedName as fault:
            raise forms.ValidationError(str(fault)) from None


SET_AT_FIRST = {"deadline": "", "watched": "yes", "series": ""}
"""The default values of the settings that `NewMatchForm.summary` always includes, by field name."""


class NewMatchForm(HourFields, NameForm):
    """The form for a new match; the module `questions` parses the fields that depend on the game.

    The value of `deadline` is a number of hours, a number of minutes followed by "m", AT_HOUR, or "" for no
    deadline.
    """

    TOGETHER = (
        ("1m", gettext_lazy("1 min")),
        ("5m", gettext_lazy("5 min")),
        ("15m", gettext_lazy("15 min")),
        ("1", gettext_lazy("1 hour")),
    )
    """Deadlines for players who spend an evening together."""
    BY_AND_BY = (
        ("12", gettext_lazy("12 hours")),
        ("24", gettext_lazy("1 day")),
        ("48", gettext_lazy("2 days")),
        ("72", gettext_lazy("3 days")),
        ("168", gettext_lazy("1 week")),
        ("336", gettext_lazy("2 weeks")),
    )
    """Deadlines for matches over days or weeks."""
    UNTIMED = (("", gettext_lazy("No deadline")), (AT_HOUR, gettext_lazy("Until a set time of day")))
    DEADLINES = (*UNTIMED, *TOGETHER, *BY_AND_BY)
    DEADLINE_GROUPS = (
        ("", UNTIMED),
        (gettext_lazy("For an evening together"), TOGETHER),
        (gettext_lazy("Over days and weeks"), BY_AND_BY),
    )
    """The deadlines as the page shows them: the heading of each group, and its choices."""
    RESERVES = (
        ("", gettext_lazy("No reserve")),
        ("12", gettext_lazy("12 hours")),
        ("24", gettext_lazy("1 day")),
        ("72", gettext_lazy("3 days")),
        ("168", gettext_lazy("1 week")),
        ("336", gettext_lazy("2 weeks")),
        ("720", gettext_lazy("30 days")),
    )
    RESERVE_GROUPS = (("", RESERVES[:1]), ("", RESERVES[1:]))
    LATE = (
        ("claim", gettext_lazy("The others may stop waiting, and the late player then counts as resigned.")),
        (
            "fill",
            gettext_lazy("The draft is played if it is complete; otherwise a simple bot plays the turn."),
        ),
        ("forfeit", gettext_lazy("A late player resigns.")),
    )
    WATCHED = (
        ("yes", gettext_lazy("Watchers are welcome.")),
        ("no", gettext_lazy("Players only: nobody else sees anything.")),
    )

    SERIES = (
        ("", gettext_lazy("One match.")),
        ("3", gettext_lazy("Best of three, sides changed after each.")),
        ("5", gettext_lazy("Best of five, sides changed after each.")),
        ("pair", gettext_lazy("A pair at once, one from each side (for two players).")),
    )

    BRIEFLY: ClassVar[dict[str, Any]] = {
        "yes": gettext_lazy("with watchers"),
        "no": gettext_lazy("players only"),
        "": gettext_lazy("single match"),
        "3": gettext_lazy("best of three"),
        "5": gettext_lazy("best of five"),
        "pair": gettext_lazy("a pair of matches"),
    }
    """Short texts for the values of WATCHED and SERIES."""
    BOTS = tuple(PLAYERS.items())

    game = forms.ChoiceField(choices=[(slug, newest(slug).name) for slug in GAMES])
    here = forms.CharField(
        label=gettext_lazy("Who else plays on this device?"),
        max_length=400,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "maxlength": 400}),
    )
    deadline = forms.ChoiceField(choices=DEADLINES, required=False)
    reserve = forms.ChoiceField(choices=RESERVES, required=False)
    late = forms.ChoiceField(choices=LATE, required=False)
    weekends = forms.BooleanField(required=False)
    open = forms.BooleanField(required=False)
    watched = forms.ChoiceField(choices=WATCHED, required=False)
    series = forms.ChoiceField(choices=SERIES, required=False)
    bot = forms.ChoiceField(choices=[(key, key) for key in PLAYERS], required=False)

    def __init__(self, *args: Any, checked: bool = True, **kwargs: Any) -> None:
        """Makes the form; with `checked=False`, the form is not validated but shown as it was sent.

        If the form is for a match against bots, the name may be empty.
        """
        super().__init__(*args, **kwargs)
        self.checked = checked
        if self.data.get("with") == "bot":  # no other person would read it
            self.fields["name"].required = False

    def clean_name(self) -> str:
        return super().clean_name() if self.cleaned_data["name"].strip() else ""

    def deadline_briefly(self, value: str, label: str) -> str:
        """A short text for a choice of the field `deadline`, such as “12 hours a turn”.

        `value` is the choice's value in DEADLINES, and `label` its label.
        """
        return _("{time} a turn").format(time=label) if value and value != AT_HOUR else label

    def reserve_briefly(self, value: str, label: str) -> str:
        """A short text for a choice of the field for time reserves; "" for no reserve.

        `value` is the choice's value in RESERVES, and `label` its label.
        """
        return _("reserve: {time}").format(time=label) if value else ""

    def summary(self) -> list[str]:
        """Short texts for the chosen deadline, reserve (if there is one), permission to watch, and series."""
        given = {name: self[name].value() or default for name, default in SET_AT_FIRST.items()}
        deadline = dict(self.DEADLINES).get(given["deadline"], self.UNTIMED[0][1])
        reserve = str(self["reserve"].value() or "")
        times = [
            self.deadline_briefly(given["deadline"], str(deadline)),
            self.reserve_briefly(reserve, str(dict(self.RESERVES).get(reserve, ""))),
        ]
        return [one for one in times if one] + [
            str(self.BRIEFLY[given[name]]) for name in ("watched", "series") if given[name] in self.BRIEFLY
        ]

    def full_clean(self) -> None:
        if self.checked:
            super().full_clean()
        else:
            self._errors = ErrorDict()

    def clean_here(self) -> list[str]:
        """Splits the text of the field `here` (names of people who share the device) at commas."""
        return [name.strip() for name in self.cleaned_data["here"].split(",") if name.strip()]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if "game" not in data:
            return data
        game = newest(data["game"])
        here = data.get("here", []) if self.data.get("with") == "here" else []
        try:
            chosen = questions.parse_choices(game, self.data)
        except questions.NotOffered as fault:
            raise forms.ValidationError(str(fault)) from None
        self._add_board(game, chosen)
        try:
            data["names"] = self._names(here)
            data["seats"] = self._room(game, chosen, 1 + len(here))
            data["chosen"] = chosen
        except (questions.NotOffered, RefusedName) as fault:
            self.add_error("here" if here or self.data.get("with") == "here" else None, str(fault))
            return data
        if data.get("series") == "pair" and data["seats"] != 2:
            self.add_error("series", _("A pair of matches is for two players."))
            return data
        if self.data.get("with") == "bot":
            data["bots"] = self._bots(chosen, data.get("bot") or USUAL)
        data["game"] = game
        by_link = self.data.get("with") in (None, "", "link")
        data["listed"] = settings.OPEN_TABLES and by_link and bool(data.get("open"))
        data["at_hour"] = data.get("deadline") == AT_HOUR
        data["hours"] = None if data["at_hour"] or not data.get("deadline") else _hours(data["deadline"])
        data["reserve_hours"] = float(data.get("reserve") or 0) if data["hours"] is not None else 0
        data["weekends"] = bool(data.get("weekends")) and data["hours"] is not None
        data["late"] = Match.Late.FILL if data["at_hour"] else data.get("late") or Match.Late.CLAIM
        return data

    def _add_board(self, game: Game, chosen: questions.Chosen) -> None:
        """Adds a board drawn by hand to `chosen.wish`, if the form has such a board.

        Adds errors to the form instead if the board is not valid, if it has warnings that were not accepted,
        or if other parts of the setup were set by hand as well.
        """
        sketch = game.sketch(self.data) if self.data.get("board-own") else None
        if sketch is None:
            return
        if sketch.setup is None:
            self.add_error(None, render_sentence(sketch.fault))
        elif chosen.wish:
            self.add_error(
                None, _("On a board of your own you draw the arrows yourself, or leave them to chance.")
            )
        elif sketch.warnings and not self.data.get("board-anyway"):
            for warning in sketch.warnings:
                self.add_error(None, render_sentence(warning))
        else:
            chosen.wish |= sketch.setup

    def _names(self, here: list[str]) -> list[str]:
        """The checked names of the other people at this device; `here` has the names as typed.

        Raises RefusedName if a name cannot be used, or is too similar to the creator's or to an earlier one.
        Also raises RefusedName if `here` is empty though the creator wants to play with others at this
        device.
        """
        if self.data.get("with") == "here" and not here:
            raise RefusedName(_("Please type the name of somebody who plays on this device."))
        names: list[str] = [self.cleaned_data["name"]] if "name" in self.cleaned_data else []
        own = len(names)
        for name in here:
            names.append(clean_name(name, names, guest=self.guest))
        return names[own:]

    def _bots(self, chosen: questions.Chosen, player: str) -> dict[str, str]:
        """Maps the letter of every seat except the creator's to the bot `player`.

        If the creator's seat is to be drawn by lot, draws it and stores it in `chosen.at`.
        """
        letters = seat_letters(chosen.seats)
        at = SystemRandom().choice(letters) if chosen.at == questions.LOT else chosen.at
        chosen.at = str(at)
        return {letter: player for letter in letters if letter != at}

    def _room(self, game: Game, chosen: questions.Chosen, people: int) -> int:
        """The number of seats: the chosen number, or `people` if that is larger.

        `people` is the number of people at this device, including the creator. Raises NotOffered if `people`
        is larger and the game does not allow so many players with the chosen options.
        """
        if people <= chosen.seats:
            return chosen.seats
        try:
            game.check_seats(chosen.options, people)
        except IllegalOption as fault:
            raise questions.NotOffered(render_sentence(fault.sentence)) from None
        return people


def _hours(deadline: str) -> float:
    """Converts a value of the field `deadline` into hours: "24" is 24 hours, and "30m" is half an hour."""
    minutes = deadline.removesuffix("m")
    return float(deadline) if minutes == deadline else float(minutes) / 60
