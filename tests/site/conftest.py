"""Who is there in the site's tests, and their clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.site.browsers import Browser, Table, sit_down


@pytest.fixture(autouse=True)
def no_limits(settings: Any) -> None:
    settings.LIMITS = "off"


@pytest.fixture
def alice(db: Any) -> Browser:
    return Browser("Alice")


@pytest.fixture
def bob(db: Any) -> Browser:
    return Browser("Bob")


@pytest.fixture
def charlie(db: Any) -> Browser:
    return Browser("Charlie")


@pytest.fixture
def table(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice and Bob have sat down; nobody has sealed."""
    return sit_down(alice, bob, charlie)


class Time:
    """The site's clock, which stands still until somebody moves it."""

    def __init__(self) -> None:
        self.present = timezone.now()

    def now(self) -> datetime:
        return self.present

    def pass_(self, **given: float) -> None:
        self.present += timedelta(**given)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    stands = Time()
    monkeypatch.setattr(timezone, "now", stands.now)
    return stands
