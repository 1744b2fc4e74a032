"""Odd requests: values, parameters, paths; how many, and what was found."""

from __future__ import annotations

import json
import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db import connection
from django.http import QueryDict
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st

from robosite.api.calls import CALLS
from robosite.api.urls import name_of
from robosite.web.logs import NoSecrets
from tests.games.cases import size
from tests.site.routes import Ask
from tests.site.world import World

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", size("30", "200")))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
LONG = REQUESTS > 1000


class Faults(logging.Handler):
    """Keeps what a log must not hold: tracebacks, and errors."""

    def __init__(self) -> None:
        super().__init__()
        self.addFilter(NoSecrets())
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        is_error = record.levelno >= logging.ERROR and getattr(record, "status_code", 500) >= 500
        if record.exc_info or is_error:
            self.found.append(f"{record.name}: {record.getMessage()}")


@contextmanager
def no_faults() -> Iterator[Faults]:
    handler = Faults()
    if LONG:  # a hundred thousand lines on what was refused help nobody
        for console in logging.getLogger("django").handlers:
            console.setLevel(logging.ERROR)
    loggers = [logging.getLogger(name) for name in ("", "django", "robosite")]
    for one in loggers:
        one.addHandler(handler)
    try:
        yield handler
    finally:
        for one in loggers:
            one.removeHandler(handler)


def some(examples: int, number: int) -> Callable[[Any], Any]:
    """Runs that many examples; the same seed gives the same ones."""
    chosen = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: seed(SEED * 1000 + number)(chosen(test))


def tell(part: str, counted: Counter[Any]) -> None:
    note(f"{part}: {counted.total()} requests on {connection.vendor}: {dict(sorted(counted.items()))}")


def note(line: str) -> None:
    """A figure: printed, and kept in the file that FUZZ_TOLD names."""
    print(f"\n{line}")
    if "FUZZ_TOLD" in os.environ:
        with Path(os.environ["FUZZ_TOLD"]).open("a") as told:
            told.write(line + "\n")


@contextmanager
def recorded() -> Iterator[set[str]]:
    """The names that anybody looks for in queries and forms meanwhile."""
    found: set[str] = set()
    real = {way: getattr(QueryDict, way) for way in ("__getitem__", "__contains__", "getlist")}

    def noted(way: str) -> Any:
        def look(self: QueryDict, name: Any, *more: Any, **given: Any) -> Any:
            found.add(str(name))
            return real[way](self, name, *more, **given)

        return look

    for way in real:
        setattr(QueryDict, way, noted(way))
    try:
        yield found
    finally:
        for way, one in real.items():
            setattr(QueryDict, way, one)


def of_call(ask: Ask) -> list[str] | None:
    """The parameters and the fields of the body of a call of the API; None for an address that is none."""
    for call in CALLS:
        if (name_of(call.path), call.method) == (ask.name, ask.method):
            return [name for model in (call.query, call.takes) if model for name in model.model_fields]
    return None


def plain(ask: Ask, who: str) -> Odd:
    return _odd(ask, who, ask.path, dict(ask.data or {}), dict(ask.headers))


def with_value(there: World, ask: Ask, who: str, name: str, value: str) -> Odd:
    """The request with that value of a parameter in its query and its form or body, and with a token."""
    path = f"{ask.path}{'&' if '?' in ask.path else '?'}{quoted(name)}={quoted(value)}"
    token = there.tokens.get(f"{who} {ask.where.partition(' ')[0] or 'program'}")
    own = {"Authorization": f"Bearer {token}"} if token and path.startswith("/api/") else {}
    return _odd(ask, who, path, {**(ask.data or {}), name: value}, {**own, **ask.headers})


def as_json(given: Any) -> bytes:
    return json.dumps(given).encode("utf-8", "surrogatepass")


