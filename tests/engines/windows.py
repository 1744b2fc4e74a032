"""The interface that a match needs of a browser engine; each engine's driver is a file beside this one."""

from __future__ import annotations

from typing import Any, Protocol

PATIENCE = 60
"""Seconds that a page may take for what usually takes a tenth of one."""
SIZE = (1024, 720)
"""Width and height of a window, unless it is another."""
PHONE = (390, 664)
"""Those of a telephone, below the browser's own bars."""


class Unanswered(Exception):
    """A page did not answer, most likely because another one was just taking its place."""


class Window(Protocol):
    """One page of a guest in a browser of their own, with its cookies and what it stores."""

    def goto(self, address: str) -> None:
        """Opens the address and waits until it is loaded."""

    def evaluate(self, function: str, *values: Any) -> Any:
        """The JSON that a function of JavaScript returns in the page; raises Unanswered."""

    def tap(self, x: int, y: int) -> None:
        """Taps that point of the window, by finger where the engine has one, else by mouse."""

    def type(self, text: str) -> None:
        """Types into what has the focus."""

    def close(self) -> None: ...


class Engine(Protocol):
    """A browser engine that can open windows of different guests."""

    name: str

    def window(self, size: tuple[int, int] = SIZE) -> Window: ...
