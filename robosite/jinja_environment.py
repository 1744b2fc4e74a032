"""The environment of the pages' templates: Jinja2 through Django's own backend.

Everything is escaped, a name that nobody has given is an error, and a line that holds only a block leaves no
white space in the page. Lines may be indented: the indentation is dropped when a template is read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template import defaultfilters
from django.templatetags.static import static
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.translation import get_language, get_language_info, gettext, ngettext
from django_htmx.jinja import htmx_script
from jinja2 import Environment, FileSystemBytecodeCache, StrictUndefined, Template
from jinja2.bccache import Bucket
from jinja2.environment import TemplateModule
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Context
from markupsafe import Markup

from robosite import template_functions

INDENTED = re.compile(r"(<(pre|textarea)\b.*?</\2>)|^[ \t]+", re.DOTALL | re.MULTILINE)
LONGEST_KEY = 16
"""Characters of a match's key or a game's name; tickets and invites are longer."""
BLOCK = r"</?(?:article|div|fieldset|footer|form|h\d|header|li|main|nav|[ou]l|p|section|table|t[dhr]|tbody)\b"
AROUND_BLOCKS = re.compile(rf"\n+(?={BLOCK})|({BLOCK}[^<>]*>)\n+")
AS_WRITTEN = re.compile(r"<(/?)(?:pre|textarea)\b")
FRAME = {
    "request": None,
    "csrf_token": "",
    "csrf_input": "",
    "match": None,
    "waiting": 0,
    "called": None,
    "moderated": (),
}
"""What the frame of every page asks for, where no view and no context processor says it."""


class Unindented(Extension):
    """Templates without the white space that only their readers need; `<pre>` stays as it is written.

    Indentation goes when a template is read, so that lines keep their numbers in errors. Then line breaks go
    around blocks and between the shapes of a drawing, and are spaces elsewhere, which makes pages lighter.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return INDENTED.sub(lambda found: found[1] or "", source)

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        kind = (stream.name or "").rpartition(".")[2]
        as_written = False
        for token in stream:
            if token.type != "data" or kind not in ("html", "svg"):
                yield token
                continue
            tags = AS_WRITTEN.findall(token.value)  # "" opens, "/" closes
            keeps = as_written or bool(tags)
            as_written = not tags[-1] if tags else as_written
            yield token if keeps else Token(token.lineno, "data", _closer(token.value, kind))


def _closer(text: str, kind: str) -> str:
    text = AROUND_BLOCKS.sub(lambda found: found[1] or "", text)
    return re.sub(r">\n+<", "><", text) if kind == "svg" else text.replace("\n", " ")


_language: ContextVar[str | None] = ContextVar("the language of the page that is being rendered")


class Shared(Template):
    """A template whose macros are made once: no context of another one brings them globals of its own.

    A page is in one language: Django is asked once which.
    """

    def render(self, *args: Any, **kwargs: Any) -> str:
        token = _language.set(get_language())
        try:
            return super().render(*args, **kwargs)
        finally:
            _language.reset(token)

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:
        return super()._get_default_module()


class Compiled(FileSystemBytecodeCache):
    """Templates as Python's own code, kept in a folder of the site: a new process need not read them.

    Where nothing can be written, every process reads them for itself.
    """

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)

    @classmethod
    def of_this_site(cls) -> Compiled:
        """In a folder of DATA_DIR, another one for each version of this file and of Jinja2."""
        made_by = hashlib.sha256(Path(__file__).read_bytes() + version("jinja2").encode())
        folder = settings.DATA_DIR / "templates" / made_by.hexdigest()[:16]
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(str(folder))


def environment(**options: Any) -> Environment:
    """What Django's backend makes templates with; `options` are those of settings.TEMPLATES."""
    env = Environment(  # noqa: S701  # autoescape is among the options
        **{**options, "undefined": StrictUndefined},
        extensions=["jinja2.ext.i18n", Unindented],
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=Compiled.of_this_site(),
    )
    env.template_class = Shared
    env.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    env.globals |= FRAME
    env.globals |= {
        "_": translate,
        "gettext": translate,
        "url": url,
        "static": static if settings.DEBUG else cache(static),
        "translated": gettext,
        "htmx_script": htmx_script if settings.DEBUG else cache(htmx_script),
        "current_language": get_language,
        "language_info": get_language_info,
        **template_functions.FUNCTIONS,
    }
    env.filters |= {
        "capfirst": defaultfilters.capfirst,
        "date": date,
        "escapejs": defaultfilters.escapejs_filter,
        "floatformat": defaultfilters.floatformat,
        "linebreaksbr": linebreaksbr,
        "slugify": defaultfilters.slugify,
        "timesince": defaultfilters.timesince_filter,
        **template_functions.FILTERS,
    }
    return env


def translate(text: str, /, **facts: Any) -> Markup:
    """A text in the reader's language, with facts in place of `%(name)s`, escaped."""
    said = _translated(text, _language.get(None) or get_language())
    return said % facts if facts else _whole(said)


@lru_cache(8192)
def _translated(text: str, language: str | None) -> Markup:
    return Markup(gettext(text))  # noqa: S704  # translators' HTML is as good as a template's


@lru_cache(8192)
def _whole(said: Markup) -> Markup:
    return said % {}


def url(name: str, /, *args: Any) -> str:
    """The path of a named address. Where it holds a secret, nothing is kept of it."""
    texts = tuple(map(str, args))
    if any(len(text) > LONGEST_KEY for text in texts):
        return reverse(name, args=args)
    return _path(get_script_prefix(), name, texts)


@lru_cache(8192)
def _path(prefix: str, name: str, args: tuple[str, ...]) -> str:
    return reverse(name, args=args)


def date(at: Any, form: str | None = None) -> str:
    """A date or a time, in the reader's zone and language."""
    here = timezone.template_localtime(at)  # type: ignore[attr-defined]
    return str(defaultfilters.date(here, form))


def linebreaksbr(text: Any) -> Markup:
    return Markup(defaultfilters.linebreaksbr(str(text), autoescape=True))  # noqa: S704
