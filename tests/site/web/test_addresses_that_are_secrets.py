"""Secret links: no request names them in a header, and a page that shows one says nothing back."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.test import Client

from robosite.web.middleware import NO_PATH
from tests.site.browsers import Browser, Table, text
from tests.site.leagues.test_league_pages import make
from tests.site.promises import LINK

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path", ["/s/invite/LINK/", "/s/seat/LINK/", "/s/none/LINK/", "/s//seat/LINK/", "/S/x"]
)
def test_pages_whose_address_is_a_secret_send_it_to_nobody(table: Table, path: str) -> None:
    for secret in (table.invite, "no-such-link"):
        answer = Client().get(path.replace("LINK", quote(secret)))
        assert answer["Referrer-Policy"] == NO_PATH == "strict-origin"
    assert Client().get("/")["Referrer-Policy"] == "same-origin"


def test_a_page_that_shows_a_secret_is_kept_nowhere(table: Table) -> None:
    for path in (f"{table.a.get_absolute_url()}more/", f"/s/invite/{table.invite}/"):
        answer = table.alice.get(path)
        assert LINK.search(text(answer)) and "no-store" in answer["Cache-Control"]


def test_the_page_of_a_league_that_shows_its_links_is_kept_nowhere(alice: Browser) -> None:
    league, _invite = make(alice)
    page = league.get_absolute_url()
    for answer in (alice.get(page), alice.post(f"{page}start/"), alice.get(f"{page}record/")):
        assert (
            re.search("/s/(place|organiser|league)/", text(answer)) and "no-store" in answer["Cache-Control"]
        )


def test_the_token_of_forms_looks_different_in_every_answer(table: Table) -> None:
    tokens = [re.findall(r'"X-CSRFToken": "(\w+)"', text(table.alice.get("/mine/"))) for _ in range(3)]
    assert len({token for (token,) in tokens}) == 3


def test_the_length_of_what_is_compressed_is_blurred(table: Table) -> None:
    headers = {"Accept-Encoding": "gzip"}
    lengths = {len(table.alice.get(f"/s/invite/{table.invite}/", headers=headers).content) for _ in range(12)}
    assert len(lengths) > 1


def test_what_the_api_tells_is_not_compressed(table: Table, client: Client) -> None:
    answer = client.get(f"/api/v1/matches/{table.key}", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer
