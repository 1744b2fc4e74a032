"""Limits on talk between strangers, who met at an open table: at first they use only stock phrases."""

from __future__ import annotations

from django.db.models import Count, Q

from robosite.matches.flow import Refused
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.talk.models import TurnNote

SEALS = 2
"""The number of orders that each player has to seal before anybody may type text."""


def only_phrases(match: Match) -> bool:
    """Tell whether the players of a match may use only stock phrases.

    They may type no text of their own while strangers may still sit down. After a stranger has sat down,
    they may type only when each player has sealed SEALS orders themselves. Players who resigned are not
    waited for, as long as two others are still playing.
    """
    if is_open(match):
        return True
    if not match.may_have(MatchFlag.STRANGERS):
        return False
    own = Q(programs__by="", programs__sealed_at__isnull=False) & ~Q(programs__seal="")
    people = Seat.objects.filter(match=match, taken_at__isnull=False).exclude(kind=Seat.Kind.BOT)
    seats = list(people.annotate(sealed=Count("programs", filter=own)))
    staying = [seat for seat in seats if seat.resigned_turn is None]
    return any(seat.sealed < SEALS for seat in (staying if len(staying) > 1 else seats))


def is_open(match: Match) -> bool:
    """Tell whether strangers may still sit down: the match is listed and has not begun.

    It does not matter how long ago the match was listed.
    """
    return match.listed and match.status == Match.Status.OPEN


def check_may_type(match: Match) -> None:
    """Raises Refused if the players of the match may use only stock phrases. Call it inside the lock."""
    if is_open(match):
        raise Refused("Anybody may sit down at this table, so you choose from the quick phrases for now.")
    if only_phrases(match):
        raise Refused("Until each of you has sealed twice, you choose from the quick phrases.")


def check_may_seal_words(match: Match) -> None:
    """Raises Refused if the players must not seal words with a turn of the match (see `only_phrases`).

    Call it inside the lock.
    """
    if is_open(match):
        raise Refused("Anybody may sit down at this table, so no message can be sealed with a turn for now.")
    if only_phrases(match):
        raise Refused("Until each of you has sealed twice, no message can be sealed with a turn.")


def typed_before(seat: Seat) -> Q:
    """A condition for messages with typed text from before this seat was taken, in a match with strangers.

    In any other match, it matches no message.
    """
    if not (seat.taken_at and seat.match.may_have(MatchFlag.STRANGERS)):
        return Q(pk=None)
    return Q(sent_at__lt=seat.taken_at) & ~Q(text="")


def was_among_friends(match: Match, word: TurnNote) -> bool:
    """Tell whether a word was written before a stranger sat down in the match.

    Only a word that was written in the first SEALS turns, before any take-back, can be so old: after a
    stranger has sat down, nobody can seal a word in these turns.
    """
    return match.may_have(MatchFlag.STRANGERS) and word.turn < SEALS and not word.line
