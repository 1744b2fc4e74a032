"""The parts of a match's page that one stage alone has: before the start, in play, after the end."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.urls import reverse
from django.utils import timezone

from games.core import Seat as Letter
from games.core import Sentence, State
from games.review import unit_of
from robosite.matches import flow, missing_keys
from robosite.matches.flow import listing, nudges, seat_requests, series, takeback
from robosite.matches.flow.handover import wait_for
from robosite.matches.flow.series import may_follow, seats_moved
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.wording import listed
from robosite.people.browser_links import own_links
from robosite.people.current_guest import current_guest
from robosite.people.models import GuestFlag
from robosite.play import hot_seat, reply_page
from robosite.play.decorators import Request, absolute, only_here
from robosite.play.film import show_film
from robosite.play.highlights import telling
from robosite.play.opponents import another_level
from robosite.play.variants import new_terms, preset_key
from robosite.web.written_names import Name

IDLE = 10
"""Turns without any lasting change after which the page says that a draw may be offered."""
TOLD_OF_END = 2
"""The last sentences of the film that the summary of a match's end always contains."""


def before_start(request: Request, standing: flow.Standing, seat: Seat) -> dict[str, Any]:
    """The invite, for the match's creator, and how many have joined."""
    match = standing.match
    invite = own_links(request).get(f"invite/{match.key}") if seat.host else None
    return {
        "invite": invite and absolute(request, reverse("invite", args=[invite])),
        "local": only_here(request),
        "sitting": sum(one.taken for one in standing.seats),
        "can_start": seat.host and listing.can_start(match, standing.seats),
    }


def while_playing(request: Request, standing: flow.Standing, seat: Seat) -> dict[str, Any]:
    """The player's rights in `seat` besides ordering: replies, reminders, claims, offers, take-backs."""
    match = standing.match
    may_reply = reply_page.offered(match, request.mine)
    return {
        "may_reply": may_reply,
        "replies": reply_page.shown(match, seat) if may_reply else None,
        "last_seen": () if seat.at in standing.owing else _last_seen(standing, seat),
        "claimable": standing.claimable(seat.at),
        "may_nudge": nudges.may_nudge(standing, seat),
        **endings(standing, seat),
        **_wish(standing, seat),
    }


def _last_seen(standing: flow.Standing, seat: Seat) -> list[tuple[Name, date, int]]:
    """Awaited people who show when they are here: name, last day, days since; [] before PATIENCE is over."""
    if timezone.now() < standing.match.changed_at + nudges.PATIENCE:
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


def endings(standing: flow.Standing, seat: Seat) -> dict[str, Any]:
    """Ending by agreement: the `rivals`, and who offers and declines `draw` and `off`; long `idle` turns."""
    match = standing.match
    still_in = standing.state.still_in() - standing.resigning
    own = next(one for one in standing.seats if one.pk == seat.pk)
    rivals = [one for one in standing.seats if one.at in still_in and one.pk != seat.pk]
    found: dict[str, Any] = {"in_it": own.at in still_in, "rivals": [one.shown_name for one in rivals]}
    for ending in flow.Ending:
        asking = [one for one in rivals if flow.offer_stands(one, match, ending)]
        mine = "stands" if flow.offer_stands(own, match, ending) else ""
        no = [one.shown_name for one in rivals if mine and flow.has_declined(one, match, [own], ending)]
        open_ = asking and not mine and not flow.has_declined(own, match, asking, ending)
        asked_by = listed([one.shown_name for one in asking]) if open_ else ""
        found[ending] = {"own": mine, "declined_by": listed(no), "asked_by": asked_by}
    idle, draw = standing.state.turns_without_change(), found[flow.Ending.DRAW]
    if found["in_it"] and idle >= IDLE and not (draw["own"] or draw["asked_by"]):
        found["idle"] = idle
    return found


