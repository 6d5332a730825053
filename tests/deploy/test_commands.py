"""The commands that people type: their help, and their answers to mistakes."""

from __future__ import annotations

import os
import subprocess

import pytest

from deploy.steps.folders import CHECKOUT

DEPLOY = CHECKOUT / "deploy"


def _run(command, *arguments, **environment):
    return subprocess.run(
        [DEPLOY / command, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("command", ["run", "stop", "test"])
def test_help_is_printed_and_nothing_done(command, tmp_path):
    done = _run(command, "--help", MOBMAP_VAR=str(tmp_path / "var"))
    assert done.returncode == 0
    assert f"./deploy/{command}" in done.stdout
    assert not (tmp_path / "var").exists()


def test_stopping_a_site_that_does_not_run_is_no_error(tmp_path):
    done = _run("stop", MOBMAP_VAR=str(tmp_path / "var"))
    assert (done.returncode, done.stdout.strip()) == (0, "MobMap is not running.")
    assert not (tmp_path / "var").exists()


def test_an_unknown_option_is_named(tmp_path):
    done = _run("run", "--detached", MOBMAP_VAR=str(tmp_path / "var"))
    assert done.returncode == 2
    assert "--detached" in done.stderr


def test_a_port_that_is_none_is_refused_before_anything_is_made(tmp_path):
    done = _run("run", MOBMAP_VAR=str(tmp_path / "var"), PORT="http")
    assert done.returncode == 1
    assert "'http' is not a port" in done.stderr
    assert not (tmp_path / "var").exists()
