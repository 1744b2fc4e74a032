"""Handles the API's calls: runs the checks and the view, and returns the response, or problem details."""

import hashlib
import logging
from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from typing import Any

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.core.signals import got_request_exception
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from pydantic import BaseModel, TypeAdapter, ValidationError

from games import GAMES, newest
from games.core import IllegalOrder
from robosite.api import checks, programs, schemas
from robosite.api.calls import CALLS, Call, ViewResult
from robosite.api.idempotency import RepeatedCall, RepeatedKey, repeated_call_of
from robosite.api.problems import Problem, at_field, of_body, too_many_calls
from robosite.api.serializers import see
from robosite.matches import flow
from robosite.matches.flow import seat_requests
from robosite.matches.models import Match, Seat
from robosite.matches.records import Ready
from robosite.matches.seals import KeyMissing
from robosite.people.names import RefusedName
from robosite.web import later, limits
from robosite.web.sentences import render_sentence

log = logging.getLogger("robosite")

DATA = "en"
"""The language of all JSON responses except problem details."""


def view_of(path: str) -> Callable[..., HttpResponseBase]:
    """Returns the Django view for all methods of an API path; errors become problem details (RFC 9457)."""
    here = {one.method: one for one in CALLS if one.path == path}

    @csrf_exempt
    def view(request: HttpRequest, **where: Any) -> HttpResponseBase:
        if asked := preflight(request, here):
            return asked
        response = _answered(request, here, where)
        # Uncompressed: the length of an answer must tell nothing of its secrets, and a stream not wait.
        response.as_it_is = True  # type: ignore[attr-defined]
        if request.method in _open(here):
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = MAY_READ
        return _with_limits(request, response)

    return view


def _answered(request: HttpRequest, here: dict[str, Call], where: dict[str, Any]) -> HttpResponseBase:
    try:
        return _answer(request, here, where)
    except Problem as problem:
        response: HttpResponseBase = problem.answer()
    except flow.SeatLost:
        response = checks.unknown_token(_("This token does not open a seat, or no longer does.")).answer()
    except limits.TooMany as much:
        response = too_many_calls(much.seconds).answer()
    except TooManyFieldsSent:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        response = Problem(413, _("A query may have at most {most} fields.").format(most=most)).answer()
    except OperationalError:
        log.exception("the database did not answer: %s %s", request.method, request.path)
        busy = _("The site is busy. Nothing was changed; please try again.")
        response = Problem(503, busy, headers={"Retry-After": "5"}).answer()
    except KeyMissing as lost:
        log.error("none of SEAL_KEYS opens %s, which %s %s needs", lost, request.method, request.path)
        gone = _(
            "A key of this site is missing, so what was played here cannot be read. Nothing was changed."
        )
        response = Problem(503, gone, headers={"Retry-After": "3600"}).answer()
    except Exception:
        got_request_exception.send(sender=None, request=request)
        log.exception("a call failed: %s %s", request.method, request.path)
        response = Problem(500, _("This is a fault of the site, not of your program.")).answer()
    if any(one.by != "anyone" for one in here.values()):
        patch_vary_headers(response, ["Authorization"])
    return response


