"""Texts that depend on how a game is played (`Game.manner`); templates write `{{ phrase("seal") }}`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_noop as _

from games.core import Game
from robosite.web.sentences import translated


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Texts about a match, by name, such as `seal`; by default for games in which players act in turn."""

    turn: str = _("Turn {n}")
    turn_against: str = _("Turn {n} · {who}")
    yours: str = _("Your turn")
    as_text: str = _("Your turn as text")
    seal: str = _("Play this turn")
    seal_early: str = _("Seal")
    word: str = _("Message with turn")
    word_kept: str = _("Your message for this turn is saved.")
    word_hint: str = _("Everyone can read it once your turn is played. Until then no one knows about it.")
    # what is wanted of whom
    plan_first_summary: str = _("Plan my first turn")
    plan_first: str = _("You can plan your first turn in the meantime.")
    sealed_early: str = _("Your first turn is sealed.")
    plan_now: str = _("It’s your turn.")
    plan_last: str = _("It’s your turn.")
    plan_last_of_two: str = _("It’s your turn.")
    seal_last: str = ""
    planning: str = _("to play")
    time_over: str = _("Time’s up for this turn.")
    watching: str = _("You’re watching. Each turn appears as soon as it’s played.")
    # what is sent for another turn than the present one
    gone: str = _("This turn has already been played; look at the board.")
    gone_otherwise: str = _("This turn was played differently; look at the board.")
    gone_without: str = _("This turn was played without this message; look at the board.")
    to_come: str = _("This turn hasn’t started yet; look at the board.")
    # a draft, and a seal
    draft_early: str = _("Draft saved. You can seal it now; it’s played once everyone has joined.")
    draft: str = _("Draft saved – only you can see it.")
    filled: str = _(
        "At the deadline your draft is played if it’s complete; otherwise a simple bot plays for you."
    )
    filled_for_others: str = _(
        "Then their draft is played if it’s complete; otherwise a simple bot plays for them."
    )
    bot_plays: str = _("At the deadline a simple bot plays this turn for you.")
    bot_plays_for_others: str = _("Then a simple bot plays this turn for whoever is late.")
    forfeits: str = _("A player who hasn’t played by the deadline loses.")
    reopen_early: str = _("You can reopen it until everyone has joined.")
    reopen: str = _("You can reopen it until it’s played.")
    # what happened
    happened: str = _("What happened in turn {n}")
    steps: str = _("Steps of this turn")
    on_board: str = _("Turn {n} of {all}")
    all_turns: str = _("All turns")
    current: str = _("Current turn")
    older: str = _("Older turns")
    newer: str = _("Newer turns")
    offer_stands: str = _("An offer stands until the next turn has been played.")
    seals: str = _(
        "Each turn was sealed when it was played. Recompute the seal: SHA-256 over these six lines, "
        "separated by line feeds, with none at the end."
    )
    played: Any = ngettext_lazy("one turn played", "%(n)s turns played", "n")  # noqa: RUF009
    since: Any = ngettext_lazy(  # noqa: RUF009
        "This turn has been played since your last visit.",
        "%(n)s turns have been played since your last visit.",
        "n",
    )

    def say(self, what: str, **facts: object) -> str:
        words = getattr(self, what)
        if isinstance(words, Promise):  # one and many, by the number `n`
            return str(words % facts)
        return translated(words).format(**facts)


TURNS = Wording()

ORDERS = replace(
    TURNS,
    yours=_("Your orders"),
    as_text=_("Your orders as text"),
    seal=_("Seal"),
    word=_("Message for the reveal"),
    word_kept=_("Your message for the reveal is saved."),
    word_hint=_(
        "It’s sealed with your plan, and everyone can read it at the reveal. Until then no one knows "
        "about it."
    ),
    sealed_early=_("Your orders are sealed."),
    plan_last=_("Everyone else has sealed."),
    plan_last_of_two=_("{who} has sealed."),
    seal_last=_("Seal yours to reveal the turn."),
    planning=_("planning"),
    watching=_("You’re watching. Orders appear once all are sealed."),
    draft_early=_("Draft saved. You can seal it now; it’s revealed once everyone has joined and sealed."),
    forfeits=_("A player who hasn’t sealed by the deadline loses."),
    reopen_early=_("You can reopen it until everyone has joined and sealed."),
    reopen=_("You can reopen it until everyone has sealed. Missing: {who}."),
    seals=_(
        "All orders were sealed before any were shown. Recompute the seal: SHA-256 over these six lines, "
        "separated by line feeds, with none at the end."
    ),
)

