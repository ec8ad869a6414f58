"""How fast a log folds: `python -m bench.fold`.

100,000 entries of one long voice call, as JSON lines in memory, become a State: with Cuelight, and with the reducer of
`pinecall`, each in a process of its own, in turns, several times. Both must end in the same State. The tenths of the
log are timed as well, because the last must cost what the first does.
"""

import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bench.environments import ROOT, WORK, python_with
from bench.voice_log import voice_log
from cuelight.log import Fold, reduce
from cuelight.wire import decode_entry, decode_log, encode

ENTRIES = 100_000
ROUNDS = 5
PEER = "pinecall==0.11.24"


class Result(NamedTuple):
    """One fold of the whole log: seconds in all, seconds a tenth, and the State as JSON."""

    seconds: float
    tenths: list[float]
    state: dict[str, Any]


def main() -> None:
    """Measure, and print the table."""
    if sys.argv[1:2] == ["--once"]:
        print(json.dumps(_WAYS[sys.argv[2]](Path(sys.argv[3]))))
        return
    log = WORK / f"fold-{ENTRIES}.jsonl"
    peer = python_with("pinecall", PEER)
    log.write_bytes(b"".join(line + b"\n" for line in voice_log(ENTRIES)))
    ours = [sys.executable, "-m", "bench.fold", "--once"]
    commands = {
        "cuelight": [*ours, "whole"],
        "cuelight, line by line": [*ours, "lines"],
        PEER: [str(peer), str(ROOT / "bench" / "peers" / "fold_pinecall.py")],
    }
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
    print(f"\nFolding {ENTRIES:,} entries from JSON lines; medians of {ROUNDS} runs, in turns.\n")
    print("| | entries/s | us an entry, by tenth of the log | times the peer |")
    print("|---|--:|---|--:|")
    peer = results[PEER]
    for name, runs in results.items():
        rate = statistics.median(ENTRIES / run.seconds for run in runs)
        tenths = zip(*(run.tenths for run in runs), strict=True)
        cost = " ".join(f"{statistics.median(tenth) / ENTRIES * 10 * 1e6:.1f}" for tenth in tenths)
        ratio = statistics.median(other.seconds / run.seconds for run, other in zip(runs, peer, strict=True))
        print(f"| {name} | {rate:,.0f} | {cost} | {ratio:.1f} |")


def _whole(log: Path) -> dict[str, Any]:
    raw = log.read_bytes()
    lines = raw.splitlines(keepends=True)
    pieces = [b"".join(part) for part in _tenths(lines)]
    fold = Fold()
    tenths = [_timed(fold.extend, decode_log, piece) for piece in pieces]
    seconds = _timed(reduce, decode_log, raw)
    return {"seconds": seconds, "tenths": tenths, "state": json.loads(encode(fold.state))}


def _lines(log: Path) -> dict[str, Any]:
    lines = log.read_bytes().splitlines()
    fold = Fold()

    def feed(part: list[bytes]) -> None:
        for line in part:
            fold.feed(decode_entry(line))

    tenths = [_timed(feed, list, part) for part in _tenths(lines)]
    return {"seconds": sum(tenths), "tenths": tenths, "state": json.loads(encode(fold.state))}


def _tenths(lines: list[bytes]) -> list[list[bytes]]:
    size = -(-len(lines) // 10)
    return [lines[start : start + size] for start in range(0, len(lines), size)]


def _timed(consume: Callable[[Any], object], read: Callable[[Any], Any], source: object) -> float:
    gc.collect()
    began = time.perf_counter()
    consume(read(source))
    return time.perf_counter() - began


_WAYS = {"whole": _whole, "lines": _lines}

if __name__ == "__main__":
    main()
