"""Pages that a browser fetches before somebody asks for them: nothing changes, and nobody sees another's."""

from __future__ import annotations

import json
import re
from typing import Any

from django.urls import reverse

from robosite.matches.models import Hold
from robosite.play.decorators import TOO_EARLY
from robosite.web.views import FETCHED_EARLY
from tests.site.browsers import SHOTS, Browser, Table
from tests.site.play.test_hot_seat import at, device, share, take

__all__ = ["device"]

EARLY = {"Sec-Purpose": "prefetch"}


def test_pages_lead_to_the_rules_and_parts_of_them_do_not(client: Any, db: Any, table: Table) -> None:
    page = client.get("/")
    path = json.loads(page["Speculation-Rules"])
    rules = client.get(path)
    assert rules["Content-Type"] == "application/speculationrules+json"
    (rule,) = rules.json()["prefetch"]
    assert [one["href_matches"] for one in rule["where"]["or"]] == list(FETCHED_EARLY)
    assert "Speculation-Rules" not in table.alice.get(
        table.a.get_absolute_url(), headers={"HX-Request": "true"}
    )
    for other in ("/nothing/", f"/m/{table.key}/embed/", "/robots.txt", "/admin/login/"):
        assert "Speculation-Rules" not in client.get(other), other


def test_they_name_pages_alone_that_only_show() -> None:
    named = "|".join(re.sub(r":key", "[a-z0-9]+", one).replace("*", ".*") for one in FETCHED_EARLY)
    for name, args in (("talk", ("aaaaaaaaaaaa", "A")), ("export", ()), ("me", ()), ("notices", ())):
        assert not re.fullmatch(named, reverse(name, args=args)), name


def test_a_turn_counts_as_seen_once_somebody_sees_it(table: Table) -> None:
    table.play(SHOTS)
    hold, path = Hold.objects.get(seat=table.b), table.b.get_absolute_url()
    page = table.bob.get(path, headers=EARLY)
    assert page.status_code == 200 and "data-since" in page.content.decode()
    hold.refresh_from_db()
    assert hold.seen_turn == 0
    table.bob.get(path)
    hold.refresh_from_db()
    assert hold.seen_turn == 1


def test_a_watcher_has_not_seen_what_was_fetched_early(table: Table, charlie: Browser) -> None:
    path = f"/m/{table.key}/"
    charlie.get(path)
    table.play(SHOTS)
    assert "seen" not in charlie.get(path, headers=EARLY).cookies
    assert "seen" in charlie.get(path).cookies


def test_nothing_is_fetched_early_at_a_device_that_several_share(device: Browser) -> None:
    match = share(device)
    path = at(match, "A").get_absolute_url()
    take(device, at(match, "A"))
    assert device.get(path).status_code == 200
    assert device.get(path, headers=EARLY).status_code == TOO_EARLY
