import subprocess
import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("cuelight.testing.contracts")

WORKER = Path(__file__).with_name("worker.py")


class Worker:
    """Another process that uses a store; it answers each line it is told with one of its own."""

    def __init__(self, *words):
        command = [sys.executable, str(WORKER), *map(str, words)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, line="on"):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().strip()

    def kill(self):
        """End it without giving it time for anything; its parent has not asked for the outcome yet."""
        self.process.kill()

    def end(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def worker():
    """Start other processes; they are ended after the test."""
    started = []

    def start(*words):
        started.append(Worker(*words))
        return started[-1]

    yield start
    for each in started:
        each.end()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "calls.sqlite3"
