"""Reports: the subjects that a reader may report, creating reports without duplicates, and objections."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from robosite.leagues import league_talk
from robosite.leagues.models import League, Place
from robosite.matches.models import Hold, Match, Seat
from robosite.moderation.models import Measure, Report
from robosite.people.models import Guest
from robosite.people.shares import Tries
from robosite.talk import messages, undo
from robosite.talk.models import Message
from robosite.web.transactions import lock_rows

TRIES = Tries("report")
MOST_OPEN = 20
LONGEST = 500

What = Report.What


class TooMany(Exception):
    """Raised if a guest has too many open reports; the message tells the guest to wait."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that can be reported: `key` in the form, `shown` the present text, stored with the report."""

    key: str
    what: Report.What
    match: Match | None
    shown: str
    seat: Seat | None = None
    message: Message | None = None
    league: League | None = None
    said: str = ""

    @property
    def unique(self) -> str:
        """A text that is the same for all reports of this subject."""
        row = self.message or self.league or self.seat or self.match
        assert row
        return f"{self.what} {row.pk}"

    @property
    def guest(self) -> Guest | None:
        """The author of the message, else the first holder of the seat; None if unknown."""
        if self.message and self.message.guest:
            return self.message.guest
        holds = Hold.objects.filter(seat=self.seat).select_related("guest").order_by("pk")
        hold = holds.first() if self.seat else None
        return hold.guest if hold else None


@dataclass(slots=True)
class Offered:
    """The things that a reader may report on a page: a match's names and seats, or a league; and messages."""

    table: list[Subject]
    said: list[Subject] = field(default_factory=list)

    def find(self, key: str) -> Subject | None:
        return next((one for one in (*self.table, *self.said) if one.key == key), None)


def offered(match: Match, guest: Guest | None, seats: list[Seat], before: datetime | None = None) -> Offered:
    """The match, and others' names, seats and messages (marked read); `seats`: the reader's, if uncovered."""
    sitting = [seat for seat in match.seats.all() if seat.taken and not seat.is_bot]
    names = ", ".join(seat.name for seat in sitting)
    own = {seat.pk for seat in seats}
    table = [Subject("match", What.MATCH, match, f"{match.game.name}: {names}")]
    for seat in sitting:
        if seat.pk not in own:
            table += [
                Subject(f"name-{seat.letter}", what=What.NAME, match=match, shown=seat.name, seat=seat),
                Subject(
                    f"seat-{seat.letter}",
                    what=What.SEAT,
                    match=match,
                    shown=f"{seat.letter} {seat.name}",
                    seat=seat,
                ),
            ]
    heard = {one.pk: one for seat in seats for one in messages.at_table(seat, before).messages}
    undo.mark_read(heard.values(), lambda one: one.seat_id in own)
    if messages.may_hear_watchers(match, guest):
        heard |= {one.pk: one for one in messages.among_watchers(match, before).messages}
    said = [
        _of_message(one, match)
        for one in sorted(heard.values(), key=lambda one: (one.sent_at, one.pk))
        if one.seat_id not in own and not (guest and one.guest_id == guest.pk) and not one.hidden
    ]
    return Offered(table, said)


def offered_in(league: League, place: Place | None, before: datetime | None = None) -> Offered:
    """Returns a league's name, and others' messages if the reader plays there."""
    subjects = [Subject("league", What.LEAGUE, None, shown=league.name, league=league)]
    heard = league_talk.said_to(place, before).messages if place else []
    own = place.pk if place else None
    said = [_of_message(one, league=league) for one in heard if one.place_id != own and not one.hidden]
    return Offered(subjects, said)


def _of_message(one: Message, match: Match | None = None, league: League | None = None) -> Subject:
    return Subject(
        f"message-{one.pk}",
        what=What.MESSAGE,
        match=match,
        shown=sentence_of(one),
        seat=one.seat,
        message=one,
        league=league,
    )


def sentence_of(message: Message) -> str:
    """Returns the text of a message: its stock phrase, if any, and the author's words, on separate lines."""
    return "\n".join(filter(None, (messages.phrase_text(message.phrase), message.text)))


def make(subject: Subject, by: Guest | None, reason: str, words: str) -> Report:
    """A new report, or the guest's open one of the same subject; raises TooMany beyond MOST_OPEN."""
    with transaction.atomic():
        if by:
            waiting = Report.objects.filter(by=by, status=Report.Status.OPEN)
            again = waiting.filter(subject=subject.unique).first()
            if again:
                return again
            if waiting.count() >= MOST_OPEN:
                raise TooMany(
                    _("Several of your reports are still waiting. Please wait until they’re settled.")
                )
        return Report.objects.create(
            what=subject.what,
            subject=subject.unique,
            shown=subject.shown,
            match=subject.match,
            seat=subject.seat,
            message=subject.message,
            league=subject.league,
            guest=subject.guest,
            by=by,
            reason=reason,
            words=words,
            made_at=timezone.now(),
        )


def object_to(measure: Measure, words: str) -> Report:
    """Stores an objection and reopens the measure's report; a second objection returns the first."""
    with transaction.atomic():
        measure = lock_rows(Measure.objects.all()).get(pk=measure.pk)
        if measure.objected_at is None:
            measure.objected_at, measure.objection = timezone.now(), words
            measure.read_at = measure.read_at or measure.objected_at
            measure.save(update_fields=["objected_at", "objection", "read_at"])
            report = measure.report
            if report:
                report.status, report.closed_at = Report.Status.OPEN, None
                report.save(update_fields=["status", "closed_at"])
            return Report.objects.create(
                what=What.OBJECTION,
                subject=report.subject if report else f"{What.OBJECTION} {measure.pk}",
                shown=str(measure),
                match=measure.match,
                seat=measure.seat,
                message=measure.message,
                guest=measure.guest,
                by=measure.guest,
                words=words,
                measure=measure,
                made_at=timezone.now(),
            )
        return measure.objections.order_by("pk").last() or Report(measure=measure)
