"""Every type of page that is photographed. A new one is a line here."""

from __future__ import annotations

from string import Formatter
from typing import NamedTuple


class Page(NamedTuple):
    """A type of page: its name, its address, who looks (Ada plays, Zoe only watches, staff keeps the site).

    In the address `{game}` is a game's slug, and every table of `town.py` is there by its name:
    `{planning}` is the match's key, `{planning_step}` a step in the middle of its last turn, as `3.2`.
    """

    name: str
    address: str
    who: str = "Zoe"


OF_THE_SITE = (
    Page("home", "/"),
    Page("home-known", "/", "Ada"),
    Page("rules-of-all", "/rules/"),
    Page("my-games", "/mine/", "Ada"),
    Page("my-games-empty", "/mine/"),
    Page("error-403", "/m/{elsewhere}/A/"),
    Page("error-404", "/no/such/page"),
    Page("api-docs", "/api/v1/docs"),
    Page("admin", "/admin/", "staff"),
    Page("admin-list", "/admin/matches/match/", "staff"),
)

OF_A_GAME = (
    Page("new", "/new/{game}/", "Ada"),
    Page("new-mix", "/new/{game}/?preset=mix", "Ada"),
    Page("rules", "/rules/{game}/"),
    Page("lesson", "/learn/{game}/"),
    Page("open", "/m/{open}/A/", "Ada"),
    Page("invite", "/s/invite/{open_invite}/"),
    Page("full", "/s/invite/{planning_invite}/"),
    Page("seat-link", "/s/seat/{planning_link}/"),
    Page("opening", "/m/{opening}/A/", "Ada"),
    Page("planning", "/m/{planning}/A/", "Ada"),
    Page("sealed", "/m/{sealed}/A/", "Ada"),
    Page("film", "/m/{planning}/A/?at={planning_step}", "Ada"),
    Page("watching", "/m/{sealed}/"),
    Page("watching-film", "/m/{planning}/?at={planning_step}"),
    Page("over", "/m/{over}/A/", "Ada"),
    Page("over-watched", "/m/{over}/"),
)


def tables_of(*pages: Page) -> set[str]:
    """The names of the tables that the addresses of these pages speak of."""
    fields = {name or "" for page in pages for _, name, _, _ in Formatter().parse(page.address)}
    return {name.partition("_")[0] for name in fields} - {"", "game"}
