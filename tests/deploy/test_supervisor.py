"""The supervisor's configuration, and a real supervisor with processes that die."""

from __future__ import annotations

import configparser
import os
import shlex
import signal
import time
from pathlib import Path

import pytest

from deploy.steps import folders as site_folders
from deploy.steps import supervisor
from deploy.steps.folders import SiteFolders
from deploy.steps.supervisor import Program

#: Against waiting for good.
PATIENCE_S = 120


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.setattr(SiteFolders, "runtime", tmp_path / "run")
    folders = SiteFolders(tmp_path, os.geteuid())
    site_folders.prepare(folders)
    return folders


def _read(text):
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    return parser


def test_awkward_texts_reach_the_process_unchanged(folders):
    awkward = 'a b%h"c\\d'
    parsed = _read(
        supervisor.configuration(folders, "token", [Program("one", ["/bin/echo", awkward], {"NAME": awkward})])
    )
    command = parsed["program:one"]["command"].replace("%%", "%")
    assert shlex.split(command)[-1] == awkward
    assert shlex.split(parsed["program:one"]["environment"].replace("%%", "%"))[0] == f"NAME={awkward}"


def test_programs_start_in_the_order_given(folders):
    programs = [Program(name, ["/bin/true"]) for name in ("postgres", "rabbitmq", "web")]
    parsed = _read(supervisor.configuration(folders, "token", programs))
    assert [int(parsed[f"program:{program.name}"]["priority"]) for program in programs] == [1, 2, 3]


def test_nobody_supervises_an_empty_place(folders):
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
