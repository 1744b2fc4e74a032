"""Proposals between players, as data for the API: draws, calling off, take-backs, pauses, rematches."""

from collections.abc import Collection, Iterable

from robosite.api import schemas
from robosite.matches import flow
from robosite.matches.flow import takeback
from robosite.matches.flow.series import next_seat, seats_moved
from robosite.matches.models import Match, MatchFlag, Seat, held_by
from robosite.people.models import Guest

ENDINGS: dict[schemas.ProposalKind, flow.Ending] = {"draw": flow.Ending.DRAW, "call-off": flow.Ending.OFF}
"""The kinds of proposals that end a match by agreement, each with the flow's name for that ending."""


def kinds_to_answer(match: Match, own: Seat) -> list[schemas.AnyProposal]:
    """The kinds of other players' proposals, except rematches, that the seat `own` can accept or decline."""
    if match.status != Match.Status.PLAYING:
        return []
    seats = list(match.seats.all())
    offers = any(flow.offer_stands(seat, match, ending) for seat in seats for ending in ENDINGS.values())
    if not (offers or any(seat.wants_pause for seat in seats) or takeback.asking(match, seats)):
        return []  # as in most matches, of which nothing more is read
    return [one.kind for one in proposals_of(flow.standing_of(match), own) if "decline" in one.may]


def proposals_of(standing: flow.Standing, own: Seat | None) -> list[schemas.Proposal]:
    """The open proposals as `own` may see them; a spectator (None) sees neither rematches nor refusals."""
    if standing.match.status == Match.Status.PLAYING:
        endings = [_ending(standing, own, kind) for kind in ENDINGS]
        return [one for one in (*endings, _take_back(standing, own), _pause(standing, own)) if one]
    after = rematch_of(standing.match) if own else None
    return [_rematch(after, own)] if own and after and after.status == Match.Status.OPEN else []


def may_propose(standing: flow.Standing, own: Seat) -> list[schemas.AnyProposal]:
    """Returns what the seat `own` may propose now, such as "draw", except kinds that are open already."""
    match = standing.match
    if match.status == Match.Status.OVER and not match.imported:
        return [] if rematch_of(match) else ["rematch"]
    if match.status != Match.Status.PLAYING or own.at not in _in_it(standing):
        return []
    open_kinds = {one.kind for one in proposals_of(standing, own)}
    if match.may_have(MatchFlag.BINDING):
        return [] if "draw" in open_kinds else ["draw"]
    free: list[schemas.AnyProposal] = ["draw", "call-off"]
    if takeback.may_ask(match, _fresh(standing, own)):
        free.append("take-back")
    if match.deadline_hours is not None:
        free.append("pause")
    return [kind for kind in free if kind not in open_kinds]


def rematch_of(match: Match) -> Match | None:
    return Match.objects.filter(rematch_of=match).prefetch_related("seats").first()


def rematches_for(guest: Guest, matches: Collection[int]) -> dict[int, str]:
    """Maps matches (pk) to the keys of their rematches that the guest can join and does not sit in."""
    asked = Match.objects.filter(rematch_of__in=matches, status=Match.Status.OPEN)
    sits = Match.objects.filter(held_by(guest, "seats__"), pk__in=asked)
    free = asked.exclude(pk__in=sits) if matches else []
    return {match.rematch_of_id: match.key for match in free if match.rematch_of_id}


def _ending(standing: flow.Standing, own: Seat | None, kind: schemas.ProposalKind) -> schemas.Proposal | None:
    match, ending = standing.match, ENDINGS[kind]
    seats = [seat for seat in standing.seats if seat.at in _in_it(standing)]
    by = [seat for seat in seats if flow.offer_stands(seat, match, ending)]
    if not by:
        return None
    asked = [seat for seat in seats if seat not in by and (kind == "draw" or not seat.is_bot)]
    declined = [seat for seat in asked if own and flow.has_declined(seat, match, by, ending)]
    return _proposal(kind, own, by=by, asked=asked, declined=declined)


def _take_back(standing: flow.Standing, own: Seat | None) -> schemas.Proposal | None:
    asker = takeback.asking(standing.match, standing.seats)
    if asker is None:
        return None
    asked = [seat for seat in standing.seats if seat.at in _in_it(standing) and seat.pk != asker.pk]
    return _proposal("take-back", own, by=[asker], asked=asked)


def _pause(standing: flow.Standing, own: Seat | None) -> schemas.Proposal | None:
    people = standing.seats_of_people
    by = [seat for seat in people if seat.wants_pause]
    if not by:
        return None
    return _proposal("pause", own, by=by, asked=[seat for seat in people if seat not in by])


def _rematch(after: Match, own: Seat) -> schemas.Proposal:
    """Returns the proposal of the rematch `after`; seats are named by their letters in the old match."""
    seats = list(after.seats.all())
    before = {next_seat(seat.letter, len(seats), -seats_moved(after)): seat for seat in seats}
    by = [at for at, seat in before.items() if seat.taken and not seat.is_bot]
    asked = [at for at, seat in before.items() if not seat.taken]
    return schemas.Proposal(
        kind="rematch",
        by=sorted(by),
        asked=sorted(asked),
        declined=[],
        may=["accept"] if own.at in asked else [],
        match=after.key,
    )


def _proposal(
    kind: schemas.ProposalKind,
    own: Seat | None,
    *,
    by: Collection[Seat],
    asked: Collection[Seat],
    declined: Iterable[Seat] = (),
) -> schemas.Proposal:
    no = [seat.letter for seat in declined]
    deeds: list[schemas.Deed] = []
    if own and own.letter in {seat.letter for seat in by}:
        deeds = ["withdraw"]
    elif own and own.letter in {seat.letter for seat in asked}:
        deeds = ["accept"] if own.letter in no else ["accept", "decline"]
    return schemas.Proposal(
        kind=kind,
        by=[seat.letter for seat in by],
        asked=[seat.letter for seat in asked],
        declined=no,
        may=deeds,
        match=None,
    )


def _in_it(standing: flow.Standing) -> Collection[str]:
    return standing.state.still_in() - standing.resigning


def _fresh(standing: flow.Standing, own: Seat) -> Seat:
    return next(seat for seat in standing.seats if seat.pk == own.pk)
