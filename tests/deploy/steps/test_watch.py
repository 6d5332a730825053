"""Which lines of the logs are shown on the terminal."""

from __future__ import annotations

from contextlib import closing

import pytest

from deploy.steps import watch


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "web.log"
    path.write_text("ERROR of an earlier start\n")
    return path


@pytest.fixture
def log(path):
    with closing(watch._Tail(path, "web", watch.PROBLEM)) as log:
        yield log


def append(path, *lines):
    with path.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_only_new_lines_with_problems_are_shown(path, log):
    append(
        path,
        "INFO all is well",
        "2026-01-01 WARNING portal: slow",
        "ValueError: wrong",
        "Traceback (most recent call last):",
    )
    assert log.new_lines() == [
        "web: 2026-01-01 WARNING portal: slow",
        "web: ValueError: wrong",
        "web: Traceback (most recent call last):",
    ]
    assert log.new_lines() == []


def test_a_log_that_is_rotated_is_read_on(path, log):
    append(path, "ERROR before")
    path.rename(path.with_suffix(".log.1"))
    path.write_text("ERROR after\n")
    assert [*log.new_lines(), *log.new_lines()] == ["web: ERROR before", "web: ERROR after"]


def test_a_log_that_does_not_exist_yet_is_read_from_its_beginning(path):
    path.unlink()
    with closing(watch._Tail(path, "web", watch.PROBLEM)) as log:
        assert log.new_lines() == []
        append(path, "ERROR at the start")
        assert log.new_lines() == ["web: ERROR at the start"]


def test_many_problems_are_cut_to_twenty(path, log):
    append(path, *(f"ERROR {number}" for number in range(25)))
    assert log.new_lines()[19:] == ["web: ERROR 19", "web: … and 5 more lines"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("exited: web (terminated by SIGKILL; not expected)", True),
        ("exited: web (exit status 1; not expected)", True),
        ("gave up: web entered FATAL state", True),
        ("spawnerr: can't find command", True),
        ("exited: web (exit status 0; expected)", False),
        ("success: web entered RUNNING state", False),
    ],
)
def test_processes_that_died_are_shown(line, shown):
    assert bool(watch.RESTART.search(line)) == shown