ROUNDS = replace(
    ORDERS,
    turn=_("Round {n}"),
    turn_against=_("Round {n} · {who}"),
    yours=_("Your program"),
    as_text=_("Your program as text"),
    plan_first_summary=_("Plan my first round"),
    plan_first=_("You can plan your first round in the meantime."),
    sealed_early=_("Your program is sealed."),
    seal_last=_("Seal yours to reveal the round."),
    time_over=_("Time’s up for this round."),
    watching=_("You’re watching. Programs appear once all are sealed."),
    gone=_("This round has already been played; look at the board."),
    gone_otherwise=_("This round was played with another program; look at the board."),
    gone_without=_("This round was played without this message; look at the board."),
    to_come=_("This round hasn’t started yet; look at the board."),
    happened=_("What happened in round {n}"),
    steps=_("Steps of this round"),
    on_board=_("Round {n} of {all}"),
    all_turns=_("All rounds"),
    current=_("Current round"),
    older=_("Older rounds"),
    newer=_("Newer rounds"),
    offer_stands=_("An offer stands until the next round has been played."),
    seals=_(
        "Each program was sealed before any was shown. Recompute the seal: SHA-256 over these six lines, "
        "separated by line feeds, with none at the end."
    ),
    played=ngettext_lazy("one round played", "%(n)s rounds played", "n"),
    since=ngettext_lazy(
        "This round has been played since your last visit.",
        "%(n)s rounds have been played since your last visit.",
        "n",
    ),
)

MANNERS = {"turns": TURNS, "orders": ORDERS, "rounds": ROUNDS}


def _at_hours(base: Wording) -> Wording:
    return replace(
        base,
        seal=_("Seal") if base is TURNS else base.seal,
        plan_last=base.plan_now,
        plan_last_of_two=base.plan_now,
        seal_last="",
        draft_early=_("Draft saved. You can seal it now."),
        filled=_("Then your draft is played if it’s complete; otherwise a simple bot plays for you."),
        reopen_early=TURNS.reopen,
        reopen=TURNS.reopen,
        watching=_("You’re watching. Each turn appears at the hour when it’s played."),
    )


AT_HOURS = {manner: _at_hours(words) for manner, words in MANNERS.items()}


def wording_of(game: Game, *, at_hours: bool = False) -> Wording:
    """The texts for a game, or those for turns played at one hour of the day."""
    return (AT_HOURS if at_hours else MANNERS)[game.manner]


IMPORTED = _("Imported, not played here")
"""The label of an imported match on pages and pictures other than the match's own page."""


def imported_note(*, imported: bool) -> str:
    return gettext(IMPORTED) if imported else ""


def with_note(title: str, *, imported: bool) -> str:
    """A title, with the label IMPORTED added for an imported match. An escaped title stays escaped."""
    return title + f" ({gettext(IMPORTED)})" if imported else title


def headed(names: list[str]) -> str:
    """Joins names for a heading: up to three as by `listed`, more as “Alice, Bob and 5 others”."""
    if len(names) < 4:
        return listed(names)
    more = len(names) - 2
    words = ngettext("{some} and {n} other", "{some} and {n} others", more)
    return words.format(some=", ".join(map(str, names[:2])), n=more)


def listed(names: Sequence[str]) -> str:
    """Joins names to a list: “Alice”, “Alice and Bob”, “Alice, Bob and Charlie”."""
    if len(names) < 2:
        return "".join(map(str, names))
    return gettext("{some} and {last}").format(some=", ".join(map(str, names[:-1])), last=names[-1])


def hour_in_full(reveal_at: Mapping[str, Any]) -> str:
    """A sentence on the hour at which turns are played, from the field `reveal_at` of matches and leagues."""
    if len(reveal_at["days"]) == len(WEEKDAYS):
        return gettext("Turns are played every day at {time} ({zone}), never earlier.").format(**reveal_at)
    days = listed([str(WEEKDAYS[day]) for day in reveal_at["days"]])
    says = gettext("Turns are played at {time} ({zone}), never earlier, on these days: {days}.")
    return says.format(**{**reveal_at, "days": days})


def hour_briefly(reveal_at: Mapping[str, Any]) -> str:
    """A phrase for the hour at which turns are played: “every day at 20:00 (Europe/Madrid)”."""
    if len(reveal_at["days"]) == len(WEEKDAYS):
        return gettext("every day at {time} ({zone})").format(**reveal_at)
    days = ", ".join(str(WEEKDAYS_ABBR[day]) for day in reveal_at["days"])
    return gettext("{days} at {time} ({zone})").format(**{**reveal_at, "days": days})
