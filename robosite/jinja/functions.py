"""Template functions for all apps: sentences with names, cached fragments, lists (of games, languages …)."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from games import GAMES, newest
from games.core import Game
from robosite.web.caches import once_made
from robosite.web.minifying import parts_of
from robosite.web.sentences import render_sentence
from robosite.web.written_names import Name


@pass_context
def say(context: Context, sentence: Any) -> str:
    """Translates a `Sentence` for a template, with players' names in place of their seats."""
    return render_sentence(sentence, names_of(context))


@pass_context
def name_of(context: Context, seat: str) -> str:
    """The name of the player on this seat; the seat's letter if the context has no name for the seat."""
    return names_of(context).get(seat, seat)


def names_of(context: Context) -> dict[str, str]:
    return context.get("names") or {}


def code(text: str) -> SafeString:
    """Converts a text to HTML, with `<code>` for Markdown's backquotes; for the description of the API."""
    parts = enumerate(text.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if n % 2 else part,) for n, part in parts)
    )


def grammar(text: str) -> str:
    """Breaks a grammar in EBNF into one rule per line."""
    return text.replace(" ; ", " ;\n")


def available_languages() -> list[tuple[str, str]]:
    return list(settings.LANGUAGES)


def style_sheets() -> list[str]:
    """The site's own style sheets, as names of static files: one joined file, or its parts with DEBUG."""
    return parts_of("css/site.css") if settings.DEBUG else ["css/site.css"]


def open_tables_on() -> bool:
    """Returns True if this site has a public list of matches with a seat that anybody may take."""
    return bool(settings.OPEN_TABLES)


@pass_context
def kept(context: Context, owner: Any, *parts: Any, caller: Callable[[], str]) -> str:
    """`{% call kept(step, "frame") %} … {% endcall %}`: caches the block's HTML in `owner`, such as a step.

    `owner.kept` is the cache, if any. The block may depend only on `owner`, names, language and `parts`.
    """
    cache: dict[Any, str] | None = getattr(owner, "kept", None)
    if cache is None:
        return caller()
    key = (get_language(), *names_of(context).values(), *parts)
    if key not in cache:
        cache[key] = caller()
    return cache[key]


@pass_context
def cached(context: Context, name: str, *parts: Any, caller: Callable[[], Markup]) -> Markup:
    """`{% call cached("new", "rules") %} … {% endcall %}`: caches a block by name, `parts`, language."""
    if not name:
        return caller()
    return once_made(("part", get_language(), name, *parts), caller)


@lru_cache(16)
def _zone_options(zones: tuple[str, ...]) -> str:
    return "".join(str(format_html("<option>{}</option>", zone)) for zone in zones)


def zone_options(zones: list[str], chosen: str) -> Markup:
    """The time zones as `<option>` elements of a `<select>`; `chosen` is selected, and added if missing."""
    plain, marked = _zone_options(tuple(zones)), format_html("<option selected>{}</option>", chosen)
    own = format_html("<option>{}</option>", chosen)
    return Markup(plain.replace(own, marked) if own in plain else marked + plain)  # noqa: S704  # escaped above


class Run(NamedTuple):
    """A group of consecutive items (`members`) with the same value (`grouper`) of an attribute."""

    grouper: Any
    members: list[Any]


def regrouped(items: Iterable[Any], by: str) -> list[Run]:
    """Groups consecutive items with the same value of the attribute `by`, which counts as None if missing."""

    def of(item: Any) -> Any:
        try:
            return attrgetter(by)(item)
        except AttributeError:
            return None

    return [Run(key, list(run)) for key, run in groupby(items, of)]


def all_games() -> list[Game]:
    return [newest(slug) for slug in GAMES]


FILTERS = {"code": code, "grammar": grammar, "named": Name}
