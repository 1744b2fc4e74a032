"""The rules of `make lint` for scripts: a record of state, a listener for each event (docs/scripts.md)."""

from __future__ import annotations

import json

import pytest

from tests.checkers import check

LINTER = "node_modules/eslint/bin/eslint.js"
STATE, LISTENER = "no-restricted-syntax", "site/one-listener"

LISTENS = "document.addEventListener('click', () => {});\n"


@pytest.mark.parametrize(
    ("script", "broken"),
    [
        ("let timer = 0;\ntimer += 1;", [STATE]),
        ("export let timer = 0;\ntimer += 1;", [STATE]),
        ("const waiting = [];\nwaiting.push(1);", [STATE]),
        ("const lost = new WeakMap();\nlost.set({}, 1);", [STATE]),
        ("const line = { timer: 0, waiting: [], lost: new Map() };\nline.timer = 1;", []),
        ("const NAMES = ['A'], KEYS = new Set(['a']);\nKEYS.has(NAMES[0]);", []),
        ("export function wait() {\n  let timer = 0;\n  timer += 1;\n  return timer;\n}", []),
        ("export const late = () => Date.now() > 5;", [STATE]),
        ("export const now = () => new Date();", [STATE]),
        ("export const at = (text) => new Date(text);", []),
        ("localStorage.setItem('theme', 'dark');", [STATE]),
        (LISTENS * 2, [LISTENER]),
        (LISTENS + "if (location.hash) document.addEventListener('click', () => {});", [LISTENER]),
        ("addEventListener('click', () => {});\nwindow.addEventListener('click', () => {});", [LISTENER]),
        (LISTENS + "addEventListener('click', () => {});", []),
        (LISTENS + "document.addEventListener('click', () => {}, true);", []),
        (LISTENS + "document.addEventListener('click', () => {}, { once: true });", []),
        (LISTENS + "export function more() {\n  " + LISTENS + "}", []),
    ],
)
def test_a_script_keeps_its_state_in_a_record_and_listens_once(script: str, broken: list[str]) -> None:
    given = ("--config", "eslint.config.mjs", "--format", "json", "--stdin", "--stdin-filename", "a.js")
    (found,) = json.loads(check(LINTER, *given, given=script).stdout)
    rules = [one["ruleId"] for one in found["messages"]]
    assert [rule for rule in rules if rule in (STATE, LISTENER)] == broken
