"""Folds a log with pinecall's reducer: `python fold_pinecall.py FILE`, in an environment that has pinecall.

Prints one JSON line: the seconds each tenth of it took, and the State it ends in.
"""

import gc
import json
import sys
import time
from pathlib import Path

from pinecall.wire.frames import Entry
from pinecall.wire.reduce import apply, initial_state


def main() -> None:
    lines = Path(sys.argv[1]).read_bytes().splitlines()
    size = -(-len(lines) // 10)
    state, tenths = initial_state(), []
    for start in range(0, len(lines), size):
        part = lines[start : start + size]
        gc.collect()
        began = time.process_time()
        for line in part:
            state = apply(state, Entry.read_json(line, "entry"))
        tenths.append(time.process_time() - began)
    print(json.dumps({"tenths": tenths, "state": state.written()}))


main()
