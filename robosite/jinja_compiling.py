"""How Jinja2 compiles and runs the site's templates: once for each language, its texts already translated.

A page of a match has a hundred texts, forty templates and two hundred calls. Looking up the texts,
noting the globals of each template and asking each function what it takes was a third of what a page cost.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, gettext, override
from jinja2 import Environment, FileSystemBytecodeCache, Template, nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator
from jinja2.environment import TemplateModule
from jinja2.runtime import Context, Macro
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

from robosite.words import page_language

OLD = 30 * 24 * 3600.0
"""Seconds after which a folder of compiled templates is old, if nothing was added to it."""
TRANSLATES = ("_", "gettext")
"""Functions of templates whose texts are translated when a template is compiled."""


class TextsTranslated(NodeTransformer):
    """Puts translations in place of `_("…")` and of what `{% trans %}` has become.

    Facts in a text are put in when the template runs; texts that are chosen then are left to `translate`.
    """

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802  # Jinja2 finds it by this name
        self.generic_visit(node)
        text = _constant_text(node)
        if text is None:
            return node
        said = Markup(gettext(text))  # noqa: S704  # translators' HTML is as good as a template's
        if not node.kwargs:
            return nodes.Const(said % {}, lineno=node.lineno)
        facts = [nodes.Pair(nodes.Const(fact.key), fact.value) for fact in node.kwargs]
        return nodes.Mod(nodes.Const(said), nodes.Dict(facts), lineno=node.lineno)


def _constant_text(node: nodes.Call) -> str | None:
    """The text that this call translates, if it is known already."""
    if not isinstance(node.node, nodes.Name) or node.node.name not in TRANSLATES:
        return None
    if node.dyn_args or node.dyn_kwargs or len(node.args) != 1:
        return None
    (text,) = node.args
    return text.value if isinstance(text, nodes.Const) and isinstance(text.value, str) else None


class WritesMarkup(CodeGenerator):
    """Templates that write finished markup as it is, where Jinja2's own would copy it to escape nothing."""

    def _output_child_pre(self, node: nodes.Expr, frame: Any, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.written(")


def written(value: Any) -> str:
    """A value as a template writes it: markup as it is, all else escaped."""
    kind = type(value)
    if kind is Markup:
        return value
    return str(value) if kind is int else escape(value)


class PageContext(Context):
    """What a template knows. It is made for every template that a page includes, so it does little.

    Jinja2 notes which names are globals, for templates that are imported with a context; ours never are.
    """

    def __init__(
        self,
        environment: Environment,
        parent: dict[str, Any],
        name: str | None,
        blocks: dict[str, Callable[..., Any]],
        globals: Any = None,
    ) -> None:
        super().__init__(environment, parent, name, blocks)

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call what a template calls: mostly macros, and functions that do not ask for the context."""
        kind = type(function)
        if kind is Macro:
            if kwargs:
                kwargs.pop("_loop_vars", None)
                kwargs.pop("_block_vars", None)
            return function(self.eval_ctx, *args, **kwargs)
        if kind is FunctionType and not hasattr(function, "jinja_pass_arg"):
            if kwargs:
                kwargs.pop("_loop_vars", None)
                kwargs.pop("_block_vars", None)
            return function(*args, **kwargs)
        return super().call(function, *args, **kwargs)


class PageTemplate(Template):
    """A template whose macros are made once: no context of another one brings them globals of its own.

    A page is in one language: Django is asked once which. A template that was found in another language is
    looked up again.
    """

    def render(self, *args: Any, **kwargs: Any) -> str:
        language = get_language()
        env = self.environment
        if isinstance(env, PageEnvironment) and self.name and env.language != (language or env.default):
            return env.in_language(language).get_template(self.name).render(*args, **kwargs)
        token = page_language.set(language)
        try:
            return super().render(*args, **kwargs)
        finally:
            page_language.reset(token)

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:
        return super()._get_default_module()


class PageEnvironment(Environment):
    """The site's templates in one language; `in_language` has the others."""

    code_generator_class = WritesMarkup
    context_class = PageContext
    template_class = PageTemplate
    written = staticmethod(written)

    def __init__(self, language: str, siblings: dict[str, PageEnvironment], **options: Any) -> None:
        super().__init__(**options, bytecode_cache=CompiledTemplates.in_language(language))
        self.language = language
        self.default = settings.LANGUAGE_CODE
        self._siblings = siblings

    def in_language(self, language: str | None) -> PageEnvironment:
        """The same templates in that language, or in the site's own if it is none of the site's."""
        return self._siblings.get(language or self.default) or self._siblings[self.default]

    def make_globals(self, d: Any) -> dict[str, Any]:
        """One dictionary for a template: pages copy it, and Jinja2's chain of two takes ten times as long."""
        return {**self.globals, **(d or {})}

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        with override(self.language):
            translated = TextsTranslated().visit(source)
        return super()._generate(translated, *args, **kwargs)


class CompiledTemplates(FileSystemBytecodeCache):
    """Templates as Python's own code, kept in a folder of the site: a new process need not read them.

    Where nothing can be written, every process reads them for itself.
    """

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)

    @classmethod
    def in_language(cls, language: str) -> CompiledTemplates:
        """In a folder of DATA_DIR, another one for each version of the compiler and of the translations."""
        made_by = hashlib.sha256(version("jinja2").encode() + version("django").encode())
        texts = (Path(folder, language, "LC_MESSAGES", "django.mo") for folder in settings.LOCALE_PATHS)
        for file in (Path(__file__), *texts):
            with suppress(OSError):
                made_by.update(file.read_bytes())
        folder = settings.DATA_DIR / "templates" / f"{made_by.hexdigest()[:16]}-{language}"
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.touch()
            _clear_old(folder.parent, but=folder)
        return cls(str(folder))


def _clear_old(folders: Path, *, but: Path) -> None:
    """Deletes what earlier versions have compiled; a process that still runs compiles it for itself."""
    for folder in folders.iterdir():
        if folder != but and folder.stat().st_mtime < time.time() - OLD:
            shutil.rmtree(folder, ignore_errors=True)
