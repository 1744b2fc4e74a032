"""Problem details (RFC 9457): the form of every error of the API, in a language of the site."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from pydantic import ValidationError

TITLES = {
    400: gettext_noop("This is not the expected JSON"),
    401: gettext_noop("A token is needed"),
    403: gettext_noop("This token or invite does not open that"),
    404: gettext_noop("Not found"),
    405: gettext_noop("This cannot be done here"),
    409: gettext_noop("This cannot be done now"),
    413: gettext_noop("Request too large"),
    415: gettext_noop("JSON is required"),
    422: gettext_noop("This is not available"),
    429: gettext_noop("Too many calls"),
    500: gettext_noop("Something went wrong"),
    503: gettext_noop("The site is busy"),
}

Fault = tuple[str, str]
"""A fault in a body: the JSON pointer of the field, and a sentence about the fault."""


class Problem(Exception):
    """An error that becomes the response, as problem details; `faults` are those of single fields."""

    def __init__(
        self, status: int, detail: str, faults: Iterable[Fault] = (), headers: dict[str, str] | None = None
    ) -> None:
        self.status = status
        self.detail = detail
        self.faults = list(faults)
        self.headers = headers or {}
        super().__init__(detail)

    def as_json(self) -> dict[str, Any]:
        problem: dict[str, Any] = {
            "type": f"{reverse('api-docs')}#problem-{self.status}",
            "title": gettext(TITLES[self.status]),
            "status": self.status,
            "detail": self.detail,
        }
        if self.faults:
            problem["errors"] = [{"pointer": pointer, "detail": detail} for pointer, detail in self.faults]
        return problem

    def answer(self) -> HttpResponse:
        return HttpResponse(
            json.dumps(self.as_json(), ensure_ascii=False),
            status=self.status,
            content_type="application/problem+json",
            headers={"Cache-Control": "no-store", **self.headers},
        )


def at_field(pointer: str, detail: str, status: int = 422, **facts: object) -> Problem:
    """Returns the Problem about one field of the body; `pointer` is a JSON pointer such as `/name`."""
    detail = detail.format(**facts) if facts else detail
    return Problem(status, detail, [(pointer, detail)])


_TYPES = {
    "string_type": gettext_noop("This must be text."),
    "int_type": gettext_noop("This must be a whole number."),
    "float_type": gettext_noop("This must be a number."),
    "bool_type": gettext_noop("This must be true or false."),
    "dict_type": gettext_noop("This must be an object."),
    "list_type": gettext_noop("This must be a list."),
    "model_type": gettext_noop("This must be an object."),
    "model_attributes_type": gettext_noop("This must be an object."),
}
_VALUES = {
    "missing": gettext_noop("This field is required."),
    "int_parsing": _TYPES["int_type"],
    "int_parsing_size": gettext_noop("This number is too big."),
    "int_from_float": _TYPES["int_type"],
    "bool_parsing": gettext_noop("This must be 0 or 1."),
}


def of_body(fault: ValidationError) -> Problem:
    """Returns Problem 400 on the values of a wrong JSON type, if any; else 422 on all faulty values."""
    wrong, refused = [], []
    for error in fault.errors(include_url=False):
        kind, where, given = error["type"], error["loc"], error["input"]
        pointer = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in where)
        if kind in _TYPES:
            wrong.append((pointer, gettext(_TYPES[kind])))
        elif kind == "literal_error" and not isinstance(given, str):
            wrong.append((pointer, gettext(_TYPES["string_type"])))
        elif kind == "extra_forbidden":
            sentence = gettext("There is no field “{field}” here.").format(field=where[-1])
            refused.append((pointer, sentence))
        else:
            refused.append((pointer, _value(error)))
    return _problem(400, wrong) if wrong else _problem(422, refused)


def of_query(fault: ValidationError) -> Problem:
    """Returns Problem 422 for an invalid query, with a sentence about each wrong parameter."""
    template = gettext("“{name}” in the address: {fault}")
    faults = fault.errors(include_url=False)
    return Problem(422, " ".join(template.format(name=one["loc"][0], fault=_value(one)) for one in faults))


def _value(error: Mapping[str, Any]) -> str:
    kind, facts = error["type"], error.get("ctx", {})
    if kind in _VALUES:
        return gettext(_VALUES[kind])
    if kind == "literal_error":
        allowed = ", ".join(re.findall(r"'([^']*)'", facts["expected"]))
        return gettext("This must be one of these: {allowed}.").format(allowed=allowed)
    if kind == "string_too_long":
        return gettext("This is too long: {most} characters at most.").format(most=facts["max_length"])
    if kind == "greater_than_equal":
        return gettext("This must be at least {n}.").format(n=facts["ge"])
    if kind == "less_than_equal":
        return gettext("This must be at most {n}.").format(n=facts["le"])
    message: str = error["msg"]
    return message.removeprefix("Value error, ").rstrip(".") + "."


def _problem(status: int, faults: list[Fault]) -> Problem:
    pointer, detail = faults[0]
    return Problem(status, f"{pointer[1:]}: {detail}" if pointer else detail, faults)


def too_many_calls(seconds: int) -> Problem:
    """Returns Problem 429 for a caller who has used up a limit and must wait `seconds`."""
    detail = gettext("Too many calls from your address or program: please wait {n} s. See the documentation.")
    return Problem(429, detail.format(n=seconds), headers={"Retry-After": str(seconds)})


def too_costly(seconds: int) -> HttpResponse:
    """Returns the response 429 to a caller who has used too much processor time and must wait `seconds`."""
    detail = f"Your calls took the site too much processor time: please wait {seconds} s."
    return Problem(429, detail, headers={"Retry-After": str(seconds)}).answer()
