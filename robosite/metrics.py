"""Figures for Prometheus: what this process has done, and how the site stands. Each process tells its own.

Other parts count with `Counter.add`, and say with `gauge` what is asked of them at every look.
"""

from __future__ import annotations

import hmac
import logging
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

log = logging.getLogger("robosite")

Reads = Callable[[], Mapping[str, float]]
"""Values by what tells them apart, as `status="open"`, or "" for a single one."""


class Counter:
    """Something that only grows, told apart by one label."""

    def __init__(self, name: str, says: str, label: str = "") -> None:
        self.name, self.says, self.label = name, says, label
        self.counts: dict[str, float] = {} if label else {"": 0}

    def add(self, which: str = "", count: float = 1) -> None:
        key = f'{self.label}="{which}"' if self.label else ""
        self.counts[key] = self.counts.get(key, 0) + count


class Times:
    """How long something took, in seconds, told apart by one label."""

    UP_TO = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

    def __init__(self, name: str, says: str, label: str) -> None:
        self.name, self.says, self.label = name, says, label
        self.took: dict[str, tuple[list[int], float]] = {}

    def add(self, which: str, seconds: float) -> None:
        counts, total = self.took.get(which) or ([0] * (len(self.UP_TO) + 1), 0.0)
        counts[bisect_left(self.UP_TO, seconds)] += 1
        self.took[which] = counts, total + seconds

    def lines(self) -> Iterator[str]:
        for which, (counts, total) in sorted(self.took.items()):
            label, so_far = f'{self.label}="{which}"', 0
            for most, count in zip((*map(str, self.UP_TO), "+Inf"), counts, strict=True):
                so_far += count
                yield f'{self.name}_bucket{{{label},le="{most}"}} {so_far}'
            yield f"{self.name}_sum{{{label}}} {total:.6f}"
            yield f"{self.name}_count{{{label}}} {so_far}"


SEALS = Counter("robosite_seals_total", "Orders sealed by this process.")
PUSHES = Counter("robosite_pushes_total", "Changes told to open pages by this process.", "result")
ANSWERS = Counter("robosite_answers_total", "Requests answered by this process.", "status")
TOOK = Times("robosite_answer_seconds", "How long an answer took to make.", "kind")

_gauges: dict[str, tuple[str, Reads]] = {}


def gauge(name: str, says: str, reads: Reads) -> None:
    """A figure of the site that is read at every look; called from an app's `ready`."""
    _gauges[name] = says, reads


_after: list[Callable[[int], None]] = []


def after(hears: Callable[[int], None]) -> None:
    """Hears the status of every answer; called from an app's `ready`."""
    if hears not in _after:
        _after.append(hears)


def timed(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """The middleware that counts answers and how long they took."""

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        ANSWERS.add(f"{response.status_code // 100}xx")
        TOOK.add(_kind(request.path), time.perf_counter() - began)
        for hears in _after:
            hears(response.status_code)
        return response

    return middleware


def _kind(path: str) -> str:
    first = path.split("/", 2)[1] if path.startswith("/") else ""
    return first if first in ("api", "admin", "static", "m") else "other"


def exposition() -> str:
    """All figures in Prometheus' text format."""
    lines: list[str] = []
    for counter in (SEALS, PUSHES, ANSWERS):
        lines += _head(counter.name, counter.says, "counter")
        lines += _values(counter.name, counter.counts)
    lines += [*_head(TOOK.name, TOOK.says, "histogram"), *TOOK.lines()]
    for name, (says, reads) in _gauges.items():
        try:
            values = reads()
        except Exception:  # one figure that cannot be read must not hide the others
            log.exception("the figure %s cannot be read", name)
            continue
        lines += [*_head(name, says, "gauge"), *_values(name, values)]
    return "\n".join(lines) + "\n"


def _head(name: str, says: str, kind: str) -> list[str]:
    return [f"# HELP {name} {says}", f"# TYPE {name} {kind}"]


def _values(name: str, values: Mapping[str, float]) -> list[str]:
    return [
        f"{name}{{{key}}} {value:g}" if key else f"{name} {value:g}" for key, value in sorted(values.items())
    ]


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For addresses of METRICS_FOR, and whoever shows METRICS_TOKEN; nobody else learns that it is there."""
    if not (_has_token(request) or _is_near(request)):
        raise Http404
    answer = HttpResponse(exposition(), content_type="text/plain; version=0.0.4; charset=utf-8")
    answer["Cache-Control"] = "no-store"
    return answer


def _has_token(request: HttpRequest) -> bool:
    token = settings.METRICS_TOKEN
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return bool(token) and hmac.compare_digest(given.encode(), token.encode())


def _is_near(request: HttpRequest) -> bool:
    """Whether it comes straight from such an address: what a proxy hands on comes from anywhere."""
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        at = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(at in ip_network(network, strict=False) for network in settings.METRICS_FOR)
