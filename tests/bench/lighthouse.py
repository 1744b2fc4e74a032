"""Lighthouse's audits of four pages, on the phone and the slow line that it pretends: `make lighthouse`."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.screenshots.town import build
from tests.servers import Server

LIGHTHOUSE = "lighthouse@12.8.2"
CHROME_FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking --no-first-run"
PAGES = {"home": "/", "rules": "/rules/pigs/", "match form": "/new/pigs/", "seat page": "/m/{planning}/A/"}
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TIMES = {"largest-contentful-paint": "LCP", "total-blocking-time": "TBT", "cumulative-layout-shift": "CLS"}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="robosite-lighthouse-") as data:
        with Server(Path(data)) as server:
            places, cookies = build(server, ["pigs"], {"planning"}, set())
        known = "; ".join(f"{one['name']}={one['value']}" for one in cookies["Ada"])
        with Server(Path(data), prepare=False, DEBUG="0", LIMITS="on") as server:
            print("| page |", " | ".join([*CATEGORIES, *TIMES.values()]), "|")
            print("|---" * (1 + len(CATEGORIES) + len(TIMES)) + "|")
            for name, path in PAGES.items():
                told = audited(server.url + path.format(**places["pigs"]), known)
                scores = [f"{told['categories'][one]['score'] * 100:.0f}" for one in CATEGORIES]
                times = [told["audits"][one]["displayValue"] for one in TIMES]
                print(f"| {name} |", " | ".join([*scores, *times]), "|", flush=True)
                for category in CATEGORIES:
                    print_faults(told, category)


def audited(address: str, cookie: str) -> dict[str, Any]:
    command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json"]
    command += [f"--chrome-flags={CHROME_FLAGS}", "--extra-headers", json.dumps({"Cookie": cookie})]
    env = {**os.environ, "CHROME_PATH": os.environ["CHROMIUM"]}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def print_faults(told: dict[str, Any], category: str) -> None:
    """Prints what keeps a page from 100, but for times, which depend on the machine."""
    for one in told["categories"][category]["auditRefs"] if category != "performance" else ():
        audit = told["audits"][one["id"]]
        if one["weight"] and audit["score"] == 0:
            print(f"  {category}: {audit['title']}")


if __name__ == "__main__":
    main()