def _wish(standing: flow.Standing, seat: Seat) -> dict[str, Any]:
    match, own = standing.match, next(one for one in standing.seats if one.pk == seat.pk)
    asker = takeback.asking(match, standing.seats)
    if asker:
        return {"wish": "own" if asker.pk == seat.pk else "theirs", "asker": asker.letter}
    if takeback.declined(match, own):
        return {"wish": "declined"}
    if not takeback.may_ask(match, own):
        return {}
    return {"wish": "ask", "needs_no_consent": takeback.needs_no_consent(match, standing.seats)}


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


def after_end(
    request: Request, standing: flow.Standing, seat: Seat | None, names: dict[Letter, str]
) -> dict[str, Any]:
    """The end of the match, the way on from it, and results against its other players."""
    return {
        **_rematch(request, standing.match),
        **_ending(standing, seat, names),
        **_once_more(standing, seat),
        "friends": _friends(request, standing) if seat else (),
        "stopped": missing_keys.was_called_off(standing.match),
    }


def _rematch(request: Request, match: Match) -> dict[str, Any]:
    after = Match.objects.filter(rematch_of=match).first()
    own = hot_seat.held(current_guest(request), after) if after else []
    asks, begun = "", None
    if after and after.status == Match.Status.OPEN and not own:
        asks = next((seat.shown_name for seat in after.seats.all() if seat.host), "")
    elif after and after.status == Match.Status.PLAYING and own:
        begun = own[0]
    return {
        "rematch": after,
        "rematch_by": asks,
        "new_terms": new_terms(match, after) if after and asks else "",
        "sides_swap": after is not None and seats_moved(after) > 0,
        "next_begun": begun,
    }


def _ending(standing: flow.Standing, seat: Seat | None, names: dict[Letter, str]) -> dict[str, Any]:
    """The context of a match's end: the seat's result ("won", "shared", "drawn", "lost"), and sentences."""
    match, outcome = standing.match, standing.match.outcome
    if outcome is None:
        return {}
    last = show_film(match, seat.at if seat else None, names, turn=match.turn - 1, at=None).steps[-1]
    verdict = ""
    if seat:
        own, all_shares = outcome.scores[seat.at], outcome.scores.values()
        unequal = "won" if own == 1 else "shared" if own else "lost"
        verdict = "drawn" if len(set(all_shares)) == 1 else unequal
    return {
        "verdict": verdict,
        **_told_of_end(standing.state, last.sentences),
        "look_back": standing.state.look_back(),
        "is_reviewed": bool(unit_of(standing.state)),
    }


def _told_of_end(state: State, sentences: Sequence[Sentence]) -> dict[str, Any]:
    """The sentences on a match's end, of the match's last step.

    `how` has the last TOLD_OF_END and the most dramatic ones; `in_short` one of these, or two that are equal,
    or the last; `besides` has the rest of the most dramatic.
    """
    best = telling(state)
    numbers = {*best, *range(len(sentences) - TOLD_OF_END, len(sentences))}
    how = [sentence for n, sentence in enumerate(sentences) if n in numbers]
    in_short = [sentences[n] for n in best[:2]] or sentences[-1:]
    return {"how": how, "in_short": in_short, "besides": [sentences[n] for n in best[2:]]}


def _once_more(standing: flow.Standing, seat: Seat | None) -> dict[str, Any]:
    match = standing.match
    if seat is None or not may_follow(match):
        return {}
    outcome, others = match.outcome, [one for one in standing.seats if one.pk != seat.pk]
    another = ""
    if outcome and others and not match.is_binding and all(one.is_bot for one in others):
        another = another_level(others[0].player, better=outcome.scores[seat.at] > 0)
    return {"may_follow": True, "another": another, "preset_key": preset_key(match, len(standing.seats))}


def _friends(request: Request, standing: flow.Standing) -> list[Letter]:
    """The seats held by guests other than the reader, whose results against each other are linked."""
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
    """The context of the match's series, for the reader's seat `own`; None if it belongs to none."""
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
