"""Checkers that others use, from the npm registry: `sh .ci/checkers/install` brings them."""

from __future__ import annotations

from tests.servers import ROOT

FOLDER = ROOT / ".ci" / "checkers" / "node_modules"
def checker(p): return FOLDER / p
