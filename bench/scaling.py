"""`bench/run scaling`: reading by 1 to 16 clients, and from tables larger than the database's memory."""

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
        description=f"{__doc__} The database's memory is a quarter of all data (by cgroup, as root). It is compared "
        "with memcached in front of it, for 1/4, 1/2 and all of the data, and with published records served by nginx.",
    )
    parser.add_argument("--quick", action="store_true", help="100,000 creatures, one short run of each")
    parser.add_argument("--rows", type=int, help="largest number of creatures (5,000,000; quick: 100,000)")
    parser.add_argument("--runs", type=int, help="runs of each series at each size (3; quick: 1)")
    parser.add_argument("--seconds", type=float, help="length of each run (0.7; quick: 0.2)")
    options = parser.parse_args(arguments)
    rows = options.rows or (100_000 if options.quick else 5_000_000)
    runs = options.runs or (1 if options.quick else 3)
    seconds = options.seconds or (0.2 if options.quick else 0.7)
    if rows < _LEAST_ROWS:
        raise Failure(f"That is too few to measure anything. Choose {_LEAST_ROWS:,} rows or more.")
    first = int(rows * STEPS[0])
    with servers.running(needs_bytes=2_000_000_000 + rows * 2_000, postgres_settings=scaling_growth.POSTGRES) as site:
        result = Result(
            "scaling",
            "Scaling: more clients, and data larger than the database's memory",
            f"{first:,} creatures read by 1 to {scaling_reading.CLIENTS[-1]} clients; {first:,} to {rows:,} creatures "
            f"read by {CLIENTS} clients, {runs} runs of {seconds:g} s each",
            machine.facts(site.folders.var),
        )
        growing = Growing(site, result, rows, runs, seconds)
        growing.load(first)
        scaling_reading.measure(site, result, first, runs)
        growing.measure()
        add_growth(growing)
    return results.finish(result, site.folders, quick=options.quick)


def add_growth(growing: Growing) -> None:
    """Add figures, plots and notes on the growing data to the result."""
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
    """Return notes that interpret the figures."""
    first, last = growing.sizes[0], growing.sizes[-1]

    def rate(operation: str, source: str, size: int) -> float:
        return growing.seen[operation, source, size].median

    def share(part: float, whole: float) -> str:
        return f"{part / whole:.0%}"

    kept = {
        source: share(rate(READ, source, last), rate(READ, source, first)) for kind, source in SERIES if kind == READ
    }
    return [
        f"All creatures are requested equally often, which is the worst case for memory: real visitors request few "
        f"zones. The database has {growing.memory_bytes / 1e6:,.0f} MB of memory, for its processes and the kernel's "
        f"cache of their files; nginx has as much of its own. Caches have additional memory. An update is a "
        f"transaction of {BATCH} creatures, because folds are large; it also writes the cache, or the published "
        f"records, synced. Names are looked up exactly. Published records are found by key only, so they have no "
        f"series for names. All clients are Python processes on the same machine: while the data fit into memory, a "
        f"read by key reaches {share(rate(READ, DATABASE, first), rate(FLOOR, DATABASE, first))} of the rate of "
        f"`SELECT 1`.",
        f"Reading by key from {last:,} instead of {first:,} creatures, PostgreSQL alone keeps {kept[DATABASE]} of its "
        f"throughput. With a cache of a quarter it is {kept['cache of 1/4']}, of a half {kept['cache of 1/2']}, of all "
        f"data {kept[ALL_CACHED]}; with published records {kept[PUBLISHED]}. Without a memory limit, PostgreSQL alone "
        f"reaches {growing.in_memory:,.0f}/s at {last:,} creatures, "
        f"{growing.in_memory / rate(READ, DATABASE, last):.1f} times as much as with a quarter.",
        f"Consequences for the design: a cache helps only for its hits, because every miss still waits for the disk, "
        f"and every update must also write the cache "
        f"({share(rate(UPDATE, ALL_CACHED, last), rate(UPDATE, DATABASE, last))} of the updates/s without one). "
        f"Published records need no additional memory: they are {_ratio(growing):.1f} times smaller than the tables "
        f"with their indexes, so the same memory holds more of them, and they need no query "
        f"({rate(READ, PUBLISHED, last) / rate(READ, DATABASE, last):.1f} times PostgreSQL's throughput at {last:,} "
        f"creatures). Therefore the data of pages are published as files instead of cached in front of queries. What "
        f"is computed at each request, mainly the search by name, needs its tables and indexes in memory.",
    ]


def _ratio(growing: Growing) -> float:
    """Return the size of tables and indexes as a multiple of that of the published records."""
    sizes = {figure.name: figure.median for figure in growing.result.figures}
    last = f"at {growing.sizes[-1]:,} creatures"
    return sizes[f"tables with their indexes {last}"] / sizes[f"published records {last}"]
