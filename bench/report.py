"""`bench/run report`: docs/benchmarks.md and its plots, made anew from bench/results/*.json."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench import results
from bench.plot import draw
from bench.results import Result, number
from deploy.steps.place import CHECKOUT
from deploy.steps.progress import Failure, say

ORDER = ("ingest", "hot", "upload", "concurrency", "requeue", "crash")
HEAD = """# Benchmarks

Made by `bench/run report` from `bench/results/`; every figure can be measured anew with one command, on
servers of its own. Medians over several runs; the floor of each ratio was measured in the same run.
Ratios travel between machines, absolute figures don't.
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
    parts = [HEAD]
    for path in paths:
        result, beside = results.read(path)
        names = []
        for place, chart in enumerate(result.charts):
            names.append(f"{result.benchmark}{f'-{place + 1}' if place else ''}.svg")
            (plots / names[-1]).write_text(draw(chart), encoding="utf-8")
        parts.append(section(result, beside["measured_at"], bool(beside["quick"]), names))
    (folder / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")


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
