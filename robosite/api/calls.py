"""The registry of the API's calls: the method, the path, the input and the output of each.

A view declares with `@call` what it needs, and receives only values that have passed the checks
(`checks.py`). The OpenAPI description and the URLs are generated from this registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from django.http import HttpResponseBase
from pydantic import BaseModel

from robosite.api.schemas import Body
from robosite.matches.models import Match
from robosite.matches.records import Ready
from robosite.people.restrictions import Action

MOST_BYTES = 16 * 1024
"""The maximum number of bytes of a body, unless the call has a limit of its own (`most_bytes`)."""
ViewResult = BaseModel | Ready | list[Any] | dict[str, Any] | Match | HttpResponseBase | None
"""The possible results of a view.

A Match is rendered as the calling seat may see it. A response is returned as it is. Any other data become
JSON, and None becomes an empty response.
"""
Does = TypeVar("Does", bound=Callable[..., ViewResult])


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the API: one method of one path.

    `path` is in Django's syntax, `does` is the view. `takes`, `query` and `gives` are the models of the body,
    of the query parameters and of the response. `status` is the HTTP status of a successful call. `limit`
    names the rate limit of the call, such as "read" for the row "api read" of `web/bounds.py`. `conflicts` is
    True if the call can return 409. `action` is an action from which moderators may bar a caller. `acts` is
    False if a write does not count as an act of the seat. `most_bytes` is the maximum size of the body.

    `gate` is an additional check, which raises a Problem, for example for a wrong invite. If the body is
    invalid (422) and the gate raises a Problem too, the Problem of the gate is returned.

    `by` says which token the call needs:

    - "anyone": none.
    - "viewer": none, but the call accepts the token of a seat, or of a program with a seat in the match.
    - "seat": the token of a seat, or of a program with a seat in the match.
    - "program": the token of a program.
    - "league": the token of a place, of an organiser or of a program. The view itself checks the token.
    """

    method: str
    path: str
    does: Callable[..., ViewResult]
    takes: type[Body] | None = None
    query: type[BaseModel] | None = None
    gives: Any = None
    status: int = 200
    by: Literal["anyone", "viewer", "seat", "program", "league"] = "anyone"
    limit: str = "read"
    conflicts: bool = False
    gate: Callable[[dict[str, Any], Any], None] | None = None
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
    def asked_for(self) -> dict[str, Any]:
        """The JSON schemas of the query parameters, by name."""
        return self.query.model_json_schema()["properties"] if self.query else {}

    @property
    def body_fields(self) -> dict[str, bool]:
        """The names of the body's fields, each mapped to True if the field is required, else False."""
        return (
            {name: field.is_required() for name, field in self.takes.model_fields.items()}
            if self.takes
            else {}
        )

    @property
    def answer_fields(self) -> list[str]:
        """The names of the response's fields; [] if the response is not a pydantic model."""
        model = self.gives if isinstance(self.gives, type) and issubclass(self.gives, BaseModel) else None
        return list(model.model_fields) if model else []

    @property
    def seats_programs(self) -> bool:
        """Returns True if the call needs no token, but acts for a program if the program's token is sent."""
        return self.by == "anyone" and "program" in signature(self.does).parameters

    @property
    def streams(self) -> bool:
        """Returns True if the response is an event stream."""
        return self.path.rpartition("/")[2] == "events"

    @property
    def of_match(self) -> bool:
        return "<str:key>" in self.path

    @property
    def of_league(self) -> bool:
        return "<str:league>" in self.path

    @property
    def of_place(self) -> bool:
        return "<int:place>" in self.path

    @property
    def of_game(self) -> bool:
        return "<slug:slug>" in self.path


CALLS: list[Call] = []
"""All calls of the API, in the order in which `call` has registered them."""


class Terms(TypedDict, total=False):
    """The optional fields of a `Call`, as keyword arguments of the decorator `call`; see `Call`."""

    takes: type[Body]
    query: type[BaseModel]
    gives: Any
    status: int
    by: Literal["anyone", "viewer", "seat", "program", "league"]
    limit: str
    conflicts: bool
    gate: Callable[[dict[str, Any], Any], None]
    action: Action
    acts: bool
    most_bytes: int


def call(method: str, path: str, **terms: Unpack[Terms]) -> Callable[[Does], Does]:
    """Decorator that registers a view as the handler of `method` at `path`.

    `terms` are the other fields of the Call.
    """

    def enter(does: Does) -> Does:
        CALLS.append(Call(method, path, does=does, **terms))
        return does

    return enter
