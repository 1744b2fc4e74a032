"""The site's settings, with style sheets as collected, and with pages that note their own errors.

Not every engine's driver tells what is on the console, so the first script of each page listens before any
other runs, and keeps what it hears for as long as the tab is open.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from robosite.settings import *  # noqa: F403

MIDDLEWARE = [*MIDDLEWARE, "tests.engines.settings.listening"]  # noqa: F405
DEBUG = False
SCRIPT = """
const heard = JSON.parse(sessionStorage.heard ?? "[]");
let leaves = false; // another page takes the place of this one, which ends its requests
addEventListener("beforeunload", () => { leaves = true; });
const hear = (...words) => {
  if (leaves) return;
  heard.push(`${location.pathname}: ${words.join(" ")}`);
  sessionStorage.heard = JSON.stringify(heard);
};
for (const level of ["error", "warn"]) {
  const say = console[level];
  console[level] = (...words) => { hear(level, ...words); say.apply(console, words); };
}
addEventListener("error", (event) => {
  const one = event.target;
  hear(one instanceof Element ? `not loaded: ${one.src ?? one.href}` : `error in a script: ${event.message}`);
}, true);
addEventListener("unhandledrejection", (event) => hear("rejected:", event.reason));
document.addEventListener("securitypolicyviolation", (event) => {
  hear("against the policy:", event.violatedDirective, event.blockedURI);
});
const ask = window.fetch;
window.fetch = async (...given) => {
  const answer = await ask(...given);
  if (answer.status >= 400) hear(answer.status, answer.url);
  return answer;
};
const { open } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.open = function (...given) {
  this.addEventListener("loadend", () => {
    if (this.status === 0 || this.status >= 400) hear(this.status, this.responseURL || given[1]);
  });
  return open.apply(this, given);
};
"""
ADDRESS = "/listening.js"


def listening(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path == ADDRESS:
            return HttpResponse(SCRIPT, content_type="text/javascript")
        response = get_response(request)
        if not response.streaming:
            response.content = response.content.replace(
                b"<head>", f'<head><script src="{ADDRESS}"></script>'.encode(), 1
            )
        return response

    return middleware
