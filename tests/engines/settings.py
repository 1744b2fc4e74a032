"""The site's settings, with pages that listen for their own errors and get style sheets as collected."""

from robosite.settings import *  # noqa: F403

MIDDLEWARE = [*MIDDLEWARE, "tests.engines.listening.listening"]  # noqa: F405
DEBUG = False
