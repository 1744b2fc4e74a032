"""One function of the flow replaced in each of its modules, since each has imported it by name."""

from __future__ import annotations

import sys
from typing import Any

import pytest

FLOW = "robosite.matches.flow"


def replace_in_flow(monkeypatch: pytest.MonkeyPatch, name: str, new: Any, flow: str = FLOW) -> None:
    """Replaces `name` wherever a module of the flow has it; fails if none has."""
    modules = [
        module for path, module in list(sys.modules.items()) if path == flow or path.startswith(f"{flow}.")
    ]
    holders = [module for module in modules if name in vars(module)]
    assert holders, name
    for module in holders:
        monkeypatch.setattr(module, name, new)
