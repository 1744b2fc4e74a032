"""The Django forms for names and for new matches."""

from __future__ import annotations

from collections.abc import Sequence
from random import SystemRandom
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.forms.utils import ErrorDict
from django.utils.dates import WEEKDAYS
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import GAMES, newest
from games.core import Game, IllegalOption, seat_letters
from games.players import PLAYERS, USUAL
from robosite.lobby import questions
from robosite.lobby.game_lists import Invitable
from robosite.matches.models import FORMER_WORDS, Match
from robosite.matches.time import evenings
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name
from robosite.people.zones import is_zone
from robosite.web.sentences import render_sentence


class NameForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=200,
        error_messages={"required": gettext_lazy("Please enter a name.")},
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
        """Makes the form; `others` are the names taken in the match with the primary key `table`."""
        super().__init__(*args, **kwargs)
        self.others, self.guest, self.table = others, guest, table

    @classmethod
    def for_guest(cls, guest: Guest | None) -> NameForm:
        return cls(initial={"name": guest.name if guest else ""})

    def clean_name(self) -> str:
        try:
            return clean_name(self.cleaned_data["name"], self.others, guest=self.guest, table=self.table)
        except RefusedName as fault:
            raise forms.ValidationError(str(fault)) from None


LATE = (
    ("wait", gettext_lazy("Others can claim the win, or go on without the late player.")),
    ("bot", gettext_lazy("A simple bot plays the turn.")),
    ("draft", gettext_lazy("The draft is played if it’s complete; otherwise a simple bot plays the turn.")),
    ("out", gettext_lazy("The late player loses.")),
)
"""The ways to treat a late player, with the words of the form for a match and of that for a league."""


class LateField(forms.ChoiceField):
    """The field for what happens to a late player; accepts former words, which open forms may still send."""

    def __init__(self) -> None:
        super().__init__(choices=LATE, required=False)

    def to_python(self, value: object) -> str:
        return FORMER_WORDS.get(str(value), super().to_python(value))


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
        """Returns the chosen hour, days and time zone as values for the columns of a match or league."""
        data = self.cleaned_data
        hour = f"{data['hour']:%H:%M}" if data.get("hour") else USUAL_HOUR
        days = data.get("days") or self.DAYS[0][0]
        return evenings.terms_of(hour, data.get("zone") or zone, map(int, days))


SET_AT_FIRST = {"deadline": "168", "series": "", "watched": "yes"}
"""The default values of the settings that `NewMatchForm.summary` always includes, by field name."""


