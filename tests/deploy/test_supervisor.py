"""The supervisor's configuration, and a real supervisor with processes that die."""

from __future__ import annotations

import configparser
import os
import shlex
import signal
import time
from pathlib import Path

import pytest

from deploy.steps import place as places
from deploy.steps import supervisor
from deploy.steps.place import Place
from deploy.steps.supervisor import Program

#: Against waiting for good.
PATIENCE_S = 120


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(Place, "runtime", tmp_path / "run")
    place = Place(tmp_path, os.geteuid())
    places.prepare(place)
    return place


def _read(text):
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    return parser


def test_awkward_texts_reach_the_process_unchanged(place):
    awkward = 'a b%h"c\\d'
    parsed = _read(
        supervisor.configuration(place, "token", [Program("one", ["/bin/echo", awkward], {"NAME": awkward})])
    )
    command = parsed["program:one"]["command"].replace("%%", "%")
    assert shlex.split(command)[-1] == awkward
    assert shlex.split(parsed["program:one"]["environment"].replace("%%", "%"))[0] == f"NAME={awkward}"


def test_programs_start_in_the_order_given(place):
    programs = [Program(name, ["/bin/true"]) for name in ("postgres", "rabbitmq", "web")]
    parsed = _read(supervisor.configuration(place, "token", programs))
    assert [int(parsed[f"program:{program.name}"]["priority"]) for program in programs] == [1, 2, 3]


def test_nobody_supervises_an_empty_place(place):
    assert supervisor.identity(place) is None
    assert supervisor.stop(place) is False


def _pid(place, name, former=0):
    """Return the process once it is the program itself, no longer what prepares its start.

    A `former` one the supervisor may name for a moment longer.
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        pid = int(supervisor.processes(place)[name]["pid"])
        if pid not in (0, former) and Path(f"/proc/{pid}/comm").read_text().strip() == "sleep":
            return pid
        time.sleep(0.1)
    raise AssertionError(f"{name} did not start")


def _wait_until_gone(pid):
    deadline = time.monotonic() + PATIENCE_S
    while not supervisor.is_dead(pid):
        assert time.monotonic() < deadline, f"process {pid} did not end"
        time.sleep(0.1)


def test_a_killed_process_comes_back_and_a_stop_ends_all(place):
    sleeper = Program("sleeper", ["/bin/sleep", "600"], folder=Path("/"))
    supervised = supervisor.start(place, "token", [sleeper], stay=False)
    assert supervisor.identity(place) == "token"
    first = _pid(place, "sleeper")
    os.kill(first, signal.SIGKILL)
    _wait_until_gone(first)
    second = _pid(place, "sleeper", former=first)
    assert supervisor.stop(place)
    assert supervised.wait(PATIENCE_S) == 0
    assert supervisor.is_dead(second)


def test_nothing_stays_behind_when_the_supervisor_is_killed(place):
    sleeper = Program("sleeper", ["/bin/sleep", "600"], folder=Path("/"))
    supervised = supervisor.start(place, "token", [sleeper], stay=False)
    pid = _pid(place, "sleeper")
    supervised.kill()
    supervised.wait(PATIENCE_S)
    _wait_until_gone(pid)
