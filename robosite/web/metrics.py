"""Metrics for Prometheus: counters of this process, and figures (`gauge`) read at every scrape."""

import hmac
import logging
import time
from collections.abc import Callable, Iterator, Mapping

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from robosite.web.addresses import is_in

log = logging.getLogger("robosite")

Reads = Callable[[], Mapping[str, float]]
"""A function that returns a figure's values by label; a figure without labels has one value, under ""."""

UP_TO = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds, in seconds, of the histogram buckets for response times."""

disable_created_metrics()
registry = CollectorRegistry()

SEALS = Counter("robosite_seals", "Orders sealed by this process.", registry=registry)
PUSHES = Counter(
    "robosite_pushes", "Changes told to open pages by this process.", ["result"], registry=registry
)
ANSWERS = Counter("robosite_answers", "Requests answered by this process.", ["status"], registry=registry)
TOOK = Histogram(
    "robosite_answer_seconds", "How long an answer took to make.", ["kind"], buckets=UP_TO, registry=registry
)


class Gauge(Collector):
    """A figure about the site, which is read at every scrape."""

    def __init__(self, name: str, says: str, reads: Reads, label: str) -> None:
        self.name, self.says, self.reads, self.label = name, says, reads, label

    def describe(self) -> list[GaugeMetricFamily]:
        """Returns the figure's name and description without values, for the registration."""
        return [GaugeMetricFamily(self.name, self.says)]

    def collect(self) -> Iterator[GaugeMetricFamily]:
        try:
            values = self.reads()
        except Exception:  # one figure that cannot be read must not hide the others
            log.exception("the figure %s cannot be read", self.name)
            return
        family = GaugeMetricFamily(self.name, self.says, labels=[self.label] if self.label else [])
        for which, value in values.items():
            family.add_metric([which] if self.label else [], value)
        yield family


def gauge(name: str, says: str, reads: Reads, label: str = "") -> Gauge:
    """Registers a figure and returns it; apps do so in their `AppConfig.ready`."""
    figure = Gauge(name, says, reads, label)
    registry.register(figure)
    return figure


observers: list[Callable[[int], None]] = []
"""Functions that are called with the status of every response."""


def timed(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that counts responses by status, measures how long they took, and calls `observers`."""

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        ANSWERS.labels(f"{response.status_code // 100}xx").inc()
        route: str = getattr(request, "route", "") or request.path_info.removeprefix("/")
        first = route.partition("/")[0]
        kind = first if first in ("api", "admin", "static", "m") else "other"
        TOOK.labels(kind).observe(time.perf_counter() - began)
        for observer in observers:
            observer(response.status_code)
        return response

    return middleware


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics page, for addresses in METRICS_FOR and requests with METRICS_TOKEN; 404 for all others."""
    token, given = settings.METRICS_TOKEN, request.headers.get("Authorization", "").removeprefix("Bearer ")
    has_token = bool(token) and hmac.compare_digest(given.encode(), token.encode())
    if not (has_token or _is_near(request)):
        raise Http404
    answer = HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    answer["Cache-Control"] = "no-store"
    return answer


def _is_near(request: HttpRequest) -> bool:
    """Returns True if the request comes directly, not through a proxy, from an address in METRICS_FOR."""
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    return is_in(request.META.get("REMOTE_ADDR", ""), settings.METRICS_FOR)
