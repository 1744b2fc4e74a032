"""The description of the API in OpenAPI 3.1, generated from the list of calls and their models."""

import re
from functools import cache
from http import HTTPStatus
from typing import Any, get_origin

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from games import GAMES
from robosite.api import schemas
from robosite.api.calls import CALLS, Call
from robosite.api.idempotency import MOST_CHARACTERS
from robosite.api.problems import TITLES
from robosite.api.schemas import Body

REF = "#/components/schemas/{model}"
PREFIX = "/api/v1/"


@cache
def described() -> dict[str, Any]:
    """Returns the OpenAPI 3.1 description of all API calls, which is built once and cached."""
    paths: dict[str, dict[str, Any]] = {}
    for one in CALLS:
        paths.setdefault(address(one), {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Robosite",
            "version": "1",
            "description": "For bots, clients, scripts. The same flow, rules and secrets as the pages.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "responses": {f"Problem{status}": _problem(status) for status in TITLES},
            "securitySchemes": {
                "seat": {"type": "http", "scheme": "bearer", "description": "The token of a seat."},
                "place": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of a place in a league, or of its organiser.",
                },
                "program": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of a program with a name, for all seats that it has taken.",
                },
            },
        },
    }


def address(one: Call) -> str:
    """Returns the path of an API call in OpenAPI's syntax, without a trailing slash."""
    return re.sub(r"<\w+:(\w+)>", r"{\1}", PREFIX + one.path).rstrip("/")


def _schemas() -> dict[str, Any]:
    shown: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        *((one.takes, "validation") for one in CALLS if one.takes),
        (schemas.ProblemDetails, "serialization"),
        *(
            (one.shows, "validation" if issubclass(one.shows, Body) else "serialization")
            for one in CALLS
            if one.shows
        ),
    ]
    _refs, schema = models_json_schema(list(dict.fromkeys(shown)), ref_template=REF)
    defined: dict[str, Any] = schema["$defs"]
    return defined


def _operation(one: Call) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.says,
        "security": _security(one),
        "parameters": [*_path(one), *_query(one), *_headers(one)],
        "responses": {str(one.status): _success(one)}
        | (
            {"304": {"description": HTTPStatus(304).phrase}}
            if one.method == "GET" and not one.streams
            else {}
        )
        | {str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in _wrong(one)},
    }
    if one.more:
        operation["description"] = one.more
    if one.takes:
        operation["requestBody"] = {
            "required": any(field.is_required() for field in one.takes.model_fields.values()),
            "content": {"application/json": {"schema": {"$ref": REF.format(model=one.takes.__name__)}}},
        }
    return operation


def _security(one: Call) -> list[dict[str, list[str]]]:
    tokens: dict[str, list[dict[str, list[str]]]] = {
        "viewer": [{}, {"seat": []}, {"program": []}],
        "seat": [{"seat": []}, {"program": []}],
        "program": [{"program": []}],
        "league": [{"place": []}, {"program": []}],
        "anyone": [{}, {"program": []}] if one.seats_programs else [],
    }
    return tokens[one.by]


def _path(one: Call) -> list[dict[str, Any]]:
    here = {"in": "path", "required": True}
    if one.of_match:
        schema: dict[str, Any] = {"type": "string", "pattern": "^[a-z0-9]{12}$"}
        return [{"name": "key", **here, "schema": schema, "description": "The match's public key."}]
    if one.of_league:
        key = {"name": "league", **here, "schema": {"type": "string", "pattern": "^[a-z0-9]{12}$"}}
        schema = {"type": "integer", "minimum": 1}
        place = {"name": "place", **here, "schema": schema, "description": "The place's number."}
        keys = [{**key, "description": "The league's public key."}]
        return [*keys, place] if "<int:place>" in one.path else keys
    if one.of_game:
        schema = {"type": "string", "enum": list(GAMES)}
        return [{"name": "slug", **here, "schema": schema, "description": "The game's."}]
    return []


def _query(one: Call) -> list[dict[str, Any]]:
    if one.query is None:
        return []
    schema = one.query.model_json_schema()
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": about}
        for name, about in schema["properties"].items()
    ]


def _headers(one: Call) -> list[dict[str, Any]]:
    name = "Idempotency-Key" if one.method != "GET" else "If-None-Match"
    if one.streams:
        says = "The id of the last event that you have: what has changed since is told."
        schema: dict[str, Any] = {"type": "string", "pattern": "^[0-9]{1,16}$"}
        last = {"name": "Last-Event-ID", "in": "header", "required": False, "schema": schema}
        return [{**last, "description": says}] if one.by == "program" else []
    says = (
        "The same call with the same key and body gives the same answer for 24 hours."
        + ("" if one.by in ("seat", "program") else " Without a token: a random UUID.")
        if one.method != "GET"
        else "The ETag of an answer that you have: 304 if it is the same."
    )
    schema = {"type": "string"}
    if one.method != "GET":
        schema |= {"minLength": 1, "maxLength": MOST_CHARACTERS, "pattern": "^[ -~]+$"}
        if one.by == "anyone":
            schema["format"] = "uuid"
    return [{"name": name, "in": "header", "required": False, "schema": schema, "description": says}]


def _success(one: Call) -> dict[str, Any]:
    response: dict[str, Any] = {"description": HTTPStatus(one.status).phrase}
    if one.streams or one.name == "docs":
        kind = "text/event-stream" if one.streams else "text/html"
        response["content"] = {kind: {"schema": {"type": "string"}}}
    elif one.gives is not None:
        response["content"] = {"application/json": {"schema": _referred(one)}}
    return response


def _referred(one: Call) -> dict[str, Any]:
    shown = {"$ref": REF.format(model=one.shows.__name__)} if one.shows else {"type": "object"}
    return {"type": "array", "items": shown} if get_origin(one.gives) is list else shown


def _wrong(one: Call) -> list[int]:
    wrong = {405, 413, 429, 500, 503}
    if one.of_match or one.of_game or one.of_league:
        wrong.add(404)
    if one.by != "anyone" or one.seats_programs:
        wrong.add(401)
    if one.by in ("viewer", "seat") or (one.by == "league" and one.of_league):
        wrong.add(403)
    if one.gate or one.action:
        wrong.add(403)
    if one.method != "GET":
        wrong |= {400, 415, 422}
    if one.query:
        wrong.add(422)
    if one.conflicts:
        wrong.add(409)
    return sorted(wrong)


def _problem(status: int) -> dict[str, Any]:
    response: dict[str, Any] = {
        "description": TITLES[status],
        "content": {"application/problem+json": {"schema": {"$ref": REF.format(model="ProblemDetails")}}},
    }
    if status in (429, 503):
        response["headers"] = {
            "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}
        }
    return response