def _odd(ask: Ask, who: str, path: str, fields: dict[str, Any], headers: dict[str, str]) -> Odd:
    if ask.method in ("GET", "HEAD"):
        body, kind = b"", ""
    elif path.startswith("/api/"):
        body, kind = as_json(fields) if fields else b"", "application/json"
    else:
        body, kind = "&".join(f"{quoted(n)}={quoted(str(v))}" for n, v in fields.items()).encode(), KINDS[0]
    return Odd(ask.name, who, ask.method, path, body, kind, headers)


NASTY = (
    "", " ", "0", "-1", "1", "2", "²", "٣", "007", "1e309", "NaN", "Infinity", "9" * 8, "9" * 20,
    "-" + "9" * 30, "1.5", "0x10", "on", "true", "null", "None", "[]", "{}", '{"a": 1}', "A", "B", "Z", "a",
    "AB", "pigs", "roboxing", "robosoccer", "robble", "chess", "random", "\x00", "a\x00b", "\x7f\x1b[31m",
    "\r\nSet-Cookie: x=1", "\u202eevil", "\ud800", "\U0010ffff", "\ufffe", "é" * 200, "🐷" * 30, "x" * 300,
    "A" * 5000, "%00", "%ff", "../../etc/passwd", "<script>alert(1)</script>", "{{7*7}}", "{% debug %}",
    "%s%n%(x)s", "' OR 1=1 --", "2026-13-45", "0001-01-01", "9999-12-31", "10000-01-01", "2026-02-30T25:61",
    "Europe/Berlin", "../Europe", "a@b.c", "a@" + "b" * 300 + ".c", "http://[::1", "//evil.example/",
    "javascript:alert(1)", "https://127.0.0.1/", "F ^ TR v H", "TL TL TL TL TL", "resign", "draw",
    "F " * 900, "\u0661\u0662", "1_000", "+1", " 1", "1\n",
)  # fmt: skip
ADDRESSES = (
    "http://[", "https://[::1", "//[", "http://[::1]:x/", "http://x:y/", "http://x:99999/", "http:///x",
    "http:x", "/\\evil.example/", "\\\\evil.example", "///evil.example", "/\t/evil.example",
    "http://a@b:c@d/", "http://%zz/", "/%zz%", "%", "%2e%2e%2f", "%e2%80%ae", "/%00", "http://\u202ex/",
    "http://testserver/[", "?", "#", "/?next=/", "1", "home", "notices", "admin:index", "api-root", "seat",
    "http://testserver:80:80/", "http://testserver/m/", "http://testserver" + "/" * 3000, "javascript:0",
    "data:,x", "http://xn--/", "http://\ufe13/", "http://℀/", "/m/\x00/", "https://" + "a." * 200 + "b/",
    "http://\udce9/", "//testserver//evil.example/", "./..", "../",
)  # fmt: skip
"""Values for places where an address, or the name of one, is expected."""
PAGES = (Path(__file__).parents[2] / "templates").rglob("*.html")
OF_PAGES = {name for page in PAGES for name in re.findall(r'name="([a-z_]+)"', page.read_text())}
FIELDS = (
    *sorted(OF_PAGES),
    "seats", "n", "here", "hours", "options", "setup", "first", "last", "tab", "order", "said", "page",
    "at", "before", "from", "since", "legal", "open", "after", "theme", "played", "csrfmiddlewaretoken",
    "action", "_selected_action", "q", "p", "o", "_save", "_popup", "_to_field", "e", "bots", "chosen",
    "endpoint", "keys", "network", "url", "format", "maxwidth", "maxheight", "better", "sheet",
    "next", "status", "taken_back",
)  # fmt: skip
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "")
# No Content-Length: the server lets none through but the body's own (test_long_bodies.py).
HEADERS = (
    "HX-Request", "HX-Target", "HX-Trigger", "HX-Current-URL", "HX-Prompt", "HX-Current-URL-URI-AutoEncoded",
    "Accept", "Accept-Language", "Accept-Encoding", "Authorization", "Cookie", "If-None-Match", "If-Match",
    "If-Modified-Since", "If-Unmodified-Since", "Range", "Host", "Origin", "Referer", "X-Forwarded-For",
    "X-Forwarded-Proto", "X-Forwarded-Host", "Idempotency-Key", "Transfer-Encoding",
    "X-CSRFToken", "User-Agent", "Purpose", "Sec-Purpose", "X-Http-Method-Override",
)  # fmt: skip
KINDS = (
    "application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-16",
    "application/x-www-form-urlencoded; charset=nonsense", "multipart/form-data; boundary=B",
    "multipart/form-data", "multipart/form-data; boundary=" + "x" * 300, "multipart/form-data; boundary=é",
    "application/json", "application/json; charset=utf-7", "text/plain", "text/html; charset=", ";", "",
)  # fmt: skip
COOKIES = (
    "sessionid=", "sessionid=\x00", "sessionid=" + "a" * 32, "sessionid=" + "é" * 40,
    "sessionid=a b; csrftoken=x", "zone=Europe/Berlin", "zone=../../x", "zone=" + "Z" * 4000,
    "django_language=xx", "django_language=de\x00", "links=eyJ9:1:2", "links=" + "{" * 3000, "messages=[[",
    "messages=" + "[" * 3000, "theme=dark", "=; ; ;=", 'sessionid="\\777"', "news=99999999999999999999",
    "guest=1",
)  # fmt: skip

