"""What goes wrong, as problem details (RFC 9457): every answer of the API that is no success."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from pydantic import ValidationError

TITLES = {
    400: "This is not the JSON that is asked for",
    401: "A token is needed",
    403: "This token or invite does not open that",
    404: "There is no such thing here",
    405: "This cannot be done here",
    409: "This cannot be done now",
    413: "Too much was sent",
    415: "JSON is asked for",
    422: "This cannot be had",
    429: "Too many calls",
    500: "The site made a mistake",
    503: "The site is busy",
}

Fault = tuple[str, str]
"""Where something is wrong (a JSON pointer into the body) and what, in a sentence."""


class Problem(Exception):
    """An answer that is no success. `detail` tells whoever wrote the program what to do."""

    def __init__(
        self, status: int, detail: str, faults: Iterable[Fault] = (), headers: dict[str, str] | None = None
    ) -> None:
        self.status = status
        self.detail = detail
        self.faults = list(faults)
        self.headers = headers or {}
        super().__init__(detail)

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "type": f"{reverse('api-docs')}#problem-{self.status}",
            "title": TITLES[self.status],
            "status": self.status,
            "detail": self.detail,
        }
        if self.faults:
            told["errors"] = [{"pointer": pointer, "detail": detail} for pointer, detail in self.faults]
        return told

    def answer(self) -> HttpResponse:
        return HttpResponse(
            json.dumps(self.as_json(), ensure_ascii=False),
            status=self.status,
            content_type="application/problem+json",
            headers={"Cache-Control": "no-store", **self.headers},
        )


def at_field(status: int, pointer: str, detail: str) -> Problem:
    """A problem with one field of the body."""
    return Problem(status, detail, [(pointer, detail)])


_TYPES = {
    "string_type": "This must be text.",
    "int_type": "This must be a whole number.",
    "float_type": "This must be a number.",
    "bool_type": "This must be true or false.",
    "dict_type": "This must be an object.",
    "model_type": "This must be an object.",
    "model_attributes_type": "This must be an object.",
}


def of_body(fault: ValidationError) -> Problem:
    """400 for a wrong JSON type, else 422: an unknown or missing field, or a value that cannot be had."""
    wrong, refused = [], []
    for error in fault.errors(include_url=False):
        kind, where, given = error["type"], error["loc"], error["input"]
        pointer = "".join(f"/{_escaped(str(part))}" for part in where)
        if kind in _TYPES:
            wrong.append((pointer, _TYPES[kind]))
        elif kind == "literal_error" and not isinstance(given, str):
            wrong.append((pointer, _TYPES["string_type"]))
        elif kind == "missing":
            refused.append((pointer, "This field is required."))
        elif kind == "extra_forbidden":
            refused.append((pointer, f"There is no field “{where[-1]}” here."))
        else:
            refused.append((pointer, error["msg"].removeprefix("Value error, ").rstrip(".") + "."))
    return _told(400, wrong) if wrong else _told(422, refused)


def of_query(fault: ValidationError) -> Problem:
    told = [
        f"“{error['loc'][0]}” in the address: {error['msg']}." for error in fault.errors(include_url=False)
    ]
    return Problem(422, " ".join(told))


def _told(status: int, faults: list[Fault]) -> Problem:
    pointer, detail = faults[0]
    return Problem(status, f"{pointer[1:]}: {detail}" if pointer else detail, faults)


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")
