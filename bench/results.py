"""A benchmark's result: medians over runs, comparison with targets, a printed table and a JSON file."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deploy.steps.folders import CHECKOUT, SiteFolders
from deploy.steps.progress import say

#: Results of full sizes, from an idle machine; the report is written from them.
KEPT = CHECKOUT / "bench" / "results"


@dataclass
class Figure:
    """A measured quantity with the value of every run."""

    name: str
    unit: str
    runs: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    @property
    def run_range(self) -> str:
        """Lowest and highest run; empty for a single run."""
        return f"{number(min(self.runs))} … {number(max(self.runs))}" if len(self.runs) > 1 else ""


@dataclass
class Target:
    """A limit for a figure: at least `least` or at most `most`."""

    name: str
    value: float
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool:
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)

    @property
    def wanted(self) -> str:
        return f"at least {number(self.least)}" if self.least is not None else f"at most {number(self.most or 0)}"


@dataclass
class Chart:
    """A plot of the report: `lines` over numbers or `bars` over words; a series is (label, [(x, y), …])."""

    kind: str
    title: str
    x: str
    y: str
    series: list[tuple[str, list[tuple[Any, float]]]]
    #: Vertical marks: (x, label).
    marks: list[tuple[float, str]] = field(default_factory=list)


@dataclass
class Result:
    """Everything a benchmark reports."""

    benchmark: str
    title: str
    sizes: str
    machine: dict[str, str]
    figures: list[Figure] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    #: Sentences that a reader needs to interpret the figures.
    notes: list[str] = field(default_factory=list)
    #: Errors in the outcome (not in its speed); any of them fails the benchmark.
    faults: list[str] = field(default_factory=list)

    def add(self, name: str, unit: str, runs: Sequence[float]) -> Figure:
        figure = Figure(name, unit, list(runs))
        self.figures.append(figure)
        return figure

    @property
    def passed(self) -> bool:
        return not self.faults and all(target.met for target in self.targets)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the percentile by nearest rank; nan if there are no values."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def number(value: float) -> str:
    """Format a number for people: three significant digits, commas between thousands."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{2 if abs(value) < 10 else 1}f}" if abs(value) >= 0.1 else f"{value:.2g}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Format rows as a table: the first column aligned left, the others right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def show(result: Result) -> None:
    """Print a result."""
    say(f"\n{result.title} ({result.sizes})\n")
    rows = [("", "median", "unit", "runs from … to")]
    rows += [(figure.name, number(figure.median), figure.unit, figure.run_range) for figure in result.figures]
    say(table(rows))
    if result.targets:
        say("")
        rows = [("target", "value", "wanted", "")]
        rows += [
            (target.name, number(target.value), target.wanted, "met" if target.met else "MISSED")
            for target in result.targets
        ]
        say(table(rows))
    for note in result.notes:
        say(f"\n{note}")
    for fault in result.faults:
        say(f"\nWRONG: {fault}")


def finish(result: Result, place: SiteFolders, *, quick: bool) -> int:
    """Print a result, write it as JSON and return the exit status."""
    show(result)
    folder = place.var / "quick" if quick else KEPT
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.benchmark}.json"
    contents = {
        **asdict(result),
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": quick,
        "passed": result.passed,
    }
    path.write_text(json.dumps(contents, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    say(f"\nWritten to {path}" + ("" if quick else "; bench/run report adds it to docs/benchmarks.md"))
    return 0 if result.passed else 1


def read(path: Path) -> tuple[Result, dict[str, Any]]:
    """Return a result from its JSON file, and the other keys there: `measured_at`, `quick`, `passed`."""
    contents = json.loads(path.read_text(encoding="utf-8"))
    others = {name: contents.pop(name) for name in ("measured_at", "quick", "passed")}
    parts = {"figures": Figure, "targets": Target, "charts": Chart}
    for name, kind in parts.items():
        contents[name] = [kind(**entry) for entry in contents[name]]
    return Result(**contents), others
