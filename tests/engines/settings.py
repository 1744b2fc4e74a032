"""The site's settings, with pages that listen for their own errors."""

from robosite.settings import *  # noqa: F403

MIDDLEWARE = [*MIDDLEWARE, "tests.engines.listening.listening"]  # noqa: F405
