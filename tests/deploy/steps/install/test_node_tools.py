"""The tools that check JavaScript: installed when their lock file changes, and only then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.steps.install import node_tools
from deploy.steps.progress import Failure


@pytest.fixture
def installations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the list of installations that were started in a checkout of its own."""
    started: list[Any] = []

    def install(command: list[str | Path], **_: Any) -> str:
        started.append(command)
        node_tools.MODULES.mkdir(exist_ok=True)
        return ""

    (tmp_path / node_tools.LOCK).write_text("{}")
    monkeypatch.setattr(node_tools, "CHECKOUT", tmp_path)
    monkeypatch.setattr(node_tools, "MODULES", tmp_path / "node_modules")
    monkeypatch.setattr(node_tools, "MARK", tmp_path / "node_modules" / "installed.json")
    monkeypatch.setattr(node_tools, "run", install)
    return started


def test_they_are_installed_once_for_each_lock_file(installations: list[Any]) -> None:
    node_tools.prepare()
    node_tools.prepare()
    assert len(installations) == 1
    (node_tools.CHECKOUT / node_tools.LOCK).write_text('{"another": "version"}')
    node_tools.prepare()
    node_tools.prepare()
    assert len(installations) == 2


def test_an_interrupted_installation_is_repeated(installations: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> str:
        raise Failure("no network")

    with monkeypatch.context() as broken, pytest.raises(Failure):
        broken.setattr(node_tools, "run", fail)
        node_tools.prepare()
    node_tools.prepare()
    assert len(installations) == 1


def test_every_tool_is_pinned_to_one_version_and_its_hash() -> None:
    wanted = json.loads(Path("package.json").read_text())["devDependencies"]
    locked = json.loads(Path(node_tools.LOCK).read_text())["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(package["integrity"].startswith("sha512-") for name, package in locked.items() if name)
