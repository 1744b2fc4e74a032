"""Template functions for the URLs of lessons and of the page “What is what?”."""

from collections.abc import Callable
from typing import Any

from robosite.learn.lessons import lesson_address
from robosite.learn.things import things_address

FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (lesson_address, things_address)
}
