"""The Jinja2 environment of the pages, used through Django's own backend."""

import hashlib
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from django.apps import apps
from django.conf import settings
from django.http import HttpRequest
from django.template import defaultfilters, engines
from django.template.backends.jinja2 import Jinja2
from django.template.backends.jinja2 import Template as BackendTemplate
from django.templatetags.static import static
from django.utils import timezone
from django.utils.module_loading import module_has_submodule
from django.utils.translation import get_language, get_language_info, gettext, ngettext
from django_htmx.jinja import htmx_script
from jinja2 import Environment, FileSystemBytecodeCache, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Macro
from markupsafe import Markup

from robosite.jinja import functions
from robosite.web.http import TOKEN_FIELD, path_of, with_token
from robosite.web.sentences import age_of, spell_duration, translated
from robosite.web.written_names import in_elements, without_isolates

INDENTED = re.compile(
    r"(<(pre|textarea)\b.*?</\2>)|(?P<attribute>(?<=%}\n)[ \t]+(?=[\w:-]+=\"))|^[ \t]+",
    re.DOTALL | re.MULTILINE,
)
"""Indentation, or a whole `<pre>` or `<textarea>` (group 1); an attribute after a block tag keeps a space."""
BLOCK = r"</?(?:article|div|fieldset|footer|form|h\d|header|li|main|nav|[ou]l|p|section|table|t[dhr]|tbody)\b"
AROUND_BLOCKS = re.compile(rf"\n+(?={BLOCK})|({BLOCK}[^<>]*>)\n+")
AS_WRITTEN = re.compile(r"<(/?)(?:pre|textarea)\b")
NO_BOUND = -1
FRAME = {
    "request": None,
    "csrf_token": "",
    "csrf_input": TOKEN_FIELD,
    "match": None,
    "waiting": 0,
    "called": None,
    "moderated": (),
}
"""Defaults for the variables of every page's frame, for pages where nothing else sets them."""
COMPONENTS = ("icon", "fields", "film_controls", "links", "times", "programs", "example", "leaf")
"""Files of `templates/components/` whose macros are global; each may call those of the files before it."""


class Unindented(Extension):
    """Removes white space meant only for readers of templates; `<pre>` and `<textarea>` stay unchanged.

    Indentation goes before parsing; line breaks after it, so that line numbers in errors stay right.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return INDENTED.sub(lambda found: found[1] or (" " if found["attribute"] else ""), source)

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
            if keeps:
                yield token
                continue
            text = AROUND_BLOCKS.sub(lambda found: found[1] or "", token.value)
            text = re.sub(r">\n+<", "><", text) if kind == "svg" else text.replace("\n", " ")
            yield Token(token.lineno, "data", text)


class Page(BackendTemplate):
    """A template that finishes names (`written_names.py`) and inserts a CSRF token when it is rendered."""

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> str:
        page = super().render(context, request)
        page = in_elements(page) if str(self.template.name).endswith(".html") else without_isolates(page)
        return with_token(page, request) if request else page


class Pages(Jinja2):
    """Django's Jinja2 backend, with `Page` as the class of templates."""

    def from_string(self, template_code: str) -> BackendTemplate:
        return Page(super().from_string(template_code).template, self)

    def get_template(self, template_name: str) -> BackendTemplate:
        return Page(super().get_template(template_name).template, self)


class PageEnvironment(Environment):
    """A Jinja2 environment that gives each template a plain dict as its globals, which is fast to copy."""

    def make_globals(self, d: Any) -> dict[str, Any]:
        return {**self.globals, **(d or {})}


def read_all_templates() -> int:
    """Loads all templates, so that files that change afterwards have no effect; returns their number."""
    engine: Any = engines["jinja2"]
    names = engine.env.list_templates(filter_func=lambda name: not name.startswith("staff/"))
    for name in names:
        engine.env.get_template(name)
    return len(names)


def environment(**options: Any) -> Environment:
    """Creates the environment for the backend; `options` come from settings.TEMPLATES."""
    env = PageEnvironment(
        **{**options, "undefined": StrictUndefined},
        extensions=["jinja2.ext.i18n", Unindented],
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=compiled_templates(Path(__file__)),
        cache_size=NO_BOUND,
    )
    env.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    env.globals |= FRAME
    env.globals |= {
        "_": translate,
        "gettext": translate,
        "url": path_of,
        "static": static if settings.DEBUG else cache(static),
        "translated": translated,
        "htmx_script": htmx_script if settings.DEBUG else cache(htmx_script),
        "current_language": get_language,
        "language_info": get_language_info,
    }
    env.filters |= {
        "capfirst": defaultfilters.capfirst,
        "date": date,
        "escapejs": defaultfilters.escapejs_filter,
        "floatformat": defaultfilters.floatformat,
        "linebreaksbr": linebreaksbr,
        "slugify": slugify,
        "age": age_of,
        "duration": spell_duration,
    }
    for source in _modules():
        env.globals |= _functions_of(source)
        env.filters |= getattr(source, "FILTERS", {})
    for name in COMPONENTS:
        module = vars(env.get_template(f"components/{name}.html").module)
        env.globals |= {key: macro for key, macro in module.items() if isinstance(macro, Macro)}
    return env


def _modules() -> list[ModuleType]:
    """`functions.py` beside this module, and each app's `template_functions.py`."""
    own = (app for app in apps.get_app_configs() if module_has_submodule(app.module, "template_functions"))
    return [functions, *(import_module(f"{app.name}.template_functions") for app in own)]


def _functions_of(module: ModuleType) -> dict[str, Any]:
    """The public functions of a module, and those of other modules that it names in its FUNCTIONS."""
    own = {
        name: one
        for name, one in vars(module).items()
        if callable(one) and one.__module__ == module.__name__ and name[0].islower()
    }
    return own | getattr(module, "FUNCTIONS", {})


def translate(text: str, /, **facts: Any) -> Markup:
    """Translates a template's text and inserts `facts`: their escaped values replace `%(name)s`."""
    return Markup(translated(text)) % facts  # noqa: S704  # translators' HTML is as good as a template's


@lru_cache(1024)
def slugify(text: str) -> str:
    """Converts a name from the site's own code to a slug, for URLs and the names of icons."""
    return str(defaultfilters.slugify(text))


def date(at: Any, form: str | None = None) -> str:
    """A date or time in the reader's time zone and language; `form` is that of Django's filter `date`."""
    here = timezone.template_localtime(at)  # type: ignore[attr-defined]
    return str(defaultfilters.date(here, form))


def linebreaksbr(text: Any) -> Markup:
    return Markup(defaultfilters.linebreaksbr(str(text), autoescape=True))  # noqa: S704


OLD = 30 * 24 * 3600.0
"""Seconds since a process last started with a folder of compiled templates; then the folder is deleted."""


class CompiledTemplates(FileSystemBytecodeCache):
    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def compiled_templates(*made_by: Path) -> CompiledTemplates:
    """Jinja2's bytecode cache in DATA_DIR, by version of Jinja2, Django and `made_by`; deletes OLD ones."""
    key = hashlib.sha256(version("jinja2").encode() + version("django").encode())
    for file in (Path(__file__), *made_by):
        with suppress(OSError):
            key.update(file.read_bytes())
    folder = settings.DATA_DIR / "templates" / key.hexdigest()[:16]
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.touch()
        for other in folder.parent.iterdir():
            if other != folder and other.stat().st_mtime < time.time() - OLD:
                shutil.rmtree(other, ignore_errors=True)
    return CompiledTemplates(str(folder))
