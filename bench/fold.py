"""How fast a log folds: `python -m bench.fold`.

100,000 entries of one long voice call, as JSON lines in memory, become a State: with Cuelight, and with the reducer of
`pinecall`, each in a process of its own, in turns, several times. All must end in the same State. Each tenth of the log
is timed by itself, because the last must cost what the first does. Processor time is counted, and of each tenth the
best run, because what else the machine does only ever makes a run slower.
"""

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bench.environments import ROOT, WORK, python_with
from bench.voice_log import voice_log
from cuelight.log import Fold
from cuelight.wire import decode_entry, decode_log, encode

ENTRIES = 100_000
ROUNDS = 7
PEER = "pinecall==0.11.24"
GOAL = 12
"""How many times as fast as the peer a log must fold."""


class Result(NamedTuple):
    """One fold of the whole log: the seconds each tenth took, and the State as JSON."""

    tenths: list[float]
    state: dict[str, Any]


def main() -> None:
    """Measure, and print the table."""
    if sys.argv[1:2] == ["--once"]:
        print(json.dumps(_WAYS[sys.argv[2]](Path(sys.argv[3]))))
        return
    ours = [sys.executable, "-m", "bench.fold", "--once"]
    commands = {"cuelight": [*ours, "log"], "cuelight, each line by itself": [*ours, "lines"]}
    try:
        commands[PEER] = [str(python_with("pinecall", PEER)), str(ROOT / "bench" / "peers" / "fold_pinecall.py")]
    except subprocess.CalledProcessError:
        print(f"{PEER} cannot be installed here, so Cuelight is measured alone.", file=sys.stderr)
    WORK.mkdir(exist_ok=True)
    log = WORK / f"fold-{ENTRIES}.jsonl"
    log.write_bytes(b"".join(line + b"\n" for line in voice_log(ENTRIES)))
    results: dict[str, list[Result]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            done = subprocess.run([*command, str(log)], cwd=ROOT, check=True, capture_output=True)
            results[name].append(Result(**json.loads(done.stdout)))
    states = {json.dumps(runs[0].state, sort_keys=True) for runs in results.values()}
    if len(states) != 1:
        raise SystemExit("The libraries do not agree on the State, so their speed cannot be compared.")
    _print(results)


def _print(results: dict[str, list[Result]]) -> None:
    best = {
        name: [min(tenth) for tenth in zip(*(run.tenths for run in runs), strict=True)]
        for name, runs in results.items()
    }
    print(f"\nFolding {ENTRIES:,} entries from JSON lines, best of {ROUNDS} runs.\n")
    print("| | entries/s | us an entry, by tenth of the log | times the peer |")
    print("|---|--:|---|--:|")
    for name, tenths in best.items():
        cost = " ".join(f"{seconds / ENTRIES * 10 * 1e6:.1f}" for seconds in tenths)
        times = f"{sum(best[PEER]) / sum(tenths):.1f}" if PEER in best else ""
        print(f"| {name} | {ENTRIES / sum(tenths):,.0f} | {cost} | {times} |")
    if PEER in best and sum(best[PEER]) < GOAL * sum(best["cuelight"]):
        raise SystemExit(f"That is less than {GOAL} times as fast as the peer.")


def _log(log: Path) -> dict[str, Any]:
    pieces = [b"".join(part) for part in _tenths(log.read_bytes().splitlines(keepends=True))]
    fold = Fold()
    tenths = [_timed(fold.extend, decode_log, piece) for piece in pieces]
    return {"tenths": tenths, "state": json.loads(encode(fold.state))}


def _lines(log: Path) -> dict[str, Any]:
    lines = log.read_bytes().splitlines()
    fold = Fold()

    def feed(part: list[bytes]) -> None:
        for line in part:
            fold.feed(decode_entry(line))

    tenths = [_timed(feed, list, part) for part in _tenths(lines)]
    return {"tenths": tenths, "state": json.loads(encode(fold.state))}


def _tenths(lines: list[bytes]) -> list[list[bytes]]:
    size = -(-len(lines) // 10)
    return [lines[start : start + size] for start in range(0, len(lines), size)]


def _timed(consume: Callable[[Any], object], read: Callable[[Any], Any], source: object) -> float:
    gc.collect()
    began = time.process_time()
    consume(read(source))
    return time.process_time() - began


_WAYS = {"log": _log, "lines": _lines}

if __name__ == "__main__":
    main()
