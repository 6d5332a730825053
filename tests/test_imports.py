"""The three rooms and their one direction: portal → ingest → maps, never back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.env import BASE_DIR

#: What each app may import of the project.
MAY_IMPORT = {
    "maps": {"maps"},
    "ingest": {"ingest", "maps"},
    "portal": {"portal", "ingest", "maps"},
    "deploy": {"deploy"},
}
#: Pure rooms within an app: values in, values out, no ORM, clock or settings.
PURE = ["ingest/formats", "maps/coordinates.py", "maps/estimate/rates.py", "maps/estimate/recency.py"]
NOT_PURE = {"django", "celery", "portal", "os", "time"}


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the modules that a file imports, wherever in it, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield ("." * node.level + (node.module or ""), node.lineno)


def files(place: str) -> list[Path]:
    path = BASE_DIR / place
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@pytest.mark.parametrize("app", MAY_IMPORT)
def test_an_app_imports_itself_and_those_behind_it_only(app: str) -> None:
    rooms = {*MAY_IMPORT, "tests", "bench"}
    wrong = [
        f"{path.relative_to(BASE_DIR)}:{line} imports {module}"
        for path in files(app)
        for module, line in imports(path)
        if (room := module.partition(".")[0]) in rooms and room not in MAY_IMPORT[app]
    ]
    assert wrong == []
    assert files(app)


@pytest.mark.parametrize("place", PURE)
def test_pure_functions_know_no_framework(place: str) -> None:
    wrong = [
        f"{path.relative_to(BASE_DIR)}:{line} imports {module}"
        for path in files(place)
        for module, line in imports(path)
        if module.partition(".")[0] in NOT_PURE
    ]
    assert wrong == []


def test_no_file_is_imported_by_its_place_beside_another() -> None:
    relative = [
        f"{path.relative_to(BASE_DIR)}:{line}"
        for app in MAY_IMPORT
        for path in files(app)
        for module, line in imports(path)
        if module.startswith(".")
    ]
    assert relative == []
