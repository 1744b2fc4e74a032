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
from jinja2 import Environment, FileSystemBytecodeCache, Template, nodes, pass_context
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator
from jinja2.environment import TemplateModule
from jinja2.runtime import Context, Macro
from jinja2.utils import missing
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

OLD = 30 * 24 * 3600.0
"""Seconds after which a folder of compiled templates is old, if nothing was added to it."""
NO_BOUND = -1
"""All templates are kept, as Jinja2 puts it: with a bound it notes at each look when one was last wanted."""
TRANSLATES = ("_", "gettext")
"""Functions of templates whose texts are translated when a template is compiled."""
ASKS_CONTEXT = pass_context(lambda context: context).jinja_pass_arg  # type: ignore[attr-defined]
"""How Jinja2 marks a function that gets the context as its first argument."""


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


class WritesPages(CodeGenerator):
    """Templates that hand on as little as they can.

    Finished markup is written as it is, where Jinja2's own would copy it to escape nothing; and what a
    template includes comes as one text, where Jinja2's own hands each bit through every template around it.
    """

    def visit_Include(self, node: nodes.Include, frame: Any) -> None:  # noqa: N802  # Jinja2's name
        if node.ignore_missing or not node.with_context:
            super().visit_Include(node, frame)
            return
        self.start_write(frame, node)
        self.write("environment.part(context, ")
        self.visit(node.template, frame)
        self.write(f", {self.dump_local_context(frame)})")
        self.end_write(frame)

    def _output_child_pre(self, node: nodes.Expr, frame: Any, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.written(")


def written(value: Any) -> str:
    """A value as a template writes it: markup as it is, all else escaped."""
    kind = type(value)
    if kind is Markup or (kind is str and value.isalnum()):
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

    def of_part(self, template: Template, known: dict[str, Any]) -> PageContext:
        """The names for a template that is included here, where `known` are those of the place."""
        made = PageContext.__new__(PageContext)
        made.environment, made.eval_ctx, made.name = self.environment, self.eval_ctx, template.name
        made.parent, made.vars = self.parent, {**self.vars, **known}
        made.exported_vars, made.globals_keys = set(), set()
        made.blocks = {name: [block] for name, block in template.blocks.items()}
        return made

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call what a template calls: mostly macros, and functions that ask for nothing or the context."""
        kind = type(function)
        if kind is Macro:
            if not kwargs and len(args) == function._argument_count and not _takes_more(function):
                return Markup(function._func(*args))  # noqa: S704  # as Jinja2's own, by a longer way
            first: tuple[Any, ...] = (self.eval_ctx,)
        elif kind is FunctionType and not hasattr(function, "jinja_pass_arg"):
            first = ()
        elif kind is FunctionType and function.jinja_pass_arg is ASKS_CONTEXT and not _of_place(kwargs):
            first = (self,)
        else:
            return super().call(function, *args, **kwargs)
        if kwargs:
            kwargs.pop("_loop_vars", None)
            kwargs.pop("_block_vars", None)
        return function(*first, *args, **kwargs)


def _takes_more(macro: Macro) -> Any:
    """Whether a macro takes more than the arguments that it names."""
    return macro.caller or macro.catch_kwargs or macro.catch_varargs


def _of_place(kwargs: dict[str, Any]) -> Any:
    """Names of a loop or a block that a function which asks for the context is to find there."""
    return kwargs and (kwargs.get("_loop_vars") or kwargs.get("_block_vars"))


class PageTemplate(Template):
    """A template whose macros are made once: no context of another one brings them globals of its own.

    A template that was found in another language is looked up again.
    """

    def render(self, *args: Any, **kwargs: Any) -> str:
        language, env = get_language(), self.environment
        if isinstance(env, PageEnvironment) and self.name and env.language != (language or env.default):
            return env.in_language(language).get_template(self.name).render(*args, **kwargs)
        return super().render(*args, **kwargs)

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:
        return super()._get_default_module()


class PageEnvironment(Environment):
    """The site's templates in one language; `in_language` has the others."""

    code_generator_class = WritesPages
    context_class = PageContext
    template_class = PageTemplate
    written = staticmethod(written)

    def __init__(self, language: str, siblings: dict[str, PageEnvironment], **options: Any) -> None:
        compiled = CompiledTemplates.in_language(language)
        super().__init__(**options, bytecode_cache=compiled, cache_size=NO_BOUND)
        self.language = language
        self.default = settings.LANGUAGE_CODE
        self._siblings = siblings

    def in_language(self, language: str | None) -> PageEnvironment:
        """The same templates in that language, or in the site's own if it is none of the site's."""
        return self._siblings.get(language or self.default) or self._siblings[self.default]

    def part(self, context: PageContext, name: Any, known: dict[str, Any]) -> str:
        """The text of a template that another one includes, told the names of that place."""
        template = self.get_or_select_template(name)
        there = {key: value for key, value in known.items() if value is not missing}
        return self.concat(template.root_render_func(context.of_part(template, there)))

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
