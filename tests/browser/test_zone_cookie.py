"""The cookie with the reader's time zone, which a script writes, is for HTTPS alone where there is HTTPS."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route

from tests.receivers import until
from tests.servers import ROOT

pytestmark = pytest.mark.more

SCRIPTS = ROOT / "static" / "js"


@pytest.mark.parametrize(("scheme", "secure"), [("https", True), ("http", False)])
def test_the_zones_cookie_is_secure_where_the_page_is(browser: Browser, scheme: str, secure: bool) -> None:
    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        if name:
            route.fulfill(body=(SCRIPTS / name).read_text(), content_type="text/javascript")
        else:
            route.fulfill(body='<script type="module" src="/site.js"></script>', content_type="text/html")

    context = browser.new_context(timezone_id="Europe/Madrid")
    try:
        context.route("**/*", answer)
        page = context.new_page()
        page.goto(f"{scheme}://robots.example/")
        until(lambda: page.evaluate("document.cookie.includes('zone=')"))
        (cookie,) = context.cookies()
    finally:
        context.close()
    assert (cookie["name"], cookie["value"], cookie["secure"]) == ("zone", "Europe/Madrid", secure)
