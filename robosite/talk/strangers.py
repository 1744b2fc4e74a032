"""Limits on talk between strangers who met at an open table: at first, they may use only stock phrases."""

from django.db.models import Count, Q

from robosite.matches.flow import Refused
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.talk.models import TurnNote

SEALS = 2
"""The number of orders that each player has to seal before anybody may type text."""


def only_phrases(match: Match) -> bool:
    """Returns True if the players of a match may use only stock phrases, and may not type text.

    This holds while strangers may sit down. If some have, it holds until each player has sealed SEALS orders
    themselves; those who have resigned do not count if two have not.
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
    """Returns True if strangers may still take a seat: the match is on the public list and has not begun."""
    return match.listed and match.status == Match.Status.OPEN


def why_only_phrases(match: Match) -> Refused | None:
    """The reason why the players may use only stock phrases, or None if they may type."""
    if is_open(match):
        return Refused("Anyone can join this match, so pick from the quick phrases for now.")
    if only_phrases(match):
        return Refused(
            "You met at an open table. Until everyone has sealed twice, pick from the quick phrases."
        )
    return None


def why_no_words(match: Match) -> Refused | None:
    """The reason why no message may be sealed with a turn, or None."""
    if is_open(match):
        return Refused("Anyone can join this match, so no message can be sealed with a turn for now.")
    if only_phrases(match):
        return Refused("Until everyone has sealed twice, no message can be sealed with a turn.")
    return None


def typed_before(seat: Seat) -> Q:
    """A condition for messages that the seat's player may not read: typed before the seat was taken."""
    if not (seat.taken_at and seat.match.may_have(MatchFlag.STRANGERS)):
        return Q(pk=None)
    return Q(sent_at__lt=seat.taken_at) & ~Q(text="")


def was_among_friends(match: Match, word: TurnNote) -> bool:
    """Returns True for a note written before the first stranger sat down, and so meant for friends alone."""
    return match.may_have(MatchFlag.STRANGERS) and word.turn < SEALS and not word.line