FRAMES: tuple[str | bytes, ...] = ("[" * 9000, '{"type": "changed"}', b"\x00" * 16000)

letters = st.characters(exclude_categories=())
value = st.sampled_from(NASTY) | st.sampled_from(ADDRESSES) | st.text(letters, max_size=40)
numbers = st.integers(min_value=-(2**70), max_value=2**70).map(str)
field = st.sampled_from(FIELDS) | st.text(letters, max_size=12)
json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | value,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(value, inner, max_size=4),
    max_leaves=8,
)


class Odd(NamedTuple):
    """A malformed or unusual request, byte for byte."""

    name: str
    who: str
    method: str
    path: str
    body: bytes
    kind: str
    headers: dict[str, str]


@st.composite
def odd(draw: st.DrawFn, there: World, asks: Sequence[Ask]) -> Odd:
    """One of these requests, usually with something wrong about it."""
    ask = draw(st.sampled_from(asks))
    who = draw(st.sampled_from([*there.people]))
    ways = ("method", "path", "query", "fields", "kind", "headers", "raw")
    wrong = draw(st.sets(st.sampled_from(ways), max_size=4))
    path, _, query = ask.path.partition("?")
    if "path" in wrong:
        path = draw(_path(there, path))
    if "query" in wrong:
        pairs = draw(st.lists(st.tuples(field, value | numbers), max_size=5))
        query = "&".join([query, *(f"{quoted(name)}={quoted(text)}" for name, text in pairs)])
        if draw(st.integers(0, 9)) == 0:
            query += draw(st.sampled_from(("&%", "&%zz=%ff%fe", "&=&=&", "&a" * 300, "&x=" + "%00" * 50)))
    method = draw(st.sampled_from(METHODS)) if "method" in wrong else ask.method
    headers = dict(ask.headers)
    if "headers" in wrong:
        for name in draw(st.sets(st.sampled_from(HEADERS), max_size=4)):
            choice = st.sampled_from(COOKIES) if name == "Cookie" else value | numbers
            headers[name] = draw(choice).encode("utf-8", "surrogatepass").decode("latin-1")[:4000]
    is_api = path.startswith("/api/")
    body, kind = draw(_json_body(ask, wrong)) if is_api else draw(_form_body(ask, wrong))
    if "kind" in wrong:
        kind = draw(st.sampled_from(KINDS))
    if "raw" in wrong:
        whole = st.sampled_from((b"--B\r\n", b"\x00", b"[" * 9000, b"a=" * 200))
        body = draw(st.binary(max_size=200) | whole)
    return Odd(ask.name, who, method, f"{path}?{query}" if query else path, body, kind, headers)


