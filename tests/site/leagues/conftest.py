"""Leagues of three that have begun, and the API as programs call it."""

from __future__ import annotations

from typing import Any

import pytest

from robosite.leagues.models import League
from tests.site.browsers import Browser
from tests.site.leagues.test_league_pages import begun
from tests.site.leagues.test_leagues import Api


@pytest.fixture
def api(db: Any) -> Api:
    return Api()


@pytest.fixture
def league(alice: Browser, bob: Browser, charlie: Browser) -> League:
    """Has begun; Alice organises it."""
    return begun(alice, bob, charlie)
