"""The second referee (docs/record.md) as one page of fixed bytes: `/verify/` or `manage.py referee FILE`."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from robosite.web.http import public

FOLDER = Path(settings.BASE_DIR) / "static" / "js" / "referee"
PAGE = Path(settings.BASE_DIR) / "templates" / "share" / "verify.html"
MODULES = ("rules", "json", "seal", "pigs", "roboxing", "robosoccer", "robble", "record")
"""The modules of the referee, each after those that it imports."""
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";\n', re.MULTILINE)
REEXPORT = re.compile(r"^export \{ ([^}]*) \};\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function) (\w+))", re.MULTILINE)
HOUR = 3600


@cache
def bundle(*more: str) -> str:
    """The modules and `more` as one script, whose constant `referee` has the exports of the last module."""
    modules = (*MODULES, *more)
    parts = [f"const ${name} = (() => {{\n{_wrapped(name)}}})();\n" for name in modules]
    return "".join(["const referee = (() => {\n", *parts, f"return ${modules[-1]};\n}})();\n"])


def _wrapped(name: str) -> str:
    code = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    exports = ", ".join([*EXPORT.findall(code), *REEXPORT.findall(code)])
    inside = REEXPORT.sub("", EXPORT.sub("", IMPORT.sub(r"const \1 = $\2;\n", code)))
    return f"{inside}return {{ {exports} }};\n"


@cache
def verify_page() -> str:
    """The page with its script and style inline, and a Content-Security-Policy that allows no request."""
    script = bundle() + (FOLDER / "verify.js").read_text(encoding="utf-8")
    style = (FOLDER / "verify.css").read_text(encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in (script, style)]
    of_script, of_style = (f"'sha256-{hash_}'" for hash_ in hashes)
    policy = f"default-src 'none'; script-src {of_script}; style-src {of_style}; base-uri 'none'"
    for sign, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script)):
        page = page.replace(f"%{sign}%", text)
    return page


@require_safe
@public(HOUR)
def verify(request: HttpRequest) -> HttpResponse:
    """The page that checks a match file on its reader's own device."""
    response = HttpResponse(verify_page())
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', verify_page())[0]
    response["Content-Security-Policy"] = f"{policy}; frame-ancestors 'none'; form-action 'none'"
    return response
