"""A seal by our API beside a move of boardgame.io on the same machine, by the servers' processor time.

`python -m tests.bench.boardgame FOLDER`: the folder holds `node_modules` with boardgame.io. To make one:
`npm init -y && npm install boardgame.io@0.50.2 node-persist@3.1.0 koa-compose@4.1.0`
(with koa-compose 4.2 its server answers every request of the lobby with 404).
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.bench import site
from tests.bench.figures import Row, Section, milliseconds, tell
from tests.bench.load import timed
from tests.bench.players import tables
from tests.servers import Server, free_port

RUNS = 3
MATCHES, MOVES = 3, 40
"""The moves that the other site plays in a run; ours plays as many seals."""
SCRIPT = Path(__file__).with_name("rivals") / "boardgame.js"


def main() -> None:
    folder = Path(sys.argv[1] if sys.argv[1:] else "").resolve()
    needed = [folder / "node_modules" / name for name in ("boardgame.io", "node-persist")]
    if not shutil.which("node") or not all(path.is_dir() for path in needed):
        sys.exit(f"boardgame.io is not there, so nothing was measured.\n{__doc__}")
    told = json.loads((needed[0] / "package.json").read_text())["version"]
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as data, ExitStack() as stack:
        ours = stack.enter_context(site.server(Path(data, "site")))
        memory = _serve(stack, folder)
        files = _serve(stack, folder, Path(data, "files"))
        section = asyncio.run(_measure(ours, folder, {"in memory": memory, "in files": files}))
    section.notes.append(f"boardgame.io {told}, Node {node}")
    tell(section)


def _serve(stack: ExitStack, folder: Path, *files: Path) -> int:
    """The port of a server of boardgame.io, with its storage in memory or in that folder."""
    port = free_port()
    process = subprocess.Popen(
        ["node", str(SCRIPT), "serve", str(folder), str(port), *map(str, files)],
        stdout=subprocess.PIPE,
        text=True,
    )
    stack.callback(process.wait)
    stack.callback(process.terminate)
    for line in process.stdout or ():
        if line.strip() == "ready":
            return port
    raise RuntimeError("boardgame.io has not started.")


async def _measure(ours: Server, folder: Path, theirs: dict[str, int]) -> Section:
    """Ours and theirs in turn, so that the machine's moods hit all alike."""
    section = Section(
        f"Processor time of the server: {RUNS} runs of {MATCHES} matches of {MOVES} moves each, in turn"
    )
    took: dict[str, list[float]] = {name: [] for name in ("ours", *theirs)}
    for _ in range(RUNS):
        made = await tables(ours.port, MATCHES, 0, MOVES // 2)
        run = await timed(ours, [made_one.api_seals(MOVES // 2) for made_one in made], float("inf"))
        took["ours"].append(run.cpu / len(run.each))
        for name, port in theirs.items():
            took[name].append(await asyncio.to_thread(_play, folder, port))
    section.rows.append(Row("our seal by the API, durable", cpu=milliseconds(median(took["ours"]))))
    for name in theirs:
        ratios = [own / other for own, other in zip(took["ours"], took[name], strict=True)]
        spread = f"ours ÷ theirs: {median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        section.rows.append(Row(f"their move, {name}", cpu=milliseconds(median(took[name])), remark=spread))
    return section


def _play(folder: Path, port: int) -> float:
    """Seconds of the server's processor for a move."""
    words = ["node", str(SCRIPT), "play", str(folder), str(port), str(MATCHES), str(MOVES)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    told = json.loads(done.stdout.splitlines()[-1])
    return float(told["microseconds"]) / 1e6 / float(told["moves"])


if __name__ == "__main__":
    main()
