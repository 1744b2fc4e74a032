"""Reads URLs and forms that clients send; a malformed URL raises no exception."""

from urllib.parse import SplitResult, urlsplit

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

NO_ADDRESS = urlsplit("")


def split_url(text: str) -> SplitResult:
    """The parts of a URL; empty parts if it cannot be parsed, such as `http://[` or `http://x:y/`."""
    try:
        found = urlsplit(text)
        _ = found.port
    except ValueError:
        return NO_ADDRESS
    return found


def next_page(request: HttpRequest, otherwise: str = "") -> str:
    """The field `next` of a form, if it is the path of a page of this site; else `otherwise`."""
    to = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(to, {request.get_host()}, require_https=request.is_secure())
    return to if ours and to.startswith("/") else otherwise


def nul_in_address(request: HttpRequest) -> bool:
    """Returns True if the URL of a request contains the character NUL, which no database accepts."""
    query = request.META.get("QUERY_STRING", "")
    return "\0" in request.path_info or "%00" in query or "\0" in query


def nul_in_form(request: HttpRequest) -> bool:
    """Returns True if the form of a request contains the character NUL, in a name or a value."""
    return any("\0" in name or any("\0" in one for one in given) for name, given in request.POST.lists())
