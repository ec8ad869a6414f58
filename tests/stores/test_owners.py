"""Whether the process that holds a lease is gone."""

import os
import subprocess
import sys

import pytest

from cuelight.stores.owners import Process, is_gone, this_process


@pytest.fixture(params=["with /proc", "without"])
def system(request, tmp_path):
    """The arguments that make a system of this kind."""
    return () if request.param == "with /proc" else (tmp_path,)


def child():
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)


def test_this_process_is_there(system):
    assert this_process(*system).pid == os.getpid()
    assert not is_gone(this_process(*system), *system)


def test_a_living_child_is_there_and_an_ended_one_is_gone(system):
    other = child()
    named = this_process(*system)._replace(pid=other.pid, started="")
    assert not is_gone(named, *system)
    other.kill()
    other.communicate()
    assert is_gone(named, *system)


def test_a_child_that_nobody_has_buried_is_gone():
    other = child()
    named = this_process()._replace(pid=other.pid, started="")
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(named)
    other.communicate()


def test_a_later_process_of_the_same_id_is_another():
    assert is_gone(this_process()._replace(started="1"))
    assert not is_gone(this_process()._replace(started=""))


def test_a_process_of_another_place_cannot_be_judged(system):
    assert not is_gone(this_process(*system)._replace(place="elsewhere", pid=2**22 + 1), *system)


def test_a_process_of_another_user_is_there(system):
    assert not is_gone(this_process(*system)._replace(pid=1, started=""), *system)


def test_what_names_no_process_is_not_judged(system):
    # To the system these ids mean groups of processes.
    for pid in (0, -1):
        assert not is_gone(Process(this_process(*system).place, pid, ""), *system)
