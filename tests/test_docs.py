"""What the documents promise is there: paths, settings, defaults."""

from __future__ import annotations

import ast
import os
import re
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([CHECKOUT / "README.md", *(CHECKOUT / "docs").glob("*.md")])
EXAMPLE = CHECKOUT / "deploy" / "env.example"

#: Paths in backticks that start in one of the checkout's own folders, or at its top.
PATH = re.compile(r"`((?:portal|ingest|maps|static|deploy|tests|bench|docs|\.ci)/[\w./-]*|[\w-]+\.(?:py|txt|toml|md))`")


@cache
def _calls() -> dict[str, ast.Call]:
    """Return each call that reads a setting in portal/, by the variable's name."""
    found = {}
    for path in (CHECKOUT / "portal").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            name = node.args[0]
            reader = isinstance(node.func.value, ast.Name) and node.func.value.id == "env"
            if reader and isinstance(name, ast.Constant) and str(name.value).startswith("MOBMAP_"):
                found[str(name.value)] = node
    return found


def _default(call: ast.Call) -> str | None:
    """Return a reader's default as it is written in an environment file; None if it has none."""
    if len(call.args) < 2:
        return None
    source = ast.unparse(call.args[1])
    value = eval(source, {"__builtins__": {}}, {"VAR_DIR": Path("var"), "BASE_DIR": Path()})
    return str(int(value)) if isinstance(value, bool) else str(value)


@cache
def _example() -> dict[str, tuple[str, bool]]:
    """Return what env.example says: name → value, and whether the line is commented out."""
    lines = re.findall(r"^(#?)(MOBMAP_[A-Z0-9_]+)=(.*)$", EXAMPLE.read_text(), flags=re.MULTILINE)
    return {name: (value, commented == "#") for commented, name, value in lines}


def test_there_are_settings_to_look_for():
    assert len(_calls()) > 25


@pytest.mark.parametrize("name", sorted(_calls()))
def test_every_setting_stands_in_the_example_with_its_default(name):
    example = _example()
    assert name in example, f"{name} is read in portal/ and missing in deploy/env.example"
    value, commented = example[name]
    default = _default(_calls()[name])
    if default is None:
        assert not commented, f"{name} is required, so its line in deploy/env.example must not be a comment"
    else:
        assert (value, commented) == (default, True)


def test_every_variable_named_in_the_code_stands_in_the_example():
    named = set()
    for folder in ("portal", "ingest", "maps", "deploy", "tests"):
        for path in (CHECKOUT / folder).rglob("*.py"):
            named |= set(re.findall(r"""["'](MOBMAP_[A-Z0-9_]*[A-Z])["']""", path.read_text()))
    # The name of Django's own setting (a list), written like the variable it comes from.
    assert named - set(_example()) == set()


def test_the_example_names_nothing_that_nobody_reads():
    code = "\n".join(
        path.read_text(errors="replace")
        for folder in ("portal", "deploy", "tests")
        for path in (CHECKOUT / folder).rglob("*")
        if path.is_file() and path != EXAMPLE and "__pycache__" not in path.parts
    )
    unread = {name for name in _example() if name not in code and not name.startswith("MOBMAP_DATABASE_URL_")}
    assert unread == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_path_a_document_names_exists(document):
    named = {match.group(1) for match in PATH.finditer(document.read_text())}
    missing = sorted(path for path in named if not (CHECKOUT / path).exists())
    assert missing == []


def test_the_readme_names_paths_at_all():
    assert len(PATH.findall((CHECKOUT / "README.md").read_text())) > 15


@pytest.mark.parametrize("command", ["run", "stop", "test", "lock", "packages", "postgres-guard"])
def test_the_commands_can_be_run(command):
    assert os.access(CHECKOUT / "deploy" / command, os.X_OK)


def test_continuous_integration_runs_what_everybody_runs():
    script = CHECKOUT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "exec ./deploy/test" in script.read_text()
