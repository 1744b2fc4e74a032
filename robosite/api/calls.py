"""The registry of the API's calls, from which URLs, checks, answers and the OpenAPI description follow."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from django.http import HttpResponse, HttpResponseBase
from pydantic import BaseModel

from robosite.api import schemas
from robosite.api.models import NamedProgram
from robosite.api.schemas import Body, Nothing
from robosite.matches.models import Match, Seat
from robosite.matches.records import Ready
from robosite.people.restrictions import Action

MOST_BYTES = 16 * 1024
"""The maximum number of bytes of a body, unless the call has a limit of its own (`most_bytes`)."""
ViewResult = BaseModel | Ready | list[Any] | dict[str, Any] | Match | HttpResponseBase | None
"""A Match is rendered as the calling seat may see it; any other data become JSON, None an empty response."""
Token = Literal["anyone", "viewer", "seat", "program", "league"]
"""The token that a call needs; a program that sits at a seat may show its own instead of the seat's.

A viewer needs none, but may show a seat's. In calls about a league the view itself checks the token, which is
a place's, an organiser's or a program's.
"""
Does = TypeVar("Does", bound=Callable[..., ViewResult])


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the API: one method of one path (in Django's syntax), done by the view `does`.

    `takes`, `query` and `gives` are the models of the body, of the query parameters and of the response.
    """

    method: str
    path: str
    does: Callable[..., ViewResult]
    takes: type[Body] | None = None
    query: type[BaseModel] | None = None
    gives: Any = None
    status: int = 200
    by: Token = "anyone"
    limit: str = "read"
    """The rate limit, such as "read" for the row "api read" of `web/bounds.py`."""
    conflicts: bool = False
    """A flag: True if the call can return 409."""
    gate: Callable[[dict[str, Any], Any], None] | None = None
    """An additional check, such as of an invite; its Problem comes before one of the body's values (422)."""
    action: Action | None = None
    """The action that a caller performs by this call; None if moderators cannot bar anybody from the call."""
    acts: bool = True
    """A flag: True if a write is an act of its seat, which ends other people's requests for the seat."""
    most_bytes: int = MOST_BYTES

    @property
    def name(self) -> str:
        return self.does.__name__

    @property
    def says(self) -> str:
        """The first line of the view's docstring, which is the call's summary in the API documentation."""
        return (self.does.__doc__ or "").strip().partition("\n")[0]

    @property
    def more(self) -> str:
        """The view's docstring without its first line, joined to one line."""
        return " ".join((self.does.__doc__ or "").strip().partition("\n")[2].split())

    @property
    def shown_path(self) -> str:
        """The path with placeholders, as the API documentation shows it, such as `matches/KEY/order`."""
        keys = self.path.replace("<str:key>", "KEY").replace("<str:league>", "KEY")
        return keys.replace("<slug:slug>", "SLUG").replace("<int:place>", "N")

    @property
    def shows(self) -> type[BaseModel] | None:
        """The model of the response or, of a list, that of its items."""
        model = next(iter(get_args(self.gives)), self.gives)
        return model if isinstance(model, type) and issubclass(model, BaseModel) else None

    @property
    def seats_programs(self) -> bool:
        """True if the call needs no token, but acts for a program if the program's token is sent."""
        return self.by == "anyone" and "program" in signature(self.does).parameters

    @property
    def streams(self) -> bool:
        return self.path.rpartition("/")[2] == "events"

    @property
    def of_match(self) -> bool:
        return "<str:key>" in self.path

    @property
    def of_league(self) -> bool:
        return "<str:league>" in self.path

    @property
    def of_game(self) -> bool:
        return "<slug:slug>" in self.path


CALLS: list[Call] = []


def call(
    method: str, path: str, *, limit: str = "", conflicts: bool | None = None, **terms: Any
) -> Callable[[Does], Does]:
    """Decorator that registers a view; `terms` are fields of the Call that do not follow from its signature.

    By default, a write has the limit "write", and a POST or PUT for a match or league may return 409.
    """

    def enter(does: Does) -> Does:
        derived = _terms_of(method, does) | terms
        may_conflict = method in ("POST", "PUT") and derived["by"] != "program"
        CALLS.append(
            Call(
                method,
                path,
                does=does,
                limit=limit or ("read" if method == "GET" else "write"),
                conflicts=may_conflict if conflicts is None else conflicts,
                **derived,
            )
        )
        return does

    return enter


def _terms_of(method: str, does: Callable[..., ViewResult]) -> dict[str, Any]:
    hints = get_type_hints(does)
    returned = hints["return"]
    gives = schemas.Match if returned is Match else returned
    return {
        "takes": hints.get("body", Nothing if method == "POST" else None),
        "query": hints.get("query"),
        "gives": None if gives in (NoneType, Ready, HttpResponse, HttpResponseBase) else gives,
        "status": 204 if returned is NoneType else 200,
        "by": _token_for(hints),
    }


def _token_for(hints: dict[str, Any]) -> Token:
    if "seat" in hints:
        return "seat" if hints["seat"] is Seat else "viewer"
    if hints.get("program") is NamedProgram:
        return "program"
    return "league" if "caller" in hints else "anyone"
