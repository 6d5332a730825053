"""The layout tells the story: imports go in one direction, between apps and between the stages within them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
APPS = ("core", "maps", "ingest", "portal", "simulation", "deploy", "bench")
#: What each app may import of the project.
MAY_IMPORT = {
    "core": {"core"},
    "maps": {"maps", "core"},
    "ingest": {"ingest", "maps", "core"},
    "portal": {"portal", "ingest", "maps", "core"},
    "simulation": {"simulation", "core"},  # core for the progress of its command
    "deploy": {"deploy"},
}
#: The packages of an app in the order of their imports: each may import those before it. First the app's own modules.
STAGES = {
    "ingest": ["", "formats", "intake", "merge", "batch", "maintenance", "queue", "management"],
    "maps": ["", "estimate", "queries", "images", "publish", "api", "pages", "management", "templatetags"],
}
#: What knows no framework, clock or settings, itself or through what it imports: values in, values out.
PURE = [
    "ingest/formats/mobmapdata/grammar.py",
    "ingest/formats/mobmapdata/records.py",
    "ingest/merge/sightings.py",
    "maps/coordinates.py",
    "maps/estimate",
    "maps/images/contours.py",
    "simulation/truth.py",
    "simulation/uploads.py",
    "maps/images/drawing.py",
    "maps/paging.py",
    "maps/publish/excerpts.py",
    "maps/queries/flat.py",
    "maps/queries/shapes.py",
]
NOT_PURE = {"django", "celery", "os", "time"}
#: Chains of imports within ingest are at most this long.
MAX_LEVELS = 8


def _path_of(module: str) -> Path | None:
    path = CHECKOUT / module.replace(".", "/")
    if path.with_suffix(".py").is_file():
        return path.with_suffix(".py")
    return path / "__init__.py" if (path / "__init__.py").is_file() else None


def _modules(app: str) -> list[str]:
    """Return the modules of an app: `ingest.merge.fold`; a package is its `__init__`."""
    found = []
    for path in sorted((CHECKOUT / app).rglob("*.py")):
        if "migrations" not in path.parts and "." not in path.stem:
            parts = path.relative_to(CHECKOUT).with_suffix("").parts
            found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


@cache
def imports(module: str) -> frozenset[str]:
    """Return the modules that a module imports, anywhere in it: project modules exactly, others by their package."""
    path = _path_of(module)
    assert path is not None
    return frozenset(_imported(ast.parse(path.read_text(encoding="utf-8"), str(path))))


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: relative imports hide where a module is"
            base = node.module or ""
            for name in node.names:
                whole = f"{base}.{name.name}"
                yield whole if base.partition(".")[0] in APPS and _path_of(whole) else base


def project_imports(module: str) -> set[str]:
    """Return the project's modules that a module imports."""
    return {name for name in imports(module) if name.partition(".")[0] in APPS and _path_of(name)}


def reached(module: str) -> dict[str, list[str]]:
    """Return the project's modules that a module imports, itself or through others, each with the way to it."""
    ways: dict[str, list[str]] = {module: [module]}
    for known in (queue := [module]):
        for name in sorted(project_imports(known) - ways.keys()):
            ways[name] = [*ways[known], name]
            queue.append(name)
    return ways


def _stage(module: str) -> str:
    """Return the package of a module within its app, "" for the app's own modules."""
    parts = module.split(".")
    is_package = (CHECKOUT / parts[0] / parts[1]).is_dir() if len(parts) > 1 else False
    return parts[1] if is_package and parts[1] != "sql" else ""


def levels(app: str) -> dict[str, int]:
    """Return each module's level: 1 without imports within the app, else one more than the highest it imports."""
    graph = {
        module: {name for name in project_imports(module) if name.startswith(f"{app}.")} for module in _modules(app)
    }
    found: dict[str, int] = {}
    for module in TopologicalSorter(graph).static_order():
        found[module] = 1 + max((found[name] for name in graph.get(module, ()) if name != module), default=0)
    return found


@pytest.mark.parametrize("app", MAY_IMPORT)
def test_an_app_imports_only_those_below_it(app: str) -> None:
    modules = _modules(app)
    wrong = [
        " → ".join(way)
        for module in modules
        for name, way in reached(module).items()
        if name.partition(".")[0] not in MAY_IMPORT[app]
    ]
    assert modules
    assert wrong == []


