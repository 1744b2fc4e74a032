"""Every type of page that is photographed. A new one is a line here."""

from __future__ import annotations

from string import Formatter
from typing import NamedTuple

from playwright.sync_api import Page as Window


class Page(NamedTuple):
    """A type of page: its name, its address, who looks, and what is pressed there to come to it.

    Ada plays, Zoe only watches, Gus has lost a seat, Ida shares her device with Ben, staff keeps the site.
    In the address `{game}` is a game's slug, and every table of `town.py` is there by its name: `{planning}`
    is the match's key, `{planning_step}` a step in the middle of its last turn, as `3.2`. `{secret_…}` are
    links of Ada's. The page called `film` is photographed at every step of that turn.
    """

    name: str
    address: str
    who: str = "Zoe"
    press: str = ""
    """A selector of Playwright's. A page that is answered to a form is not loaded again."""


BROKEN = ("400", "413", "429", "500", "503")
"""Pages that no address answers as long as all is well."""

OF_THE_SITE = (
    Page("home", "/"),
    Page("home-known", "/", "Ada"),
    Page("my-games", "/mine/", "Ada"),
    Page("my-games-empty", "/mine/"),
    Page("you", "/me/", "Ada"),
    Page("you-settings", "/me/?settings=1", "Ada"),
    Page("you-nobody", "/me/"),
    Page("you-link", "/s/you/{secret_device}/"),  # before the next, which makes this link void
    Page("device", "/me/?settings=recovery", "Ada", "form[action$='/device/'] button"),
    Page("six-words", "/me/?settings=recovery", "Ada", "form[action$='/phrase/'] button"),
    Page("mail-confirm", "/s/mail/{secret_confirm}/"),
    Page("unsubscribe", "{secret_unsubscribe}"),
    Page("forget-me", "/me/forget/", "Ada"),
    Page("back", "/back/"),
    Page("holidays", "/me/holidays/", "Ada"),
    Page("holidays-nobody", "/me/holidays/"),
    Page("notices", "/notices/?at={planning}", "Ada"),
    Page("notices-none", "/notices/"),
    Page("friend", "/mine/results/?with={over}&seat=B", "Ada"),
    Page("import", "/import/"),
    Page("talk", "/m/{planning}/A/talk/", "Ada"),
    Page("talk-watchers", "/m/{planning}/talk/"),
    Page("notes", "/m/{planning}/A/notes/", "Ada"),
    Page("offer", "/m/{offered}/A/", "Ada"),
    Page("asked", "/m/{asked}/A/", "Ada"),
    Page("asking", "/m/{asked}/B/ask/", "Gus"),
    Page("late", "/m/{late}/A/", "Ada"),
    Page("late-time", "/m/{late}/A/time/", "Ada"),
    Page("pause", "/m/{pause}/A/", "Ada"),
    Page("paused", "/m/{paused}/A/", "Ada"),
    Page("paused-time", "/m/{paused}/A/time/", "Ada"),
    Page("curtain", "/m/{shared}/B/", "Ida"),
    Page("what-if", "/m/{opening}/A/", "Ada", ".ask-what-if"),
    Page("arrows-by-hand", "/new/robosoccer/?preset=custom", "Ada", "label:has([value='hand'])"),
    Page("report", "/report/{planning}/", "Ada"),
    Page("report-received", "{secret_received}", "Ada"),
    Page("measure", "/measure/{secret_measure}/", "Gus"),
    Page("measure-told", "/mine/", "Gus"),
    Page("talk-muted", "/m/{planning}/talk/", "Gus"),
    Page("barred", "/new/pigs/", "Gus", ".make-bar button"),
    Page("puzzles", "/puzzles/"),
    Page("privacy", "/privacy/"),
    Page("offline", "/offline/"),
    Page("error-403", "/m/{elsewhere}/A/"),
    Page("error-404", "/no/such/page"),
    *(Page(f"error-{status}", f"/broken/{status}/") for status in BROKEN),
    Page("api-docs", "/api/v1/docs"),
    Page("admin", "/admin/", "staff"),
    Page("admin-list", "/admin/matches/match/", "staff"),
    Page("queue", "/admin/moderation/report/", "staff"),
    Page("queue-report", "/admin/moderation/report/", "staff", "th.field-what a"),
    Page("queue-measures", "/admin/moderation/measure/", "staff"),
    Page("queue-range", "/admin/moderation/measure/range/", "staff"),
)

