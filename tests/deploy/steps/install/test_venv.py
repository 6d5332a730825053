"""The virtual environment is made once, and made again when it no longer fits."""

from __future__ import annotations

import json

import pytest

from deploy.steps.install import venv


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """Return the list of commands that were run, in a checkout with two requirement files and no environment."""
    for name in (venv.SITE, venv.TESTS):
        (tmp_path / name).write_text(f"# {name}\n")
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(venv, "CHECKOUT", tmp_path)
    monkeypatch.setattr(venv, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(venv, "INSTALLED", tmp_path / ".venv" / "installed.json")
    run: list[str] = []
    monkeypatch.setattr(
        venv, "run", lambda command, **_: run.append("venv" if "--clear" in command else command[-1].name)
    )
    return run


def test_an_environment_is_made_once(commands):
    venv.prepare(venv.SITE)
    venv.prepare(venv.SITE)
    assert commands == ["venv", venv.SITE]


def test_the_tests_packages_are_added_to_the_sites(commands):
    venv.prepare(venv.SITE)
    venv.prepare(venv.TESTS)
    venv.prepare(venv.SITE)
    assert commands == ["venv", venv.SITE, venv.TESTS]


def test_other_requirements_of_the_site_make_the_environment_again(commands):
    venv.prepare(venv.SITE)
    (venv.CHECKOUT / venv.SITE).write_text("# newer\n")
    venv.prepare(venv.SITE)
    assert commands == ["venv", venv.SITE] * 2


def test_an_environment_that_was_moved_is_made_again(commands):
    venv.prepare(venv.SITE)
    installed = json.loads(venv.INSTALLED.read_text())
    venv.INSTALLED.write_text(json.dumps({**installed, "path": "/elsewhere/.venv"}))
    venv.prepare(venv.SITE)
    assert commands == ["venv", venv.SITE] * 2
