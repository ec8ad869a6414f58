"""Measure Cuelight beside other libraries: `python -m bench [PART] [OPTIONS]`; without a part, all of them.

Each part is a program of its own and prints one Markdown table.
"""

import subprocess
import sys

from bench.environments import ROOT

PARTS = {
    "fold": "bench.fold",
    "turns": "bench.turns",
}


def main(arguments: list[str]) -> int:
    """Run one part, with its options, or all of them; gives the exit code: not 0 where a part did not hold."""
    if arguments and arguments[0] not in PARTS:
        print(f"There is no part {arguments[0]!r}; the parts are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    modules = [PARTS[arguments[0]]] if arguments else PARTS.values()
    codes = [subprocess.run([sys.executable, "-m", module, *arguments[1:]], cwd=ROOT).returncode for module in modules]
    return max(codes, key=abs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