OF_A_GAME = (
    Page("new", "/new/{game}/", "Ada"),
    Page("new-mix", "/new/{game}/?preset=mix", "Ada"),
    Page("rules", "/rules/{game}/"),
    Page("paper", "/rules/{game}/paper/"),
    Page("things", "/rules/{game}/things/"),
    Page("figures", "/rules/{game}/figures/"),
    Page("lesson", "/learn/{game}/"),
    Page("puzzle", "/puzzles/{game}/7/"),
    Page("open", "/m/{open}/A/", "Ada"),
    Page("invite", "/s/invite/{open_invite}/"),
    Page("full", "/s/invite/{planning_invite}/"),
    Page("seat-link", "/s/seat/{planning_link}/"),
    Page("lost-seat", "/m/{planning}/B/ask/"),
    Page("opening", "/m/{opening}/A/", "Ada"),
    Page("refused", "/m/{opening}/A/", "Ada", "#plan [name=seal]"),
    Page("planning", "/m/{planning}/A/", "Ada"),
    Page("sealed", "/m/{sealed}/A/", "Ada"),
    Page("replies", "/m/{sealed}/A/replies/", "Ada"),
    Page("reveal", "/m/{news}/A/", "Ada"),
    Page("film", "/m/{planning}/A/?at={planning_step}", "Ada"),
    Page("timed", "/m/{timed}/A/", "Ada"),
    Page("time", "/m/{timed}/A/time/", "Ada"),
    Page("watching", "/m/{sealed}/"),
    Page("watching-film", "/m/{planning}/?at={planning_step}"),
    Page("ended", "/m/{ended}/A/", "Ada"),
    Page("over", "/m/{over}/A/", "Ada"),
    Page("rematch", "/m/{rematch}/A/", "Ada"),
    Page("over-watched", "/m/{over}/"),
    Page("comic", "/m/{over}/comic/"),
    Page("again", "/m/{over}/again/?turn=2"),
    Page("review", "/m/{over}/review/"),
)


def tables_of(*pages: Page) -> set[str]:
    """The names of the tables that the addresses of these pages speak of."""
    fields = {name or "" for page in pages for _, name, _, _ in Formatter().parse(page.address)}
    names = {name.partition("_")[0] for name in fields}
    of_people = any(page.who == "staff" or page.name.removeprefix("error-") in BROKEN for page in pages)
    if "secret" in names or of_people:
        names |= {"planning", "asked"}  # by which `town.py` knows who Ada and Gus are
    return names - {"", "game", "secret"}


UNFOLD = """one => {
    for (let at = one; at; at = at.parentElement) if (at.localName === "details") at.open = true;
}"""
"""Opens the folds that a control lies in."""


def come_to(window: Window, page: Page, place: dict[str, str]) -> int:
    """Opens the page and presses the buttons that lead to it; returns the status of the first answer."""
    status = page.name.removeprefix("error-")
    if status in BROKEN:
        window.route(
            "**" + page.address,
            lambda route: route.fulfill(status=int(status), body=place[status], content_type="text/html"),
        )
    answer = window.goto(page.address.format(**place), wait_until="load")
    if page.press:
        target = window.locator(page.press).first
        target.evaluate(UNFOLD)
        target.click(force=True)  # what is refused says why
        window.wait_for_load_state("networkidle")
    return answer.status if answer else 0