@st.composite
def _path(draw: st.DrawFn, there: World, path: str) -> str:
    """Another match's key, another's secret, or nonsense in one of its places."""
    parts = path.split("/")
    secrets = (there.keys, there.invites, there.tokens, there.tickets)
    known = [*(one for each in secrets for one in each.values()), "A", "C"]
    other = st.sampled_from(known) | value.map(quoted) | numbers
    at = draw(st.integers(1, max(len(parts) - 1, 1)))
    if at < len(parts) and draw(st.booleans()):
        parts[at] = draw(other)
    else:
        parts.insert(at, draw(other))
    return "/".join(parts)


def quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


@st.composite
def _fields(draw: st.DrawFn, ask: Ask, wrong: set[str]) -> list[tuple[str, str]]:
    given = [(str(name), str(one)) for name, one in (ask.data or {}).items()]
    if "fields" in wrong:
        given = [(name, draw(value | numbers) if draw(st.booleans()) else one) for name, one in given]
        given += draw(st.lists(st.tuples(field, value | numbers), max_size=6))
        if draw(st.integers(0, 30)) == 0:
            given += [("turn", "1")] * 150
    return given


@st.composite
def _form_body(draw: st.DrawFn, ask: Ask, wrong: set[str]) -> tuple[bytes, str]:
    given = draw(_fields(ask, wrong))
    if not given:
        return b"", KINDS[0]
    if draw(st.integers(0, 4)):
        return "&".join(f"{quoted(name)}={quoted(one)}" for name, one in given).encode(), KINDS[0]
    parts = []
    for name, one in given:
        file = draw(st.sampled_from(("", "", '; filename="x\x00.py"', '; filename=""')))
        head = f'--B\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
        parts.append((head + one + "\r\n").encode("utf-8", "surrogatepass"))
    return b"".join(parts) + b"--B--\r\n", "multipart/form-data; boundary=B"


@st.composite
def _json_body(draw: st.DrawFn, ask: Ask, wrong: set[str]) -> tuple[bytes, str]:
    if ask.data is None and "fields" not in wrong:
        return b"", ""
    given: Any = dict(ask.data or {})
    if "fields" in wrong:
        given = {name: draw(json_value) if draw(st.booleans()) else one for name, one in given.items()}
        given |= draw(st.dictionaries(field, json_value, max_size=3))
        if draw(st.integers(0, 9)) == 0:
            given = draw(json_value)
    return as_json(given), "application/json"


class OddSocket(NamedTuple):
    """A socket to anywhere, and what is sent over it."""

    who: str
    path: str
    headers: list[tuple[bytes, bytes]]
    frames: list[str | bytes]


@st.composite
def odd_socket(draw: st.DrawFn, there: World) -> OddSocket:
    key = draw(st.sampled_from([*there.keys.values(), "abcdefghjkmn", "x" * 12, "é"]))
    of_match = f"/ws/m/{key}/"
    path = draw(st.sampled_from((of_match, f"{of_match}A/", f"{of_match}B/", f"{of_match}H/", "/ws/mine/")))
    if draw(st.integers(0, 5)) == 0:
        path = draw(_path(there, path))
    origin = st.sampled_from((b"http://testserver", b"http://testserver", b"null", b"http://[", b"\xff", b""))
    headers = [(b"origin", draw(origin))]
    names = (b"cookie", b"x-forwarded-for", b"host", b"user-agent")
    for name in draw(st.sets(st.sampled_from(names), max_size=2)):
        text = draw(st.sampled_from(COOKIES) | value)
        headers.append((name, text.encode("utf-8", "surrogatepass")[:4000]))
    frame: st.SearchStrategy[Any] = value | st.binary(max_size=300) | st.sampled_from(FRAMES)
    return OddSocket(draw(st.sampled_from([*there.people])), path, headers, draw(st.lists(frame, max_size=4)))
