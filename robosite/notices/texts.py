"""The texts of notices, in the active language and zone (`letters.as_read_by`), never with a sealed order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from games.core import Seat as Letter
from robosite.leagues.models import League
from robosite.leagues.pages import wording as league_wording
from robosite.matches.flow import replying
from robosite.matches.flow.replies import WHY_DROPPED
from robosite.matches.models import Match, MatchFlag
from robosite.matches.site_models import Asking
from robosite.matches.time.timekeeping import deadline_of
from robosite.matches.wording import listed, wording_of
from robosite.notices.models import IN_LEAGUE, NEXT_SEASON, Channel, Kind, Notice, Parcel, Wishes
from robosite.notices.outbox import WARNING, wishes_of
from robosite.people.models import Guest
from robosite.people.zones import date_and_time, day
from robosite.play import film
from robosite.play.lateness import at_deadline
from robosite.play.variants import new_terms
from robosite.web.http import path_of
from robosite.web.sentences import render_sentence
from robosite.web.written_names import Name, name_to_show, without_isolates

URGENT = list(Kind)


_PROPOSED: dict[str, Callable[[], str]] = {
    "draw": lambda: _("{who} offers a draw: {table}"),
    "call-off": lambda: _("{who} asks to cancel the match: {table}"),
    "take-back": lambda: _("{who} asks for a takeback: {table}"),
    "pause": lambda: _("{who} asks for a pause: {table}"),
    "rematch": lambda: _("{who} asks for a rematch: {table}"),
    "decider": lambda: _("{who} wants to play the decider: {table}"),
}
"""Titles by the kind of proposal (the first word of the notice's fact), and of a rematch that decides."""


@dataclass(frozen=True, slots=True)
class NoticeText:
    """A title of one line, some sentences, and the path of the page to open."""

    title: str
    text: str
    path: str


def site_of(guest: Guest) -> str:
    return settings.PUBLIC_URL or wishes_of(guest).origin or "http://127.0.0.1:8000"


def most_urgent(notices: list[Notice]) -> Notice:
    return min(notices, key=lambda notice: URGENT.index(Kind(notice.kind)))


def write_notice(notice: Notice) -> NoticeText:
    title, path = _of_league(notice) or (_title(notice), notice.seat.get_absolute_url())
    return NoticeText(without_isolates(title), without_isolates(" ".join(_sentences(notice))), path)


def _of_league(notice: Notice) -> tuple[str, str] | None:
    """The title and path of a notice about a whole league: its beginning, talk, or next season.

    Of a cup also those about a round, or a tie that was decided. None for a notice about one match.
    """
    if notice.fact.startswith(NEXT_SEASON):
        season = _season_of(notice)
        return _asked_to_play(season) if season else None
    talks = notice.kind == Kind.MESSAGE and notice.fact.startswith(IN_LEAGUE)
    begun = notice.kind == Kind.TURN and notice.turn == 0 and notice.match.is_binding
    over = notice.kind == Kind.OVER and notice.match.is_binding
    asks = talks or begun or over
    league = League.objects.filter(fixtures__match=notice.match_id).first() if asks else None
    if league is None or (over and not league.kind.knocks_out):
        return None
    name = Name(_one_line(league.title))
    if league.kind.knocks_out and not talks:
        title = league_wording.title_of(league, notice.match, notice.seat.letter, name)
        return (title, league.get_absolute_url()) if title else None
    if begun:
        title = _("The league “{league}” has begun: it’s your turn").format(league=name)
        return title, league.get_absolute_url()
    who = Name(_one_line(name_to_show(notice.who)))
    title = _("Message from {who}: {table}").format(who=who, table=name)
    return title, path_of("league-talk", league.key)


def write_season(season: League) -> NoticeText:
    """The text on a season that was announced, for a guest who plays in none of its matches yet."""
    title, path = _asked_to_play(season)
    return NoticeText(without_isolates(title), " ".join(_how_to_answer(season)), path)


def write_lapse(parcel: Parcel) -> NoticeText:
    """The text on a match or league that never began, and will soon be deleted."""
    when = day(parcel.due_at + WARNING)
    if parcel.league:
        title = _("“{league}” will be deleted on {day}").format(league=Name(parcel.league.title), day=when)
        path = parcel.league.get_absolute_url()
    else:
        assert parcel.match
        title = _("Your {game} match will be deleted on {day}").format(game=parcel.match.game.name, day=when)
        path = parcel.match.get_absolute_url()
    text = _(
        "It hasn’t begun, and nothing has happened in it for a long time. It’s kept if "
        "someone joins or writes."
    )
    return NoticeText(without_isolates(title), text, path)


def _season_of(notice: Notice) -> League | None:
    return League.objects.filter(pk=notice.fact.removeprefix(NEXT_SEASON)).first()


def _how_to_answer(season: League | None) -> Iterator[str]:
    if season and season.starts_at:
        yield _("It starts {when}.").format(when=date_and_time(season.starts_at))
    yield _("If you want to play, say so on its page before it starts.")


def _asked_to_play(season: League) -> tuple[str, str]:
    name, title = (Name(_one_line(words)) for words in (season.name, season.title))
    return season.kind.asked.format(cup=title, league=name, n=season.season), season.get_absolute_url()


def _title(notice: Notice) -> str:
    match, who = notice.match, Name(_one_line(name_to_show(notice.who)))
    at = _table(notice)
    if notice.kind == Kind.ASKED and _own_seat(notice):
        return _("Someone is asking for your seat: {table}").format(table=at)
    if notice.kind == Kind.ASKED:
        return _("Someone is asking for a lost seat: {table}").format(table=at)
    if notice.kind == Kind.PASSED:
        return _("Your seat has passed to another browser: {table}").format(table=at)
    if notice.kind == Kind.DEADLINE:
        deadline = _deadline_of(notice)
        if deadline is None or deadline <= timezone.now():
            return _("Your deadline is near: {table}").format(table=at)
        return _("You have until {when}: {table}").format(when=date_and_time(deadline), table=at)
    if notice.kind == Kind.NUDGE:
        return _("{who} is waiting for you: {table}").format(who=who, table=at)
    if notice.kind == Kind.PROPOSED:
        after = _after(match) if notice.fact.startswith("rematch") else None
        if after and after.game_slug != match.game_slug:
            return _("{who} invites you to {game}").format(who=who, game=after.game.name)
        decides = after and after.may_have(MatchFlag.DECIDER)
        return _PROPOSED["decider" if decides else notice.fact.partition(" ")[0]]().format(who=who, table=at)
    if notice.kind == Kind.MESSAGE:
        return _("Message from {who}: {table}").format(who=who, table=at)
    if notice.kind == Kind.SAT:
        return _("{who} joined: {table}").format(who=who, table=at)
    if notice.kind == Kind.REVEALED:
        turn = wording_of(match.game).say("turn", n=notice.turn + 1)
        return _("{turn} revealed: {table}").format(turn=turn, table=at)
    if notice.kind == Kind.OVER and match.status == Match.Status.ABORTED:
        return _("Cancelled: {table}").format(table=at)
    if notice.kind == Kind.OVER:
        return _("The match is over: {table}").format(table=at)
    return _("Your turn: {table}").format(table=at)


def _after(match: Match) -> Match | None:
    return Match.objects.filter(rematch_of=match).first()


def _others(notice: Notice) -> list[Name]:
    seats = notice.match.seats.all()
    return [Name(_one_line(seat.shown_name)) for seat in seats if seat.pk != notice.seat_id and seat.taken_at]


def _table(notice: Notice) -> str:
    others = _others(notice)
    if not others:
        return notice.match.game.name
    return _("{game} with {names}").format(game=notice.match.game.name, names=listed(others))


def _sentences(notice: Notice) -> Iterator[str]:
    match, who = notice.match, Name(_one_line(name_to_show(notice.who)))
    if notice.kind in (Kind.TURN, Kind.DEADLINE, Kind.NUDGE):
        dropped = replying.why_dropped(match, notice.seat)
        if dropped and notice.kind == Kind.TURN and notice.turn == match.turn:
            yield render_sentence(WHY_DROPPED[dropped])
        yield wording_of(match.game).say("turn", n=notice.turn + 1) + "."
        deadline = _deadline_of(notice)
        if deadline:
            if notice.kind != Kind.DEADLINE or deadline <= timezone.now():  # otherwise the title has it
                yield until(deadline)
            if deadline > timezone.now() or not match.overdue:
                yield at_deadline(match, _others(notice), owes=True)
        elif match.deadline_hours is None:
            yield _("There’s no deadline.")
    elif notice.fact.startswith(NEXT_SEASON):
        yield from _how_to_answer(_season_of(notice))
    elif notice.fact.startswith("rematch") and (new := _after(match)) and (terms := new_terms(match, new)):
        yield f"{_('New this time:')} {terms}"
    elif notice.kind == Kind.OVER and match.status == Match.Status.OVER:
        names = {Letter(seat.letter): seat.shown_name for seat in match.seats.all()}
        result = film.result(match, names)
        if result:
            yield _one_line(render_sentence(result, names))
    elif notice.kind == Kind.ASKED and _own_seat(notice):
        yield _("In another browser, someone says they’re %(name)s.") % {"name": who}
        due = Asking.objects.filter(pk=int(notice.fact.split()[0])).values_list("due", flat=True).first()
        if due:
            says = _("The seat changes hands on %(when)s, unless you open it first.")
            yield says % {"when": date_and_time(due)}
        yield _("If it’s still yours, open your seat: that ends the request.")
    elif notice.kind == Kind.PASSED:
        yield _("Someone had asked for it, another player said yes, and no one in your seat reacted.")
        yield _("If that isn’t right, talk to the others and ask for your seat.")
    elif notice.kind == Kind.ASKED:
        says = _("In another browser, someone says they’re %(name)s and have lost that seat.")
        yield says % {"name": who}
    elif notice.kind == Kind.SAT and match.status == Match.Status.OPEN:
        yield _("Seats are still free.")


def _own_seat(notice: Notice) -> bool:
    return notice.who == notice.seat.name


def _deadline_of(notice: Notice) -> datetime | None:
    match = notice.match
    present = notice.turn == match.turn and match.status == Match.Status.PLAYING
    return deadline_of(match, notice.seat.letter) if present and notice.done_at is None else None


def until(deadline: datetime) -> str:
    """A sentence with the date and time of a deadline, which may have passed."""
    when = date_and_time(deadline)
    if deadline <= timezone.now():
        return _("Time ran out on {when}.").format(when=when)
    return _("You have until {when}.").format(when=when)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def fault_of(channel: Channel) -> str:
    """A sentence, or else the word, on why the last sending on this channel failed; "" if it succeeded."""
    sentences = {
        "refused": _("The service rejected it."),
        "gone": _(
            "The service no longer accepts notifications, so this channel was switched off. Add it again."
        ),
        "no-answer": _("There was no answer."),
        "mailbox": _("Its mail server says this mailbox no longer exists, so e-mails were switched off."),
        "server": _("The site’s own mail server isn’t accepting its e-mails."),
        "forbidden": _("This address isn’t on the public internet."),
        "address": _("There’s no address to send to. Confirm your e-mail address first."),
        "lost": _("The site lost the key to this address. Remove it and add it again."),
        "off": _("This site doesn’t send notifications of this kind at present."),
    }
    return sentences.get(channel.fault, channel.fault)


def retry_of(due_at: datetime | None) -> str:
    return _("We’ll try again: {when}.").format(when=date_and_time(due_at)) if due_at else ""


def lost_sentence(channel: Channel) -> str:
    """A sentence that tells the owner that this channel no longer works."""
    if channel.kind == Channel.Kind.MAIL:
        return _("E-mails about your matches no longer reach you.")
    if channel.kind == Channel.Kind.PUSH:
        return _("Push notifications to {browser} no longer arrive.").format(
            browser=channel.label or _("your browser")
        )
    return _("{address} no longer accepts notifications.").format(address=channel.label or channel.kind)


def unwarned_of(channel: Channel, wishes: Wishes) -> str:
    """A sentence on the deadlines of which this channel does not warn; "" if there are none."""
    if not channel.sends:
        return ""
    if not wishes.steps or Kind.DEADLINE not in channel.tells:
        return _("You get no reminder before a deadline this way.")
    if channel.when == Channel.When.DAILY:
        return _(
            "You get no reminder this way if a turn begins after one daily digest and ends before the next."
        )
    if wishes.quiet_from is not None:
        return _("You get no reminder if a turn begins and ends within your quiet hours.")
    return ""
