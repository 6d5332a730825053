"""The supervisor's configuration, and a real supervisor with processes that die."""

from __future__ import annotations

import os
import shlex
import signal
import time
from pathlib import Path

import pytest
from supervisor.options import ServerOptions

from deploy.steps import folders as site_folders
from deploy.steps import supervisor
from deploy.steps.folders import SiteFolders
from deploy.steps.progress import Failure
from deploy.steps.supervisor import Program

#: Longer than any of these steps takes.
PATIENCE_S = 120


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.setattr(SiteFolders, "runtime", tmp_path / "run")
    folders = SiteFolders(tmp_path, os.geteuid())
    site_folders.prepare(folders)
    return folders


def read_by_the_supervisor(folders, *programs):
    """Return the programs of a configuration file as the supervisor's own parser reads them."""
    path = folders.var / "supervisor.conf"
    path.write_text(supervisor.configuration(folders, "token", list(programs)))
    options = ServerOptions()
    options.configfile = str(path)
    options.process_config(do_usage=False)
    return [process for group in options.process_group_configs for process in group.process_configs]


@pytest.mark.parametrize("awkward", ['a b%h"c\\d', "%(here)s", "{}", "a=b,c", "a;b#c", "it's", "[x]", "ü"])
def test_awkward_texts_reach_the_process_unchanged(folders, awkward):
    [process] = read_by_the_supervisor(folders, Program("one", ["/bin/echo", awkward], {"Name": awkward}))
    assert shlex.split(process.command)[-1] == awkward
    assert process.environment["Name"] == awkward


@pytest.mark.parametrize("text", ["a ;b", "a #b", "a\nb"])
def test_a_text_that_the_supervisor_would_cut_is_refused(folders, text):
    with pytest.raises(Failure, match="takes what follows"):
        supervisor.configuration(folders, "token", [Program("one", ["/bin/echo", text])])


@pytest.mark.parametrize("text", ["'", 'a "quote"', """both 'kinds' of "quotes" here"""])
def test_an_environment_that_the_supervisor_would_change_is_refused(folders, text):
    with pytest.raises(Failure, match="quote"):
        supervisor.configuration(folders, "token", [Program("one", ["/bin/echo"], {"NAME": text})])


def test_programs_start_in_the_order_given(folders):
    names = ["postgres", "rabbitmq", "web"]
    read = read_by_the_supervisor(folders, *(Program(name, ["/bin/true"]) for name in names))
    assert [process.name for process in sorted(read, key=lambda process: process.priority)] == names
    assert [process.priority for process in read] == [1, 2, 3]


def test_nothing_supervises_an_empty_folder(folders):
    assert supervisor.identity(folders) is None
    assert supervisor.stop(folders) is False


def _pid(folders, name, former=0):
    """Return the process once it is the program itself, no longer what prepares its start.

    A `former` one the supervisor may name for a moment longer.
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        pid = int(supervisor.processes(folders)[name]["pid"])
        if pid not in (0, former) and Path(f"/proc/{pid}/comm").read_text().strip() == "sleep":
            return pid
        time.sleep(0.1)
    raise AssertionError(f"{name} did not start")


def _wait_until_gone(pid):
    deadline = time.monotonic() + PATIENCE_S
    while not supervisor.is_dead(pid):
        assert time.monotonic() < deadline, f"process {pid} did not end"
        time.sleep(0.1)


def test_a_killed_process_comes_back_and_a_stop_ends_all(folders):
    sleeper = Program("sleeper", ["/bin/sleep", "600"], folder=Path("/"))
    supervised = supervisor.start(folders, "token", [sleeper], stay=False)
    assert supervisor.identity(folders) == "token"
    first = _pid(folders, "sleeper")
    os.kill(first, signal.SIGKILL)
    _wait_until_gone(first)
    second = _pid(folders, "sleeper", former=first)
    assert supervisor.stop(folders)
    assert supervised.wait(PATIENCE_S) == 0
    assert supervisor.is_dead(second)


def test_nothing_stays_behind_when_the_supervisor_is_killed(folders):
    sleeper = Program("sleeper", ["/bin/sleep", "600"], folder=Path("/"))
    supervised = supervisor.start(folders, "token", [sleeper], stay=False)
    pid = _pid(folders, "sleeper")
    supervised.kill()
    supervised.wait(PATIENCE_S)
    _wait_until_gone(pid)
