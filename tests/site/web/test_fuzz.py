"""Whatever is asked, and however: no answer of 500 or above, and no traceback in a log.

A short form runs with the others; FUZZ_REQUESTS=100000 asks so many in all, and FUZZ_SEED=2 asks
others (`make fuzz-requests N=100000 SEED=2`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from django.core.exceptions import TooManyFieldsSent
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from games import GAMES
from robosite.matches.history import _kept
from tests.site.fuzzing import (
    ADDRESSES,
    LONG,
    NASTY,
    REQUESTS,
    Faults,
    Odd,
    no_faults,
    odd,
    of_call,
    plain,
    recorded,
    some,
    tell,
    with_value,
)
from tests.site.pressing import all_forms, pressed, stages
from tests.site.routes import Ask, asks
from tests.site.routes import some as some_asks
from tests.site.world import World, undone, world

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(4 * 3600 if LONG else 900)]

SHARES = {"pages": 0.2, "seats": 0.25, "admin": 0.05, "api": 0.15}
"""The shares of the requests; 0.15 are for buttons, 0.15 for schemathesis and 0.05 for sockets."""


@pytest.fixture(autouse=True)
def faults() -> Iterator[Faults]:
    with no_faults() as heard:
        yield heard


@pytest.fixture(scope="module")
def there(django_db_setup: Any, django_db_blocker: Any) -> Iterator[World]:
    """One world for all; every request is undone."""
    with django_db_blocker.unblock(), transaction.atomic():
        made = world()
        for browser in made.people.values():
            browser.raise_request_exception = True
        yield made
        transaction.set_rollback(True)


def family(name: str) -> str:
    if name.startswith("admin:"):
        return "admin"
    return "api" if name.startswith("api-") else "pages"


def send(there: World, request: Odd) -> int:
    browser = there.people[request.who]
    headers = dict(request.headers)
    if request.path.startswith("/api/") and "Authorization" not in headers:
        token = next((t for who, t in there.tokens.items() if who.startswith(request.who)), None)
        if token:
            headers["Authorization"] = f"Bearer {token}"
    try:
        return undone(
            browser,
            lambda: browser.generic(
                request.method, request.path, request.body, request.kind, headers=headers
            ),
        ).status_code
    except TooManyFieldsSent:  # already of the test's client; on the site it is a 400 (test_long_bodies.py)
        return 400


@pytest.mark.integration
@pytest.mark.parametrize("part", SHARES)
def test_odd_requests_are_refused_and_never_a_fault(there: World, faults: Faults, part: str) -> None:
    by_name: dict[str, list[Any]] = {}
    for ask in asks(there):
        if part_of(ask) == part:
            by_name.setdefault(ask.name, []).append(ask)
    counted: Counter[int] = Counter()
    each = max(1, round(REQUESTS * SHARES[part] / len(by_name)))
    for number, group in enumerate(by_name.values()):

        @some(each, number)
        @given(odd(there, group))
        def asked(request: Odd) -> None:
            faults.found.clear()
            status = send(there, request)
            counted[status] += 1
            assert status < 500 and not faults.found, (status, faults.found, request)

        asked()
    tell(part, counted)


@pytest.mark.integration
@pytest.mark.parametrize("part", SHARES)
def test_no_parameter_takes_a_value_that_is_a_fault(there: World, faults: Faults, part: str) -> None:
    """Whatever an address reads of its query or form, with every odd value in its place."""
    of_part = some_asks([ask for ask in asks(there) if part_of(ask) == part])
    places = [(ask, name) for ask in of_part for name in parameters(there, ask)]
    assert places
    counted: Counter[int] = Counter()

    @some(max(1, round(REQUESTS * 2 * SHARES[part])), 0)
    @given(
        st.sampled_from(places),
        st.sampled_from((*ADDRESSES, *NASTY)),
        st.sampled_from(["Alice", *there.people]),
    )
    def tried(place: tuple[Ask, str], value: str, who: str) -> None:
        ask, name = place
        faults.found.clear()
        status = send(there, with_value(there, ask, who, name, value))
        counted[status] += 1
        assert status < 500 and not faults.found, (status, faults.found, ask, name, value)

    tried()
    tell(f"parameters of {part}", counted)


@pytest.mark.integration
def test_every_button_is_answered_for_every_part_of_every_page(there: World, faults: Faults) -> None:
    """Whatever a page offers to press, at any stage of a match, with whatever of the form has been lost."""
    forms = all_forms(there, stages(there)[:: 1 if REQUESTS > 100 else 4])
    counted: Counter[int] = Counter()

    @some(max(1, round(REQUESTS * 0.15)), 0)
    @given(pressed(forms, [*there.people]))
    def tried(request: Odd) -> None:
        faults.found.clear()
        status = send(there, request)
        counted[status] += 1
        assert status < 500 and not faults.found, (status, faults.found, request)

    tried()
    tell(f"buttons of {len(forms)} forms", counted)


def parameters(there: World, ask: Ask) -> list[str]:
    """The names that this address looks for in its query or form."""
    names = of_call(ask)
    if names is None:
        with recorded() as found:
            send(there, plain(ask, "staff" if family(ask.name) == "admin" else "Alice"))
        names = sorted(found | {*(ask.data or {})})
    return names


def part_of(ask: Ask) -> str:
    kind = family(ask.name)
    return "seats" if kind == "pages" and ask.path.startswith("/m/") else kind


@pytest.mark.integration
def test_the_api_keeps_to_its_description(there: World, faults: Faults) -> None:
    """Answers are as described for calls allowed and not, of any match, with any token."""
    for signal in request_started, request_finished:  # the transaction of all requests goes on
        signal.disconnect(close_old_connections)
    described = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", WSGIHandler())
    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]
    operations = [
        one
        for one in (found.ok() for found in described.get_all_operations())
        if not one.path.endswith("/events")  # they go on for 24 s; the requests above ask for them
    ]
    counted: Counter[int] = Counter()
    tokens = ["", "nobody", *there.tokens.values()]
    seats = {name: name.partition(" ")[2] for name in there.tokens}
    fitting = [(there.keys[at], there.tokens[name]) for name, at in seats.items() if at in there.keys]
    each = max(1, round(REQUESTS * 0.15 / len(operations) / 2))
    for number, one in enumerate(operations):
        modes = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
        for mode in modes if REQUESTS > 100 else (modes[number % 2],):
            known = st.sampled_from([*there.keys.values(), "abcdefghjkmn"] if mode.is_positive else [""])
            anybody = st.tuples(known, st.sampled_from(tokens))
            at_it = st.sampled_from(fitting) if mode.is_positive else anybody

            @some(each, number)
            @given(one.as_strategy(mode), st.one_of(at_it, at_it, anybody), st.sampled_from(list(GAMES)))
            def asked(case: Any, who: tuple[str, str], slug: str) -> None:
                (key, token), places = who, case.path_parameters or {}
                faults.found.clear()
                if key and "key" in places:
                    places["key"] = key
                if key and "slug" in places:
                    places["slug"] = slug
                headers = {"Authorization": f"Bearer {token}"} if token else {}
                with transaction.atomic():
                    answer = case.call(headers=headers)
                    transaction.set_rollback(True)
                _kept.clear()
                counted[answer.status_code] += 1
                assert not faults.found, (faults.found, case)
                case.validate_response(answer, checks=checks)

            with suppress(
                *([] if mode.is_positive else [Unsatisfiable])
            ):  # a call without anything to get wrong
                asked()
    for signal in request_started, request_finished:
        signal.connect(close_old_connections)
    tell("schemathesis", counted)
