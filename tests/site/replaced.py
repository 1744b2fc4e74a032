"""One function of the flow replaced in each of its modules, since each has imported it by name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from robosite.matches.flow import lock
from robosite.matches.models import Match

FLOW = "robosite.matches.flow"


def just_before_the_lock(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Something happens once, after a request was let in and before it has the match's lock."""
    enter = lock.locked_match

    def late(match: Match) -> Any:
        replace_in_flow(monkeypatch, "locked_match", enter)
        happens()
        return enter(match)

    replace_in_flow(monkeypatch, "locked_match", late)


def replace_in_flow(monkeypatch: pytest.MonkeyPatch, name: str, new: Any, flow: str = FLOW) -> None:
    """Replaces `name` wherever a module of the flow has it; fails if none has."""
    modules = [
        module for path, module in list(sys.modules.items()) if path == flow or path.startswith(f"{flow}.")
    ]
    holders = [module for module in modules if name in vars(module)]
    assert holders, name
    for module in holders:
        monkeypatch.setattr(module, name, new)
