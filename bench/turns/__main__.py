"""Compare what a turn costs: `python -m bench.turns [--peers all|none|NAME,NAME] [--repeats N]`.

Every run is a process of its own. The subjects run in turns, so that what disturbs the machine meets all of them, and
of each figure the median of the runs is shown. A subject that cannot be set up, or does not do the work, is shown as
such; where that is Cuelight, the exit code is 1.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

from bench.environments import ROOT
from bench.turns.subjects import OURS, PEERS, Subject
from bench.turns.workload import STAGE_EVERY, TURNS, Run, read_run

PATIENCE_S = 120
EDGE = 20  # turns at the beginning and at the end that are compared


@dataclass
class Row:
    """The runs of one subject, or why there are none."""

    subject: Subject
    command: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    problem: str = ""

    def set_up(self) -> None:
        """Set the environment up, or note why that failed."""
        try:
            self.command = self.subject.command()
        except (subprocess.CalledProcessError, OSError) as error:
            print(error, file=sys.stderr)
            self.problem = f"its environment could not be set up ({self.subject.requirement})"

    def measure(self) -> None:
        """Run it once more, unless it has failed."""
        if self.problem:
            return
        try:
            done = subprocess.run(self.command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)
            if done.returncode != 0:
                print(done.stderr, file=sys.stderr)
                self.problem = f"it ended with exit code {done.returncode}"
                return
            run = read_run(done.stdout)
        except subprocess.TimeoutExpired:
            self.problem = f"it was not done within {PATIENCE_S} s"
            return
        if run.faults:
            self.problem = f"it did not do the work: {run.faults[0]}"
        else:
            self.runs.append(run)

    def cells(self) -> list[str]:
        """Give the row of the table."""
        if self.problem:
            return [self.subject.label, self.problem, *[""] * 5]
        worst = [max(run.seconds) for run in self.runs]
        figures = [
            statistics.median(statistics.median(run.seconds[:EDGE]) for run in self.runs),
            statistics.median(statistics.median(run.seconds[-EDGE:]) for run in self.runs),
            statistics.median(statistics.quantiles(run.seconds, n=100)[-1] for run in self.runs),
            statistics.median(worst),
            min(worst),
        ]
        return [self.subject.label, *map(_milliseconds, figures), str(max(run.stale for run in self.runs))]


def main(arguments: argparse.Namespace) -> int:
    """Measure, and print the table."""
    rows = [Row(subject) for subject in (*OURS, *arguments.peers)]
    for row in rows:
        row.set_up()
    load = os.getloadavg()[0]
    for number in range(arguments.repeats):
        print(f"turns: round {number + 1} of {arguments.repeats}", file=sys.stderr)
        for row in rows:
            row.measure()
    print(
        f"\n{TURNS} turns with one tool call each, every {STAGE_EVERY}th with a change of stage; milliseconds a turn, "
        f"medians of runs: {arguments.repeats}, in turns; Python {platform.python_version()}, {os.cpu_count()} "
        f"processors, load {load:.1f} when it began.\n"
    )
    head = [f"turns 1-{EDGE}", f"turns {TURNS - EDGE + 1}-{TURNS}", "p99", "worst turn", "worst, calmest run"]
    print(f"| | {' | '.join(head)} | stale tool lists |")
    print(f"|---|{'--:|' * (len(head) + 1)}")
    for row in rows:
        print(f"| {' | '.join(row.cells())} |")
    return int(any(row.problem for row in rows if row.subject in OURS))


def _peers(text: str) -> list[Subject]:
    if text in ("all", "none"):
        return list(PEERS) if text == "all" else []
    known = dict.fromkeys(str(subject.environment) for subject in PEERS)
    wanted = text.split(",")
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no peer; the peers are {', '.join(known)}")
    return [subject for subject in PEERS if subject.environment in wanted]


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs")
    return int(text)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.{2 if seconds < 0.01 else 1}f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench turns", description="What a turn costs beside the model.")
    parser.add_argument("--peers", type=_peers, default="all", help="all, none, or names with commas between")
    parser.add_argument("--repeats", type=_positive, default=3, help="runs of each")
    sys.exit(main(parser.parse_args()))
