"""`bench/run profile`: time of ingest per megabyte, by function of the worker, SQL statement and publishing."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from typing import Any

from bench import corpus, machine, results, servers
from bench.results import Chart, Result, number, table
from bench.servers import LOCALES, Site
from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure, say, step

POSTGRES_SETTINGS = """\
shared_preload_libraries = 'pg_stat_statements,auto_explain'
pg_stat_statements.max = 500
pg_stat_statements.track = all
track_io_timing = on
auto_explain.log_min_duration = {slow_ms}
auto_explain.log_analyze = on
auto_explain.log_timing = off
auto_explain.log_buffers = on
"""
SHOWN = 25


def main(arguments: list[str]) -> int:
    """Profile and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run profile", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10 MB")
    parser.add_argument("--mb", type=int, help="size of the uploads (200; quick: 10)")
    parser.add_argument("--slow-ms", type=int, default=2000, help="explain slower statements in PostgreSQL's log")
    options = parser.parse_args(arguments)
    size_mb = options.mb or (10 if options.quick else 200)
    settings = POSTGRES_SETTINGS.format(slow_ms=options.slow_ms)
    with servers.running(needs_bytes=int(size_mb * 4e6), postgres_settings=settings) as site:
        return results.finish(measure(site, size_mb), site.folders, quick=options.quick)


def measure(site: Site, size_mb: int) -> Result:
    """Merge uploads in one process under a profiler, one locale after the other."""
    uploads = corpus.make(site, round(size_mb * 1000 / corpus.MEAN_KB / 2) * 2)
    size = uploads.size_bytes / 1e6
    prepared = corpus.spool(site, uploads, "profile")
    site.empty()
    prepared.restore(site)
    with site.connect() as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("ANALYZE ingest_upload")
        connection.execute("SELECT pg_stat_statements_reset()")
    steps: dict[str, list[float]] = {}
    for locale in LOCALES:
        with step(f"Merging and publishing {locale} in one process, under a profiler"):
            for name, (calls, seconds) in _profile(site, locale).items():
                known = steps.setdefault(name, [0, 0.0])
                known[0] += calls
                known[1] += seconds
    if site.unfinished():
        raise Failure(f"Not everything was merged; the log of PostgreSQL is {site.folders.logs / 'postgres.log'}.")
    result = Result(
        "profile",
        "Profile: time of ingest by step",
        f"{len(uploads.entries):,} uploads, {size:,.0f} MB, one process, one locale after the other",
        machine.facts(site.folders.var),
        notes=["A function's time includes all its calls. The profiler slows everything down, Python most."],
    )
    longest = sorted(steps.items(), key=lambda entry: -entry[1][1])
    for name, (_, seconds) in longest:
        result.add(name, "ms/MB", [1000 * seconds / size])
    result.charts.append(
        Chart(
            "bars", "Longest steps", "", "ms/MB", [("", [(name, 1000 * each[1] / size) for name, each in longest[:6]])]
        )
    )
    _show_statements(site, size)
    return result


def _profile(site: Site, locale: str) -> dict[str, tuple[int, float]]:
    done = subprocess.run(
        [sys.executable, "-B", "-m", "bench.profiling", locale],
        cwd=CHECKOUT,
        env=site.environment("env.ingest"),
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise Failure(f"Merging under the profiler failed (exit status {done.returncode}); the reason is above.")
    measured: dict[str, tuple[int, float]] = json.loads(done.stdout)
    return measured


def _show_statements(site: Site, size_mb: float) -> None:
    """Print the slowest statements."""
    with site.connect() as connection:
        rows: list[tuple[Any, ...]] = connection.execute(
            "SELECT d.datname, s.calls, s.total_exec_time, s.rows, s.query FROM pg_stat_statements s"
            " JOIN pg_database d ON d.oid = s.dbid WHERE s.toplevel ORDER BY s.total_exec_time DESC LIMIT %s",
            [SHOWN],
        ).fetchall()
    shown = [("statement", "ms/MB", "calls", "ms each", "rows", "database")]
    for database, calls, milliseconds, count, query in rows:
        text = re.sub(r"\s+", " ", re.sub(r"--[^\n]*\n", "", query)).strip()[:70]
        shown.append(
            (text, number(milliseconds / size_mb), f"{calls:,}", number(milliseconds / calls), f"{count:,}", database)
        )
    say("")
    say(table(shown))
