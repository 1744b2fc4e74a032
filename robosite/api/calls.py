"""A call of the API: what it asks for, and the checks that come before it, in the order of the docs.

Route and method, size, limit, 404, 401 and 403, 415, 400, 422, 409. A view says with `@call` what it needs
and gets only what has passed; the OpenAPI description and the addresses are made of the same list.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.core.signals import got_request_exception
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.views.decorators.csrf import csrf_exempt
from pydantic import BaseModel, TypeAdapter, ValidationError

from games.core import IllegalOrder
from robosite import limits
from robosite.api.again import Again, Twice, asked_again
from robosite.api.problems import Problem, at_field, of_body, of_query
from robosite.api.seen import see
from robosite.api.shapes import Body
from robosite.asked import absolute
from robosite.limits import address
from robosite.matches import flow
from robosite.matches.models import Match, Seat, hash_secret
from robosite.matches.seals import Lost
from robosite.people.bars import Deed, bar_on
from robosite.people.names import RefusedName

log = logging.getLogger("robosite")

MOST_BYTES = 16 * 1024
"""The longest body."""

Made = BaseModel | list[Any] | dict[str, Any] | Match | HttpResponseBase | None
"""What a view answers: JSON, None for nothing, or a match, which is shown as the asking seat may see it."""
Does = TypeVar("Does", bound=Callable[..., Made])


@dataclass(frozen=True, slots=True)
class Call:
    """One method at one address. `path` is Django's; `takes` the body, `query` what may follow the address.

    `by` says whose token it takes: a viewer may have one, a seat must. `gate` refuses a body for its invite,
    which is told before anything else about it.
    """

    method: str
    path: str
    does: Callable[..., Made]
    takes: type[Body] | None
    query: type[BaseModel] | None
    gives: Any
    status: int
    by: Literal["anyone", "viewer", "seat"]
    limit: str
    conflicts: bool
    gate: Callable[[Match, Any], None] | None
    deed: Deed | None = None
    """What an address may be barred from, if it is this."""

    @property
    def name(self) -> str:
        return self.does.__name__

    @property
    def says(self) -> str:
        return (self.does.__doc__ or "").strip().partition("\n")[0]

    @property
    def more(self) -> str:
        return " ".join((self.does.__doc__ or "").strip().partition("\n")[2].split())

    @property
    def shown_path(self) -> str:
        return self.path.replace("<str:key>", "KEY")

    @property
    def asked_for(self) -> dict[str, Any]:
        """What may follow the address: name to JSON schema."""
        return self.query.model_json_schema()["properties"] if self.query else {}

    @property
    def body_fields(self) -> dict[str, bool]:
        """The fields of the body: name to whether it is required."""
        return (
            {name: field.is_required() for name, field in self.takes.model_fields.items()}
            if self.takes
            else {}
        )

    @property
    def answer_fields(self) -> list[str]:
        model = self.gives if isinstance(self.gives, type) and issubclass(self.gives, BaseModel) else None
        return list(model.model_fields) if model else []

    @property
    def of_match(self) -> bool:
        return "<str:key>" in self.path


CALLS: list[Call] = []


def call(
    method: str,
    path: str,
    *,
    takes: type[Body] | None = None,
    query: type[BaseModel] | None = None,
    gives: Any = None,
    status: int = 200,
    by: Literal["anyone", "viewer", "seat"] = "anyone",
    limit: str = "read",
    conflicts: bool = False,
    gate: Callable[[Match, Any], None] | None = None,
    deed: Deed | None = None,
) -> Callable[[Does], Does]:
    """Makes a view the answer to `method` at `path`; it gets by name what it asks for, checked:

    `request`, `match` (where the path has a key), `seat` (where a token may be given), `body`, `query`.
    """

    def enter(does: Does) -> Does:
        CALLS.append(Call(method, path, does, takes, query, gives, status, by, limit, conflicts, gate, deed))
        return does

    return enter


def door(path: str) -> Callable[..., HttpResponseBase]:
    """The view of an address: all its methods. Whatever is wrong comes out as problem details."""
    here = {one.method: one for one in CALLS if one.path == path}

    @csrf_exempt
    def view(request: HttpRequest, key: str = "") -> HttpResponseBase:
        # Uncompressed: the length of an answer must tell nothing of its secrets, and a stream not wait.
        request.META.pop("HTTP_ACCEPT_ENCODING", None)
        try:
            return _answer(request, here, key)
        except Problem as problem:
            response: HttpResponseBase = problem.answer()
        except TooManyFieldsSent:
            most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
            response = Problem(413, f"A query has at most {most} fields.").answer()
        except OperationalError:
            log.exception("the database did not answer: %s %s", request.method, request.path)
            busy = "The site is busy. Nothing was changed; please try again."
            response = Problem(503, busy, headers={"Retry-After": "5"}).answer()
        except Lost as lost:
            log.error("none of SEAL_KEYS opens %s, which %s %s needs", lost, request.method, request.path)
            gone = (
                "A key of this site is missing, so what was played here cannot be read. Nothing was changed."
            )
            response = Problem(503, gone, headers={"Retry-After": "3600"}).answer()
        except Exception:
            got_request_exception.send(sender=None, request=request)
            log.exception("a call failed: %s %s", request.method, request.path)
            response = Problem(500, "This is a fault of the site, not of your program.").answer()
        if any(one.by != "anyone" for one in here.values()):
            patch_vary_headers(response, ["Authorization"])
        return response

    return view


def _answer(request: HttpRequest, here: dict[str, Call], key: str) -> HttpResponseBase:
    asked = here.get("GET" if request.method == "HEAD" else request.method or "")
    if asked is None:
        allowed = ", ".join("GET, HEAD" if method == "GET" else method for method in here)
        raise Problem(405, f"Here you can {allowed}.", headers={"Allow": allowed})
    raw = _read(request)
    if seconds := limits.wait(f"api {asked.limit}", limits.address(request)):
        detail = f"Too many calls: please wait {seconds} s. The limits are in the documentation."
        raise Problem(429, detail, headers={"Retry-After": str(seconds)})
    given: dict[str, Any] = {"request": request}
    if asked.of_match:
        given["match"] = flow.look(_match(key))
    if asked.deed:
        _not_barred(request, asked.deed)
    token = _token(request) if asked.by != "anyone" else ""
    again = None
    if asked.by != "anyone":
        given["seat"] = seat = _seat(asked, token, given["match"])
        if seat is None and token:
            return _after_leaving(request, asked, token, raw)
        if seat is None and not given["match"].watched:
            raise Problem(403, "This match is for its players only: show the token of a seat.")
    if asked.method == "GET":
        if asked.query:
            given["query"] = _query(asked.query, request)
        return _shown(request, asked, _done(asked, given), token)
    data = _json(request, raw, asked.takes)
    refused: Problem | None = None
    try:
        if asked.takes:
            given["body"] = asked.takes.model_validate(data)
        if asked.query:
            given["query"] = _query(asked.query, request)
    except ValidationError as fault:
        refused = of_body(fault)
        if refused.status == 400:
            raise refused from None
    except Problem as problem:
        refused = problem
    try:
        again = asked_again(request, token, raw)
        kept = again.kept() if again else None
        if kept:
            return _json_answer(kept.status, kept.body if kept.body is not None else _render(_seen(given)))
    except Problem as problem:
        refused = refused or problem
    if asked.gate:
        asked.gate(given["match"], data)
    if refused:
        raise refused
    return _written(asked, given, again)


# The checks, in their order


def _read(request: HttpRequest) -> bytes:
    """The body; 413 by its announced length before it is read, and by the length read."""
    try:
        announced = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        announced = 0
    if announced <= MOST_BYTES:
        raw: bytes = request.read(MOST_BYTES + 1) if request.method not in ("GET", "HEAD") else b""
        if len(raw) <= MOST_BYTES:
            return raw
    raise Problem(413, f"A body has at most {MOST_BYTES} bytes.")


def _not_barred(request: HttpRequest, deed: Deed) -> None:
    """403 for an address that moderators have barred; a program has no cookies, so no guest."""
    bar = bar_on(deed, None, address(request))
    if bar:
        until = f"until {bar.until.isoformat()}" if bar.until else "for good"
        page = absolute(request, bar.page)
        why = f" Why: {bar.why}" if bar.why else ""
        raise Problem(403, f"This address is barred from that, {until}.{why} Object to it at {page}")


def _match(key: str) -> Match:
    match = Match.objects.filter(key=key).first() if re.fullmatch("[a-z0-9]{1,16}", key) else None
    if match is None:
        raise Problem(404, "There is no match with this key.")
    return match


def _token(request: HttpRequest) -> str:
    """The token of the Authorization header, "" without one."""
    header = request.headers.get("Authorization")
    if header is None:
        return ""
    scheme, _space, token = header.strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise _unknown("The header is “Authorization: Bearer TOKEN”.")
    return token.strip()


def _unknown(detail: str) -> Problem:
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


def _seat(asked: Call, token: str, match: Match) -> Seat | None:
    """Whose token it is; None without one, or with one that a kept answer may still know."""
    if not token:
        if asked.by == "seat":
            raise _unknown("This call needs the token of a seat: “Authorization: Bearer TOKEN”.")
        return None
    seat = Seat.objects.select_related("match").filter(link_hash=hash_secret(token)).first()
    if seat is None:
        return None
    if seat.match_id != match.pk:
        raise Problem(403, "This is the token of another match.")
    seat.match = match
    return seat


def _after_leaving(request: HttpRequest, asked: Call, token: str, raw: bytes) -> HttpResponse:
    """A token that opens nothing: 401, but for the call itself by which it gave its seat up."""
    if asked.method != "GET" and "Idempotency-Key" in request.headers:
        again = asked_again(request, token, raw)
        kept = again.kept(last=True) if again else None
        if kept and kept.body is not None:
            return _json_answer(kept.status, kept.body)
    raise _unknown("This token opens no seat, or no longer.")


def _json(request: HttpRequest, raw: bytes, takes: type[Body] | None) -> Any:
    """The body as JSON data; 415 and 400. A call whose body is empty needs no content type."""
    if not raw:
        if takes is None or not any(field.is_required() for field in takes.model_fields.values()):
            return {}
        raise Problem(400, "This call needs a body of JSON.")
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if request.content_type != "application/json" or charset not in ("utf-8", "utf8"):
        raise Problem(415, "Send “Content-Type: application/json”, in UTF-8.")
    try:
        data = json.loads(raw.decode(), parse_constant=_no_number)
        if _nested(data) > settings.MOST["nested"]:
            raise Problem(
                400, f"The body has more than {settings.MOST['nested']} brackets within each other."
            )
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError):
        raise Problem(400, "The body is not JSON in UTF-8 that can be read.") from None
    if not isinstance(data, dict):
        raise Problem(400, "The body is an object: {…}.")
    if takes is None and data:
        raise Problem(422, "This call takes no body.")
    return data


def _nested(data: Any) -> int:
    """How many lists and objects are within each other; no further than is allowed."""
    depth, level = 0, [data]
    while level and depth <= settings.MOST["nested"]:
        inner = [
            one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)
        ]
        depth += bool(inner)
        level = [each for one in inner for each in one]
    return depth


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _query(query: type[BaseModel], request: HttpRequest) -> BaseModel:
    try:
        return query.model_validate(request.GET.dict())
    except ValidationError as fault:
        raise of_query(fault) from None


# Doing it


def _done(asked: Call, given: dict[str, Any]) -> Made:
    """What the view answers; what the flow refuses, as a problem."""
    try:
        return asked.does(**{name: given[name] for name in given if name in _wanted(asked)})
    except flow.WrongInvite as fault:
        raise at_field(403, "/invite", str(fault)) from None
    except flow.TooLong as fault:
        raise at_field(422, "/order", str(fault)) from None
    except flow.Refused as fault:
        raise Problem(409, str(fault)) from None
    except IllegalOrder as fault:
        raise at_field(422, "/order", str(fault)) from None
    except RefusedName as fault:
        raise at_field(422, "/name", str(fault)) from None


def _wanted(asked: Call) -> tuple[str, ...]:
    code = asked.does.__code__
    return code.co_varnames[: code.co_argcount]


def _written(asked: Call, given: dict[str, Any], again: Again | None) -> HttpResponse:
    """Does a write and keeps its answer in one transaction.

    A match is shown only after the commit, so that no position is ever replayed from what may be rolled back.
    """
    try:
        with transaction.atomic():
            row = again.begin() if again else None
            made = _done(asked, given)
            text = None if isinstance(made, Match) else _render(made)
            if again and row:
                again.keep(row, asked.status, text)
    except Twice:
        kept = again.kept() if again else None
        assert kept
        return _json_answer(kept.status, kept.body if kept.body is not None else _render(_seen(given)))
    if text is None:
        text = _render(_seen(given))
        if again and row:
            again.keep(row, asked.status, text, last=not _still_opens(again.token))
    return _json_answer(asked.status, text)


def _still_opens(token: str) -> bool:
    return Seat.objects.filter(link_hash=hash_secret(token)).exists()


def _seen(given: dict[str, Any]) -> BaseModel:
    """The match as it is now, as the asking seat sees it; as nobody, if it gave its seat up."""
    own = {"pk": given["seat"].pk, "link_hash": given["seat"].link_hash, "taken_at__isnull": False}
    seat = Seat.objects.filter(**own).first()
    return see(Match.objects.get(pk=given["match"].pk), seat)


def _render(made: Any) -> str:
    if made is None:
        return ""
    if isinstance(made, BaseModel):
        return made.model_dump_json()
    return TypeAdapter(Any).dump_json(made).decode()


def _json_answer(status: int, text: str) -> HttpResponse:
    kind = {"content_type": "application/json"} if text else {}
    response = HttpResponse(text, status=status, headers={"Cache-Control": "no-store"}, **kind)
    if not text:
        del response["Content-Type"]
    return response


def _shown(request: HttpRequest, asked: Call, made: Made, token: str) -> HttpResponseBase:
    """The answer to a GET, with its ETag; 304 where the reader has it already."""
    if isinstance(made, HttpResponseBase):
        response = made
    else:
        response = HttpResponse(_render(made), content_type="application/json")
    if asked.by != "anyone":
        patch_vary_headers(response, ["Authorization"])
    if not isinstance(response, HttpResponse):
        return response
    response["Cache-Control"] = "private, no-cache" if asked.of_match else "no-cache"
    etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response["ETag"] = etag
    given = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
    if given & {etag, "*"}:
        response.content = b""
        response.status_code = 304
        del response["Content-Type"]
    return response
