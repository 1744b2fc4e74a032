"""Template functions about lessons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosite.learn.lessons import lesson_address

FUNCTIONS: dict[str, Callable[..., Any]] = {function.__name__: function for function in (lesson_address,)}
