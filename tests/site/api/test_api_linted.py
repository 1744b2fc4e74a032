"""A linter of OpenAPI descriptions finds nothing in the API's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client

from tests.checkers import check

LINTER = "node_modules/@redocly/cli/bin/cli.js"


@pytest.mark.django_db
def test_the_description_passes_a_linter(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_bytes(client.get("/api/v1/openapi.json").content)
    told = check(LINTER, "lint", "--config", "redocly.yaml", "--format", "json", file)
    found = json.loads(told.stdout)
    problems = [
        f"{one['location'][0]['pointer']}: {one['message']} ({one['ruleId']})" for one in found["problems"]
    ]
    assert not problems, "\n".join(problems)
