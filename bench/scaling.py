"""`bench/run scaling`: reading by more and more clients, and from tables that outgrow the database's memory."""

from __future__ import annotations

import argparse

from bench import machine, results, scaling_growth, scaling_reading, servers
from bench.results import Chart, Result
from bench.scaling_clients import BATCH, BY_NAME, CLIENTS, DATABASE, FLOOR, PUBLISHED, READ, UPDATE
from bench.scaling_growth import ALL_CACHED, CACHES, MEMORY_SHARE, SERIES, STEPS, Growing
from deploy.steps.progress import Failure

_LEAST_ROWS = 10_000


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="bench/run scaling",
        description=f"{__doc__} The database's memory is a quarter of all data (by cgroup, as root); in front of it "
        "memcached with 1/4, 1/2 and all of the data, and beside it records that nginx hands out.",
    )
    parser.add_argument("--quick", action="store_true", help="100,000 creatures, one short run of each")
    parser.add_argument("--rows", type=int, help="creatures at the end (5,000,000; quick: 100,000)")
    parser.add_argument("--runs", type=int, help="runs of each series at each size (3; quick: 1)")
    parser.add_argument("--seconds", type=float, help="length of each run (0.7; quick: 0.2)")
    options = parser.parse_args(arguments)
    rows = options.rows or (100_000 if options.quick else 5_000_000)
    runs = options.runs or (1 if options.quick else 3)
    seconds = options.seconds or (0.2 if options.quick else 0.7)
    if rows < _LEAST_ROWS:
        raise Failure(f"That is too little to tell anything. Choose {_LEAST_ROWS:,} rows or more.")
    first = int(rows * STEPS[0])
    with servers.running(needs_bytes=2_000_000_000 + rows * 2_000, postgres_settings=scaling_growth.POSTGRES) as site:
        result = Result(
            "scaling",
            "Scaling: more clients, and data that outgrow the database's memory",
            f"{first:,} creatures read by 1 to {scaling_reading.CLIENTS[-1]} clients; {first:,} to {rows:,} creatures "
            f"asked for by {CLIENTS} clients, {runs} runs of {seconds:g} s each",
            machine.facts(site.folders.var),
        )
        growing = Growing(site, result, rows, runs, seconds)
        growing.load(first)
        scaling_reading.measure(site, result, first, runs)
        growing.measure()
        tell(growing)
    return results.finish(result, site.folders, quick=options.quick)


def tell(growing: Growing) -> None:
    """Add what was seen while the data grew: figures, plots, and what they say."""
    result, last = growing.result, growing.sizes[-1]
    for size in growing.sizes:
        for operation, source in SERIES:
            seen = growing.seen[operation, source, size]
            result.add(f"{operation}, {source}, {size:,} creatures", "1/s", seen.rates)
            if source in CACHES and operation != UPDATE:
                result.add(f"hits, {operation}, {source}, {size:,} creatures", "share", seen.hit_shares)
    marks = [(last * MEMORY_SHARE / 1e6, "the tables are as large as the database's memory")]
    for operation in (READ, BY_NAME, UPDATE):
        result.charts.append(
            Chart(
                "lines", f"{operation.capitalize()}: throughput as the data grow", "million creatures", "creatures/s",
                [
                    (each, [(size / 1e6, growing.seen[operation, each, size].median) for size in growing.sizes])
                    for kind, each in SERIES if kind == operation
                ],
                marks,
            )
        )  # fmt: skip
    result.notes += explain(growing)


def explain(growing: Growing) -> list[str]:
    """Return what the figures say about the design, in the figures' own words."""
    first, last = growing.sizes[0], growing.sizes[-1]

    def rate(operation: str, source: str, size: int) -> float:
        return growing.seen[operation, source, size].median

    def share(part: float, whole: float) -> str:
        return f"{part / whole:.0%}"

    kept = {
        source: share(rate(READ, source, last), rate(READ, source, first)) for kind, source in SERIES if kind == READ
    }
    return [
        f"Every creature is as likely to be asked for as any other, which is the worst case for memory: real visitors "
        f"ask for a few zones again and again. Memory for the database (and, apart from it, for nginx) is "
        f"{growing.memory_bytes / 1e6:,.0f} MB, what processes hold and what the kernel keeps of files together. "
        f"Caches have their memory besides. An update is a transaction of {BATCH} creatures, as a fold's are large; "
        f"with a cache it also writes the cache, with published records also these, synced. Names are looked up "
        f"exactly; records are found by key, so there is no such series for them. All clients are Python "
        f"processes on the same machine: {share(rate(READ, DATABASE, first), rate(FLOOR, DATABASE, first))} of "
        f"`SELECT 1` is what a read by key reaches while the data fit.",
        f"Read by key, {last:,} creatures against {first:,}: PostgreSQL alone keeps {kept[DATABASE]} of its "
        f"throughput, with a cache of a quarter {kept['cache of 1/4']}, of a half {kept['cache of 1/2']}, of all "
        f"{kept[ALL_CACHED]}, published records {kept[PUBLISHED]}. With as much memory as it wants, PostgreSQL alone "
        f"gives {growing.in_memory:,.0f}/s at {last:,} creatures, "
        f"{growing.in_memory / rate(READ, DATABASE, last):.1f} times as much as with a quarter.",
        f"What it says about the design: a cache helps by its share of hits only, because every miss still waits for "
        f"the disk, and its entries have to be written with every update "
        f"({share(rate(UPDATE, ALL_CACHED, last), rate(UPDATE, DATABASE, last))} of the updates/s without one). "
        f"Published records need no such second memory: they are {_ratio(growing):.1f} times smaller than the tables "
        f"with their indexes, so that the same memory holds as many times more of them, and no query runs for them "
        f"({rate(READ, PUBLISHED, last) / rate(READ, DATABASE, last):.1f} times PostgreSQL's throughput at {last:,} "
        f"creatures). That is why pages' data are published as files and not cached in front of queries; what is "
        f"computed at each request, the search by name before all, needs its tables and indexes in memory.",
    ]


def _ratio(growing: Growing) -> float:
    """Return how many times larger tables and indexes are than the published records."""
    sizes = {figure.name: figure.median for figure in growing.result.figures}
    last = f"at {growing.sizes[-1]:,} creatures"
    return sizes[f"tables with their indexes {last}"] / sizes[f"published records {last}"]
