"""The list of the API's calls: for each its method, its address, and what it takes and gives.

A view says with `@call` what it needs and gets only what has passed `checks`; the OpenAPI description and the
addresses are made of the same list.
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
"""The longest body."""
Made = BaseModel | Ready | list[Any] | dict[str, Any] | Match | HttpResponseBase | None
"""A view's answer: JSON, None for nothing, or a match, which is shown as the asking seat may see it."""
Does = TypeVar("Does", bound=Callable[..., Made])


@dataclass(frozen=True, slots=True)
class Call:
    """One method at one address. `path` is Django's; `takes` the body, `query` the parameters.

    `by` says whose token it takes: a viewer may have one, a seat or a program must; "league" is that of a
    place or an organiser, which the view looks at itself. `gate` refuses a body for its invite, which is told
    before anything else about it.
    """

    method: str
    path: str
    does: Callable[..., Made]
    takes: type[Body] | None = None
    query: type[BaseModel] | None = None
    gives: Any = None
    status: int = 200
    by: Literal["anyone", "viewer", "seat", "program", "league"] = "anyone"
    limit: str = "read"
    conflicts: bool = False
    gate: Callable[[dict[str, Any], Any], None] | None = None
    action: Action | None = None
    """The action, if this is one, from which an address may be barred."""
    acts: bool = True
    """Tell whether a call that is no GET changes anything. If it does not, it leaves requests for the seat
    alone."""
    most_bytes: int = MOST_BYTES

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
        keys = self.path.replace("<str:key>", "KEY").replace("<str:league>", "KEY")
        return keys.replace("<slug:slug>", "SLUG").replace("<int:place>", "N")

    @property
    def asked_for(self) -> dict[str, Any]:
        """The query's parameters: their JSON schemas by name."""
        return self.query.model_json_schema()["properties"] if self.query else {}

    @property
    def body_fields(self) -> dict[str, bool]:
        """The fields of the body: whether each is required, by name."""
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
    def seats_programs(self) -> bool:
        """Tell whether it needs no token, but with a program's token acts in that program's name."""
        return self.by == "anyone" and "program" in signature(self.does).parameters

    @property
    def streams(self) -> bool:
        """Tell whether its answer is an event stream."""
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


class Terms(TypedDict, total=False):
    """The fields of `Call` that a call may set."""

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
    """Makes a view the answer to `method` at `path`; it gets by name what it asks for, checked:

    `request`, `match` (where the path has a key), `league` and `place` likewise, `seat` (where a token may be
    given), `token`, `program` (whose token it is, if one's), `body`, `query`.
    """

    def enter(does: Does) -> Does:
        CALLS.append(Call(method, path, does=does, **terms))
        return does

    return enter
