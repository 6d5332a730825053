"""Steps are printed with their times, and a failure says what was tried, what went wrong and what to do."""

from __future__ import annotations

import sys

import pytest

from deploy.steps import progress
from deploy.steps.progress import Failure


def test_a_step_is_announced_and_its_time_told(capsys):
    with progress.step("Doing it"):
        assert capsys.readouterr().out == "· Doing it\n"
    assert capsys.readouterr().out == "  done in 0.0 s\n"


def test_a_program_that_ends_well_returns_what_it_printed():
    program = "import sys; print(input()); print('and an error', file=sys.stderr)"
    assert progress.run([sys.executable, "-c", program], doing="Echoing", stdin="text") == "text\nand an error\n"


def test_a_program_that_fails_is_told_with_the_end_of_its_output_and_advice():
    program = "print('\\n'.join(f'line {n}' for n in range(40))); raise SystemExit(3)"
    with pytest.raises(Failure) as failure:
        progress.run([sys.executable, "-c", program], doing="Counting", advice="Count again.")
    first, *lines, last = str(failure.value).splitlines()
    assert (first, last) == ("Counting failed (exit status 3):", "Count again.")
    assert lines == [f"    line {n}" for n in range(25, 40)]


def test_waiting_ends_when_it_is_ready():
    answers = iter([False, False, True])
    progress.wait_until(lambda: next(answers), seconds=60, doing="Starting", advice="", every=0)
    assert next(answers, None) is None


def test_waiting_too_long_fails_with_advice():
    with pytest.raises(Failure, match=r"^Starting took longer than 0 s\. Read the log\.$"):
        progress.wait_until(lambda: False, seconds=0, doing="Starting", advice="Read the log.", every=0)
