"""`bench/run report`: write docs/benchmarks.md and its plots from bench/results/*.json."""

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

Written by `bench/run report` from `bench/results/`. One command measures each benchmark again, on servers of its
own; `bench/run all` measures all of them.

Each part shows the targets first, met or missed, then plots, then all figures: the median of the runs, with the
lowest and the highest. The last line names the machine and the date. The reference of a ratio was measured in the
same run on the same machine. Ratios hold on other machines, absolute figures do not.
"""
COMPARISON = """## Compare two commits

Measure both in turns on the same machine, so that each pair of runs sees the same conditions:

    git worktree add ../old OLD && git worktree add ../new NEW
    for pair in 1 2 3 4 5; do
        for side in old new; do
            ../$side/bench/run ingest --mb 200 --growth 1 --runs 1
            cp ../$side/bench/results/ingest.json ../$side-ingest-$pair.json
            ../$side/bench/run upload --runs 1
            cp ../$side/bench/results/upload.json ../$side-upload-$pair.json
        done
    done

Divide the new figure of each pair by the old one, such as `throughput` of ingest and `accepted, 16 clients` of upload,
and take the median of these ratios. A difference smaller than the range of the ratios means nothing.
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
        raise Failure(f"{options.source} contains no results yet. Measure first, for example: bench/run ingest")
    write(found, options.to)
    say(f"{options.to / 'benchmarks.md'} covers: {', '.join(path.stem for path in found)}")
    return 0


def write(paths: list[Path], folder: Path) -> None:
    """Write benchmarks.md and an SVG per chart into a folder."""
    plots = folder / "benchmarks"
    plots.mkdir(parents=True, exist_ok=True)
    for old in plots.glob("*.svg"):
        old.unlink()
    parts = [HEAD, *summary(paths), COMPARISON]
    for path in paths:
        result, others = results.read(path)
        names = []
        for place, chart in enumerate(result.charts):
            names.append(f"{result.benchmark}{f'-{place + 1}' if place else ''}.svg")
            (plots / names[-1]).write_text(draw(chart), encoding="utf-8")
        parts.append(section(result, others["measured_at"], bool(others["quick"]), names))
    (folder / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")


def summary(paths: list[Path]) -> list[str]:
    """Return the table of all benchmarks: targets met, outcome and date."""
    lines = ["| benchmark | targets met | outcome | measured |", "|---|---:|---|---|"]
    for path in paths:
        result, others = results.read(path)
        met = sum(target.met for target in result.targets)
        outcome = "**wrong**" if result.faults else "correct"
        anchor = re.sub(r"[^a-z0-9 -]", "", result.title.lower()).replace(" ", "-")
        day = str(others["measured_at"])[:10]
        lines.append(f"| [{cell(result.title)}](#{anchor}) | {met} of {len(result.targets)} | {outcome} | {day} |")
    return [*lines, ""]


def section(result: Result, measured_at: str, quick: bool, plots: list[str]) -> str:
    """Return the report's section of a result."""
    lines = [f"## {result.title}", "", f"`bench/run {result.benchmark}`: {result.sizes}.", ""]
    if quick:
        lines += ["**Measured with small sizes (`--quick`): the figures mean little.**", ""]
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
        f"| {cell(figure.name)} | {number(figure.median)} | {cell(figure.unit)} | {figure.run_range} |"
        for figure in result.figures
    ]
    lines.append("")
    for note in result.notes:
        lines += [note, ""]
    for fault in result.faults:
        lines += [f"**Wrong: {fault}**", ""]
    facts = "; ".join(f"{name} {value}" for name, value in result.machine.items())
    lines += [f"Measured {measured_at[:16].replace('T', ' ')} UTC on: {facts}.", ""]
    return "\n".join(lines)


def cell(text: str) -> str:
    """Escape text for a cell of a table."""
    return text.replace("|", "\\|")