class NewMatchForm(HourFields, NameForm):
    """The form for a new match; the module `questions` parses the fields that depend on the game.

    `deadline` is a number of hours, or of minutes followed by "m", or AT_HOUR or UNLIMITED.
    """

    UNLIMITED = "none"
    USUAL_DEADLINES = (
        ("15m", gettext_lazy("15 min")),
        ("24", gettext_lazy("1 day")),
        ("72", gettext_lazy("3 days")),
        ("168", gettext_lazy("1 week")),
    )

    TOGETHER = (
        ("1m", gettext_lazy("1 min")),
        ("5m", gettext_lazy("5 min")),
        ("1", gettext_lazy("1 hour")),
    )
    """More deadlines for players who spend an evening together."""
    BY_AND_BY = (
        ("12", gettext_lazy("12 hours")),
        ("48", gettext_lazy("2 days")),
        ("336", gettext_lazy("2 weeks")),
    )
    """More deadlines for matches over days or weeks."""
    EVENING = ((AT_HOUR, gettext_lazy("Every evening, all together")),)
    UNTIMED = ((UNLIMITED, gettext_lazy("No time limit")),)
    DEADLINES = (*USUAL_DEADLINES, *EVENING, *UNTIMED, *TOGETHER, *BY_AND_BY)
    MORE_DEADLINES = (
        ("", UNTIMED),
        (gettext_lazy("In one sitting"), TOGETHER),
        (gettext_lazy("Over days"), BY_AND_BY),
    )
    """The unusual deadlines as the page shows them: the heading of each group, and its choices."""
    RESERVES = (
        ("", gettext_lazy("No extra time")),
        ("12", gettext_lazy("12 hours")),
        ("24", gettext_lazy("1 day")),
        ("72", gettext_lazy("3 days")),
        ("168", gettext_lazy("1 week")),
        ("336", gettext_lazy("2 weeks")),
        ("720", gettext_lazy("30 days")),
    )
    RESERVE_GROUPS = (("", RESERVES[:1]), ("", RESERVES[1:]))
    LATE = LATE
    WATCHED = (
        ("yes", gettext_lazy("Anyone with the link")),
        ("no", gettext_lazy("Players only")),
    )

    SERIES = (
        ("", gettext_lazy("One match")),
        ("3", gettext_lazy("Best of three (sides swap)")),
        ("5", gettext_lazy("Best of five (sides swap)")),
        ("pair", gettext_lazy("Two at once, one from each side (2 players)")),
    )

    BRIEFLY: ClassVar[dict[str, Any]] = {
        "yes": gettext_lazy("with spectators"),
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
    deadline = forms.ChoiceField(choices=[("", ""), *DEADLINES], required=False)
    reserve = forms.ChoiceField(choices=RESERVES, required=False)
    late = LateField()
    weekends = forms.BooleanField(required=False)
    kept = forms.BooleanField(required=False)
    watched = forms.ChoiceField(choices=WATCHED, required=False)
    series = forms.ChoiceField(choices=SERIES, required=False)
    friend = forms.CharField(max_length=40, required=False)
    bot = forms.ChoiceField(choices=[(key, key) for key in PLAYERS], required=False)

    def __init__(
        self, *args: Any, checked: bool = True, friends: Sequence[Invitable] = (), **kwargs: Any
    ) -> None:
        """Makes the form; unless `checked`, it is not validated. Against bots, the name is optional."""
        super().__init__(*args, **kwargs)
        self.checked, self.friends = checked, friends
        if self.data.get("with") == "bot":  # no other person would read it
            self.fields["name"].required = False

    def clean_name(self) -> str:
        return super().clean_name() if self.cleaned_data["name"].strip() else ""

    @property
    def late_chosen(self) -> str:
        """The answer to show as chosen for `late`; "" if there is none."""
        value = self["late"].value()
        return FORMER_WORDS.get(value, value) or ""

    def deadline_briefly(self, value: str, label: str) -> str:
        """A short text for a choice of the field `deadline`, such as “12 hours per turn”."""
        return label if value in (self.UNLIMITED, AT_HOUR) else _("{time} per turn").format(time=label)

    def reserve_briefly(self, value: str, label: str) -> str:
        """A short text for a choice of the field for time reserves; "" for no reserve."""
        return _("extra time: {time}").format(time=label) if value else ""

    def summary(self) -> list[str]:
        """Short texts for the chosen deadline, reserve (if there is one), series, and permission to watch."""
        given = {name: self[name].value() or default for name, default in SET_AT_FIRST.items()}
        deadline = dict(self.DEADLINES).get(given["deadline"], "")
        reserve = str(self["reserve"].value() or "")
        times = [
            self.deadline_briefly(given["deadline"], str(deadline)),
            self.reserve_briefly(reserve, str(dict(self.RESERVES).get(reserve, ""))),
        ]
        return [one for one in times if one] + [
            str(self.BRIEFLY[given[name]]) for name in ("series", "watched") if given[name] in self.BRIEFLY
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
        data["invited"] = self._invited(data)
        if self.data.get("with") == "bot":
            data["bots"] = self._bots(chosen, data.get("bot") or USUAL)
        data["game"] = game
        data["listed"] = settings.OPEN_TABLES and self.data.get("with") == "open"
        data["at_hour"] = data.get("deadline") == AT_HOUR
        timed = data.get("deadline") not in (None, "", self.UNLIMITED, AT_HOUR)
        data["hours"] = _hours(data["deadline"]) if timed else None
        data["reserve_hours"] = float(data.get("reserve") or 0) if data["hours"] is not None else 0
        data["weekends"] = bool(data.get("weekends")) and data["hours"] is not None
        data["late"] = data.get("late") or Match.Late.WAIT
        if data["at_hour"] and data["late"] == Match.Late.WAIT:  # the hour waits for nobody
            data["late"] = Match.Late.DRAFT
        return data

    def _invited(self, data: dict[str, Any]) -> Invitable | None:
        """Returns the person whom the form invites, or None; adds an error if they cannot be invited."""
        friend = data.get("friend") if self.data.get("with", "link") == "link" else ""
        found = next((one for one in self.friends if one.value == friend), None)
        if friend and found is None:
            self.add_error("friend", _("You can’t invite this person now. Send the link instead."))
        elif found and data["seats"] != 2:
            self.add_error("friend", _("This invites one person: choose two players, or send the link."))
        return found

    def _add_board(self, game: Game, chosen: questions.Chosen) -> None:
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
        """The checked names of the others at this device; raises RefusedName for a wrong one, or for none."""
        if self.data.get("with") == "here" and not here:
            raise RefusedName(_("Please enter the name of someone who plays on this device."))
        names: list[str] = [self.cleaned_data["name"]] if "name" in self.cleaned_data else []
        own = len(names)
        for name in here:
            names.append(clean_name(name, names, guest=self.guest))
        return names[own:]

    def _bots(self, chosen: questions.Chosen, player: str) -> dict[str, str]:
        """Maps each seat but the creator's, which may be drawn by lot here, to the bot `player`."""
        letters = seat_letters(chosen.seats)
        at = SystemRandom().choice(letters) if chosen.at == questions.LOT else chosen.at
        chosen.at = str(at)
        return {letter: player for letter in letters if letter != at}

    def _room(self, game: Game, chosen: questions.Chosen, people: int) -> int:
        """The number of seats: the chosen one or, if larger, `people`; raises NotOffered if too large."""
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