def _with_limits(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Returns the response; one to a program gets RateLimit headers (IETF draft), unless limits are off."""
    counted: tuple[str, str] | None = getattr(request, "counted_as", None)
    if counted and settings.LIMITS != "off":
        bucket, left, seconds = limits.left(*counted)
        name = counted[0].replace(" ", "-")
        response["RateLimit-Policy"] = f'"{name}";q={bucket.capacity};w={bucket.seconds}'
        response["RateLimit"] = f'"{name}";r={left};t={seconds}'
    return response


def _answer(request: HttpRequest, here: dict[str, Call], where: dict[str, Any]) -> HttpResponseBase:
    """Runs the checks of an API request in order (`checks.py`), then its view, and returns the response."""
    asked = checks.asked_call(request, here)
    raw = checks.read_body(request, asked.most_bytes)
    program = checks.program_of(request)
    checks.check_limit(request, asked, program)
    given: dict[str, Any] = {"request": request, "program": program}
    if asked.of_game:
        if (slug := where["slug"]) not in GAMES:
            raise Problem(404, _("There is no game “{game}”.").format(game=slug))
        given["game"] = newest(slug)
    if asked.of_match:
        given["match"] = flow.apply_due(checks.find_match(where["key"]))
    if asked.of_league:
        given["league"] = checks.find_league(where["league"])
        given["place"] = where.get("place")
    checks.check_program(request, asked, program)
    if asked.action:
        checks.check_allowed(request, asked.action)
    token = checks.token_of(request) if program or asked.by != "anyone" else ""
    given["caller"] = checks.Caller(token, program)
    if asked.by in ("viewer", "seat"):
        try:
            _find_seat(asked, given, token)
        except checks.NoSeat as problem:
            return _after_leaving(request, asked, token, raw, problem)
    if asked.method != "GET":
        return _checked_write(asked, given, token, raw)
    if asked.query:
        given["query"] = checks.query_of(asked.query, request)
    return _shown(request, asked, _done(asked, given))


def _find_seat(asked: Call, given: dict[str, Any], token: str) -> None:
    """Stores the caller's seat, or None, in `given`; an act ends requests for it. May raise Problem."""
    match, program = given["match"], given["program"]
    if program:
        given["seat"] = seat = checks.seat_of_program(asked, program, match)
    else:
        given["seat"] = seat = checks.seat_of(asked, token, match)
        if seat is None and token:
            detail = _("This token does not open a seat, or no longer does.")
            raise checks.NoSeat(401, detail, headers={"WWW-Authenticate": "Bearer"})
    if seat and asked.method != "GET" and asked.acts and seat_requests.is_asked_for(match, seat):
        seat_requests.end_requests(seat)
    if seat is None and not match.watched:
        raise Problem(403, _("This match is for its players only: show the token of a seat."))


def _after_leaving(
    request: HttpRequest, asked: Call, token: str, raw: bytes, problem: checks.NoSeat
) -> HttpResponse:
    """The stored answer, if this request repeats the call that gave up the seat; else raises `problem`."""
    if asked.method != "GET" and "Idempotency-Key" in request.headers:
        again = repeated_call_of(request, token, raw)
        stored = again.kept(last=True) if again else None
        if stored and stored.body is not None:
            return _json_answer(stored.status, stored.body)
    raise problem


def _checked_write(asked: Call, given: dict[str, Any], token: str, raw: bytes) -> HttpResponse:
    """Refuses malformed JSON, answers a repeat, runs the gate, refuses invalid values; then runs the view."""
    request = given["request"]
    data = checks.json_of(request, raw, asked.takes)
    if given["program"] and asked.seats_programs:
        data.setdefault("name", given["program"].guest.name)
    refused = _refused(asked, given, data)
    again = None
    try:
        again = repeated_call_of(request, token, raw)
        stored = again.kept() if again else None
        if stored:
            return _json_answer(
                stored.status, stored.body if stored.body is not None else as_json(_seen(given))
            )
    except Problem as problem:
        refused = refused or problem
    if asked.gate:
        asked.gate(given, data)
    if refused:
        raise refused
    return _written(asked, given, again)


def _refused(asked: Call, given: dict[str, Any], data: Any) -> Problem | None:
    """Adds body and query to `given`; returns Problem 422 for a wrong value, raises 400 for a wrong type."""
    try:
        if asked.takes:
            given["body"] = asked.takes.model_validate(data)
        if asked.query:
            given["query"] = checks.query_of(asked.query, given["request"])
    except ValidationError as fault:
        refused = of_body(fault)
        if refused.status == 400:
            raise refused from None
        return refused
    except Problem as problem:
        return problem
    return None


def _done(asked: Call, given: dict[str, Any]) -> ViewResult:
    try:
        return asked.does(**{name: given[name] for name in given if name in _wanted(asked.does)})
    except flow.WrongInvite as fault:
        raise at_field("/invite", str(fault), 403) from None
    except flow.TooLong as fault:
        raise at_field("/order", str(fault)) from None
    except flow.Refused as fault:
        raise Problem(409, str(fault)) from None
    except IllegalOrder as fault:
        raise at_field("/order", render_sentence(fault.sentence)) from None
    except RefusedName as fault:
        raise at_field("/name", str(fault)) from None


@cache
def _wanted(does: Callable[..., ViewResult]) -> frozenset[str]:
    return frozenset(signature(does).parameters)


def _written(asked: Call, given: dict[str, Any], again: RepeatedCall | None) -> HttpResponse:
    """Runs the view in a transaction, which also stores the answer; renders a match after the commit."""
    if asked.gives is schemas.Match and later.can_wait():
        _seen(given)  # renders a long match before the transaction begins (Later)
    try:
        with transaction.atomic():
            row = again.begin() if again else None
            if given["program"]:
                programs.confirm(given["program"])
            result = _done(asked, given)
            text = None if isinstance(result, Match) else as_json(result)
            if again and row:
                again.store(row, asked.status, text)
    except RepeatedKey:
        stored = again.kept() if again else None
        assert stored
        return _json_answer(stored.status, stored.body if stored.body is not None else as_json(_seen(given)))
    if text is None:
        text = as_json(_seen(given))
        if again and row:
            again.store(row, asked.status, text, last=_own_seat(given) is None)
    return _json_answer(asked.status, text)


def _own_seat(given: dict[str, Any]) -> Seat | None:
    """Reads the caller's seat anew; None if the call has given it up."""
    if given["program"]:
        return programs.seat_at(given["program"], given["match"])
    own = {"pk": given["seat"].pk, "link_hash": given["seat"].link_hash, "taken_at__isnull": False}
    return Seat.objects.filter(**own).first()


def _seen(given: dict[str, Any]) -> Ready:
    return see(Match.objects.get(pk=given["match"].pk), _own_seat(given))


def as_json(result: Any) -> str:
    """Serializes the result of a view as JSON text; None becomes an empty text."""
    if result is None:
        return ""
    if isinstance(result, Ready):
        return result.text
    if isinstance(result, BaseModel):
        return result.model_dump_json()
    return TypeAdapter(Any).dump_json(result).decode()


def _json_answer(status: int, text: str) -> HttpResponse:
    kind = {"content_type": "application/json"} if text else {}
    headers = {"Cache-Control": "no-store", "Content-Language": DATA}
    response = HttpResponse(text, status=status, headers=headers, **kind)
    if not text:
        del response["Content-Type"]
    return response


def _shown(request: HttpRequest, asked: Call, result: ViewResult) -> HttpResponseBase:
    """The response to a GET, with an ETag; 304 if the client has the same content already."""
    if isinstance(result, HttpResponseBase):
        response = result
    else:
        response = HttpResponse(as_json(result), content_type="application/json")
        response["Content-Language"] = DATA
    if asked.by != "anyone":
        patch_vary_headers(response, ["Authorization"])
    if not isinstance(response, HttpResponse):
        return response
    response["Cache-Control"] = "private, no-cache" if asked.of_match or asked.by == "league" else "no-cache"
    response["ETag"] = tag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    return get_conditional_response(request, etag=tag, response=response) or response


ASKED = "Access-Control-Request-Method"
MAY_SEND = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID"
MAY_READ = "ETag, RateLimit, RateLimit-Policy, Retry-After"
A_DAY = 24 * 3600


def preflight(request: HttpRequest, here: Mapping[str, Call]) -> HttpResponse | None:
    """Returns the response to a browser's preflight request; None for any other request."""
    if request.method != "OPTIONS" or ASKED not in request.headers:
        return None
    response = HttpResponse(status=204)
    del response["Content-Type"]
    patch_vary_headers(response, [ASKED])
    if request.headers[ASKED] in _open(here):
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Allow-Methods"] = ", ".join(_open(here))
        response["Access-Control-Allow-Headers"] = MAY_SEND
        response["Access-Control-Max-Age"] = str(A_DAY)
    return response


def _open(here: Mapping[str, Call]) -> list[str]:
    """The methods of a path that scripts of other sites may use (CORS)."""
    methods = [method for method, one in here.items() if method == "GET" or one.by != "anyone"]
    return [*methods, "HEAD"] if "GET" in methods else methods
