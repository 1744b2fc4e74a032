"""The parts of a match's page that one stage alone has: before the start, in play, after the end."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.urls import reverse
from django.utils import timezone

from games.core import Seat as Letter
from games.core import State
from robosite.matches import flow, missing_keys
from robosite.matches.flow import listing, replying, seat_requests, series, signs, takeback
from robosite.matches.flow.lost_seats import wait_for
from robosite.matches.flow.series import may_follow, seats_moved
from robosite.matches.models import Hold, Match, MatchFlag, Seat
from robosite.matches.wording import listed
from robosite.people.browser_links import own_links
from robosite.people.current_guest import current_guest
from robosite.people.models import GuestFlag
from robosite.play import hot_seat, lateness, reply_page
from robosite.play.decorators import Request, absolute, only_here
from robosite.play.film import result, show_film
from robosite.play.highlights import telling
from robosite.play.opponents import another_level
from robosite.play.page_state import Endings, Offer, Open, Over, Planning, Playing, Waiting
from robosite.play.variants import new_terms, preset_key
from robosite.web.written_names import Name

IDLE = 10
"""Turns without any lasting change after which the page says that a draw may be offered."""
TOLD_OF_END = 2
"""The number of the film's last sentences that the summary of a match's end always contains."""


def before_start(page: Open, request: Request, standing: flow.Standing, seat: Seat) -> None:
    """Shows how many have joined and, to the creator, the invite and whether the match can start now."""
    invite = own_links(request).get(f"invite/{page.match.key}") if seat.host else None
    page.invite = absolute(request, reverse("invite", args=[invite])) if invite else None
    page.local = only_here(request)
    page.sitting = sum(one.taken for one in standing.seats)
    page.can_start = seat.host and listing.can_start(page.match, standing.seats)


def in_play(page: Playing, request: Request, standing: flow.Standing) -> None:
    """Shows the time and, to a player, replies, reminders, claims, offers and take-backs."""
    match, seat = page.match, page.seat
    page.terms = lateness.terms(standing, page.you, page.names)
    if seat is None or not isinstance(page, Planning):
        return
    page.may_reply = reply_page.offered(match, request.mine)
    page.replies = reply_page.shown(match, seat) if page.may_reply else None
    page.reply_waits = replying.is_waiting(standing.programs.get(seat.at))
    show_endings(page, standing, seat)
    _show_wish(page, standing, seat)
    if isinstance(page, Waiting):
        page.last_seen = _last_seen(standing, seat)
        page.claimable = standing.claimable(seat.at)
        page.may_nudge = signs.may_nudge(standing, seat)


def _last_seen(standing: flow.Standing, seat: Seat) -> list[tuple[Name, date, int]]:
    """Awaited people who share their presence: name, day last seen, days since; [] until PATIENCE is over."""
    if timezone.now() < standing.match.changed_at + signs.PATIENCE:
        return []
    awaited = [
        one for one in standing.seats if one.at in standing.owing and not one.is_bot and one.pk != seat.pk
    ]
    shown = Hold.objects.filter(seat__in=awaited, guest__seen_at__isnull=False).values_list(
        "seat", "guest__seen_at", "guest__flags"
    )
    days = {at: timezone.localdate(seen) for at, seen, flags in shown if not flags & GuestFlag.UNSEEN}
    today = timezone.localdate()
    return [
        (Name(one.shown_name), days[one.pk], (today - days[one.pk]).days) for one in awaited if one.pk in days
    ]


def show_endings(page: Endings, standing: flow.Standing, seat: Seat) -> None:
    """Shows who offers or declines an end by agreement, and the number of `idle` turns if it is large."""
    match = standing.match
    still_in = standing.state.still_in() - standing.resigning
    own = next(one for one in standing.seats if one.pk == seat.pk)
    rivals = [one for one in standing.seats if one.at in still_in and one.pk != seat.pk]

    def offered(ending: flow.Ending) -> Offer:
        asking = [one for one in rivals if flow.offer_stands(one, match, ending)]
        mine = bool(flow.offer_stands(own, match, ending))
        no = [one.shown_name for one in rivals if mine and flow.has_declined(one, match, [own], ending)]
        is_open = asking and not mine and not flow.has_declined(own, match, asking, ending)
        return Offer(mine, listed(no), listed([one.shown_name for one in asking]) if is_open else "")

    page.in_it, page.rivals = own.at in still_in, [one.shown_name for one in rivals]
    page.draw, page.off = offered(flow.Ending.DRAW), offered(flow.Ending.OFF)
    idle = standing.state.turns_without_change()
    if page.in_it and idle >= IDLE and not (page.draw.own or page.draw.asked_by):
        page.idle = idle


def _show_wish(page: Planning, standing: flow.Standing, seat: Seat) -> None:
    match, own = standing.match, next(one for one in standing.seats if one.pk == seat.pk)
    asker = takeback.asking(match, standing.seats)
    if asker:
        page.wish, page.asker = "own" if asker.pk == seat.pk else "theirs", asker.letter
    elif takeback.declined(match, own):
        page.wish = "declined"
    elif takeback.may_ask(match, own):
        page.wish = "ask"
        page.needs_no_consent = takeback.needs_no_consent(match, standing.seats)


def askings_shown(standing: flow.Standing, seat: Seat) -> list[dict[str, Any]]:
    """The template data of each open request for a lost seat of this match."""
    shown = []
    for one in seat_requests.open_requests(standing.match):
        deciders = seat_requests.deciders(standing.seats, one)
        shown.append(
            {
                "pk": one.pk,
                "who": one.guest.name if one.guest.name != one.seat.name else "",
                "seat": one.seat,
                "own": one.seat_id == seat.pk,
                "decides": seat.pk in {other.pk for other in deciders},
                "deciders": listed([other.shown_name for other in deciders]),
                "by": one.answered_by,
                "due": one.due,
                "agrees": seat_requests.may_agree(standing.seats, one, seat),
                "wait": wait_for(standing.match, one),
            }
        )
    return shown


def after_end(page: Over, request: Request, standing: flow.Standing) -> None:
    """Shows the end of the match, the way on from it, and results against its other players."""
    match, seat = page.match, page.seat
    page.stopped = missing_keys.was_called_off(match)
    page.result = result(match, page.names)
    _show_rematch(page, request)
    if match.outcome:
        _show_end(page, standing.state, match.outcome.scores)
    page.plays_on = bool(page.mine[1:]) and may_follow(match)
    if seat:
        page.friends = _friends(request, standing)
    if seat and may_follow(match):
        page.may_follow = True
        page.preset_key = preset_key(match, len(standing.seats))
        others = [one for one in standing.seats if one.pk != seat.pk]
        if match.outcome and others and not match.is_binding and all(one.is_bot for one in others):
            page.another = another_level(others[0].player, better=match.outcome.scores[seat.at] > 0)


def _show_rematch(page: Over, request: Request) -> None:
    after = page.rematch = Match.objects.filter(rematch_of=page.match).first()
    if after is None:
        return
    own = hot_seat.held(current_guest(request), after)
    page.rematch_decides = after.may_have(MatchFlag.DECIDER)
    page.sides_swap = seats_moved(after) > 0
    if after.status == Match.Status.OPEN and not own:
        page.rematch_by = next((seat.shown_name for seat in after.seats.all() if seat.host), "")
        page.new_terms = new_terms(page.match, after) if page.rematch_by else ""
    elif after.status == Match.Status.PLAYING and own:
        page.next_begun = own[0]


def _show_end(page: Over, state: State, shares: Mapping[Letter, float]) -> None:
    """Shows the seat's result ("won", "shared", "drawn", "lost"), and sentences of the match's last step.

    `how` has the last TOLD_OF_END and the most dramatic ones; `in_short` up to two of the latter, else the
    last one; `besides` the others of the most dramatic.
    """
    if page.you:
        own = shares[page.you]
        unequal = "won" if own == 1 else "shared" if own else "lost"
        page.verdict = "drawn" if len(set(shares.values())) == 1 else unequal
    last = show_film(page.match, page.you, page.names, turn=page.match.turn - 1, at=None).steps[-1]
    sentences, best = last.sentences, telling(state)
    numbers = {*best, *range(len(sentences) - TOLD_OF_END, len(sentences))}
    page.how = [sentence for n, sentence in enumerate(sentences) if n in numbers]
    page.in_short = [sentences[n] for n in best[:2]] or sentences[-1:]
    page.besides = [sentences[n] for n in best[2:]]
    page.look_back = state.look_back()
    page.is_reviewed = bool(state.review_unit)


def _friends(request: Request, standing: flow.Standing) -> list[Letter]:
    """The seats held by other guests; the page links to the reader's results against each of these."""
    own = [seat.pk for seat in request.mine]
    known = Hold.objects.filter(seat__match=standing.match, guest__leaving_at=None).exclude(seat__in=own)
    letters = set(known.values_list("seat__letter", flat=True))
    return [seat.at for seat in standing.seats if seat.letter in letters]