@pytest.mark.parametrize("app", STAGES)
def test_stages_import_in_one_direction(app: str) -> None:
    order = STAGES[app]
    assert {_stage(module) for module in _modules(app)} <= set(order)
    wrong = [
        f"{module} imports {name}"
        for module in _modules(app)
        for name in project_imports(module)
        if name.startswith(f"{app}.") and order.index(_stage(name)) > order.index(_stage(module))
    ]
    assert wrong == []


@pytest.mark.parametrize("app", ["core", "maps", "ingest", "portal", "simulation", "deploy", "bench"])
def test_no_modules_import_each_other_in_a_circle(app: str) -> None:
    graph = {module: project_imports(module) - {module} for module in _modules(app)}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_chains_of_imports_in_ingest_are_short() -> None:
    found = levels("ingest")
    highest = max(found.values())
    assert highest <= MAX_LEVELS, [module for module, level in found.items() if level == highest]


@pytest.mark.parametrize("place", PURE)
def test_pure_functions_know_no_framework(place: str) -> None:
    app, _, rest = place.partition("/")
    modules = [
        module for module in _modules(app) if module.startswith(f"{app}.{rest.removesuffix('.py').replace('/', '.')}")
    ]
    wrong = [
        f"{' → '.join(way)} imports {other}"
        for module in modules
        for name, way in reached(module).items()
        for other in imports(name)
        if other.partition(".")[0] in NOT_PURE
    ]
    assert modules
    assert wrong == []


@pytest.mark.parametrize("app", MAY_IMPORT)
def test_a_package_holds_a_dozen_modules_at_most_and_no_long_file(app: str) -> None:
    packages: dict[Path, list[Path]] = {}
    for path in (CHECKOUT / app).rglob("*.py"):
        if "migrations" not in path.parts and path.name != "__init__.py":
            packages.setdefault(path.parent, []).append(path)
    crowded = {str(folder.relative_to(CHECKOUT)): len(paths) for folder, paths in packages.items() if len(paths) > 14}
    long = {
        str(path.relative_to(CHECKOUT)): lines
        for paths in packages.values()
        for path in paths
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert (crowded, long) == ({}, {})


# --- tests and documents follow the layout ----------------------------------------------------------
def test_tests_lie_where_what_they_test_lies() -> None:
    """`tests/ingest/merge/test_fold.py` is for `ingest/merge/fold.py`, and `test_fold_names.py` as well."""
    strangers = []
    for path in sorted((CHECKOUT / "tests").rglob("test_*.py")):
        folder = path.parent.relative_to(CHECKOUT / "tests")
        if folder.parts and folder.parts[0] in {"core", "maps", "ingest", "portal"}:
            names = {
                each.stem
                for each in (CHECKOUT / folder).iterdir()
                if each.suffix in {".py", ".pyx", ".yaml"} or each.is_dir()
            }
            if not any(re.fullmatch(rf"test_{re.escape(name)}(_\w+)?\.py", path.name) for name in names):
                strangers.append(str(path.relative_to(CHECKOUT)))
    assert strangers == []


def test_the_diagram_of_the_dataflow_shows_modules_and_imports_that_exist() -> None:
    text = (CHECKOUT / "docs" / "dataflow.md").read_text(encoding="utf-8")
    diagram = text.partition("```mermaid")[2].partition("```")[0]
    named = dict(re.findall(r"(\w+)[\[(]+([a-z][\w.]*\.[\w.]+)[\])]+", diagram))
    assert len(named) > 12
    assert [module for module in named.values() if _path_of(module) is None] == []
    arrows = re.findall(r"^\s*(\w+)(?:\[[^\]]*\]|\(\S*\))?\s*-->(?:\|([^|]*)\|)?\s*(\w+)", diagram, flags=re.MULTILINE)
    # An arrow from code to code is a call, so an import; what leads to or from data, or over the broker, is none.
    data = set(re.findall(r"(\w+)\[\(", diagram))
    calls = [
        (named[a], named[b])
        for a, label, b in arrows
        if {a, b} <= named.keys() and not {a, b} & data and label != "RabbitMQ"
    ]
    assert len(calls) > 10
    assert [f"{a} does not import {b}" for a, b in calls if b not in reached(a)] == []
