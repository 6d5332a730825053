"""`bench/run report`: docs/benchmarks.md and its plots, made anew from bench/results/*.json."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from bench import results
from bench.plot import draw
from bench.results import Result, number
from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure, say

ORDER = (
    *("ingest", "hot", "surge", "upload", "read", "concurrency", "requeue", "scaling", "crash", "spawns"),
    "map",
)
HEAD = """# Benchmarks

Made by `bench/run report` from `bench/results/`; every figure can be measured anew with one command, on
servers of its own (`bench/run all` measures everything).

How to read it: targets come first, each met or missed; then the plots; then every figure as the median over
its runs, with the lowest and highest beside it. The floor of a ratio was measured in the same run, on the same
machine, which is named below each part with the date. Ratios travel between machines, absolute figures don't.
"""


def main(arguments: list[str]) -> int:
    """Write the report."""
    parser = argparse.ArgumentParser(prog="bench/run report", description=__doc__)
    parser.add_argument("--from", dest="source", type=Path, default=results.KEPT, help="folder of results")
    parser.add_argument("--to", type=Path, default=CHECKOUT / "docs", help="folder for benchmarks.md and its plots")
    options = parser.parse_args(arguments)
    known = [options.source / f"{name}.json" for name in ORDER]
    found = [path for path in known if path.exists()]
    if not found:
        raise Failure(f"{options.source} holds no results yet. Measure first, for example: bench/run ingest")
    write(found, options.to)
    say(f"{options.to / 'benchmarks.md'} tells of: {', '.join(path.stem for path in found)}")
    return 0


def write(paths: list[Path], folder: Path) -> None:
    """Write benchmarks.md and an SVG per chart into a folder."""
    plots = folder / "benchmarks"
    plots.mkdir(parents=True, exist_ok=True)
    for old in plots.glob("*.svg"):
        old.unlink()
    parts = [HEAD, *summary(paths)]
    for path in paths:
        result, beside = results.read(path)
        names = []
        for place, chart in enumerate(result.charts):
            names.append(f"{result.benchmark}{f'-{place + 1}' if place else ''}.svg")
            (plots / names[-1]).write_text(draw(chart), encoding="utf-8")
        parts.append(section(result, beside["measured_at"], bool(beside["quick"]), names))
    (folder / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")


def summary(paths: list[Path]) -> list[str]:
    """Return a table of what was measured, when, and how it ended."""
    lines = ["| benchmark | targets met | outcome | measured |", "|---|---:|---|---|"]
    for path in paths:
        result, beside = results.read(path)
        met = sum(target.met for target in result.targets)
        outcome = "**wrong**" if result.faults else "correct"
        anchor = re.sub(r"[^a-z0-9 -]", "", result.title.lower()).replace(" ", "-")
        day = str(beside["measured_at"])[:10]
        lines.append(f"| [{cell(result.title)}](#{anchor}) | {met} of {len(result.targets)} | {outcome} | {day} |")
    return [*lines, ""]


def section(result: Result, measured_at: str, quick: bool, plots: list[str]) -> str:
    """Return a result's part of the report."""
    lines = [f"## {result.title}", "", f"`bench/run {result.benchmark}`: {result.sizes}.", ""]
    if quick:
        lines += ["**Tried with small sizes (`--quick`): the figures mean little.**", ""]
    if result.targets:
        lines += ["| target | value | wanted | |", "|---|---:|---:|---|"]
        lines += [
            f"| {cell(each.name)} | {number(each.value)} | {each.wanted} | {'met' if each.met else '**missed**'} |"
            for each in result.targets
        ]
        lines.append("")
    for name, chart in zip(plots, result.charts, strict=True):
        lines += [f"![{chart.title}](benchmarks/{name})", ""]
    lines += ["| figure | median | unit | runs from … to |", "|---|---:|---|---:|"]
    lines += [
        f"| {cell(figure.name)} | {number(figure.median)} | {cell(figure.unit)} | {figure.spread} |"
        for figure in result.figures
    ]
    lines.append("")
    for note in result.notes:
        lines += [note, ""]
    for fault in result.faults:
        lines += [f"**Wrong: {fault}**", ""]
    told = "; ".join(f"{name} {value}" for name, value in result.machine.items())
    lines += [f"Measured {measured_at[:16].replace('T', ' ')} UTC on: {told}.", ""]
    return "\n".join(lines)


def cell(text: str) -> str:
    """Return text that stays within its cell of a table."""
    return text.replace("|", "\\|")