HALF, NEARLY = "½", 1e-9


def points_text(points: float) -> str:
    """Points as text: 2, 1½, or 0.33 for a third."""
    whole, rest = divmod(points + NEARLY, 1)
    if rest < 2 * NEARLY:
        return str(int(whole))
    if abs(rest - 0.5) < 2 * NEARLY:
        return f"{int(whole) or ''}{HALF}"
    return f"{points:.2f}"


def score_text(points: Mapping[Letter, float], names: Mapping[Letter, str], own: Letter | None = None) -> str:
    """`Ada 2 : 1 Ben` or, with more players, `Ada 2, Ben 1, Charlie 0`; the reader's seat (`own`) first."""
    seats = sorted(points, key=lambda seat: (seat != own, seat))
    if len(seats) == 2:
        one, other = seats
        return f"{names[one]} {points_text(points[one])} : {points_text(points[other])} {names[other]}"
    return ", ".join(f"{names[seat]} {points_text(points[seat])}" for seat in seats)


def show_series(match: Match, names: Mapping[Letter, str], own: Letter | None) -> dict[str, Any] | None:
    """The template data of the match's series, for the reader's seat `own`; None if it belongs to none."""
    score = series.score_of(match)
    if score is None:
        return None
    other = series.other_of_pair(match) if score.pair else None
    by = 1 if score.number == 1 else -1
    to = other.get_absolute_url() if other else ""
    if other and own:
        to = f"{to}{series.next_seat(own, len(score.points), by)}/"
    in_order = sorted(score.points, key=lambda seat: (seat != own, seat))
    winners = score.winners if score.decided else []
    return {
        "of": score.of,
        "pair": score.pair,
        "number": score.number,
        "played": score.played,
        "score": score_text(score.points, names, own),
        "decided": score.decided,
        "winner": names[winners[0]] if len(winners) == 1 else "",
        "won": winners == [own],
        "numbers": " : ".join(points_text(score.points[seat]) for seat in in_order),
        "goes_on": series.is_under_way(match),
        "other": to,
    }
