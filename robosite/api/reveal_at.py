"""The field `reveal_at` of new matches and leagues: the hour of the day at which turns are played."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from robosite.api import schemas
from robosite.api.league_schemas import NewLeague
from robosite.api.problems import at_field
from robosite.matches.models import Match
from robosite.matches.time import evenings
from robosite.people.zones import is_zone


def time_terms(body: schemas.NewMatch | NewLeague) -> dict[str, Any]:
    """The time limits in a body, by field of Match and League; raises Problem 422 if they contradict."""
    given = body.reveal_at
    if given is None:
        return {term: getattr(body, term) for term in ("deadline_hours", "reserve_hours", "late")}
    if not is_zone(given.zone):
        problem = _("There is no time zone “{zone}”. Send one such as “Europe/Madrid”.")
        raise at_field(422, "/reveal_at/zone", problem.format(zone=given.zone))
    for term in ("deadline_hours", "reserve_hours"):
        if term in body.model_fields_set and getattr(body, term):
            problem = _("The hour at which turns are played is the deadline: leave “{term}” out.")
            raise at_field(422, f"/{term}", problem.format(term=term))
    late = body.late if "late" in body.model_fields_set else Match.Late.FILL
    return {**evenings.terms_of(given.time, given.zone, given.days), "late": late}
