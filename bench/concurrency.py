"""`bench/run concurrency`: a million rows into one hot table by 1 to 16 clients, with 0 to 3 indexes."""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import statistics
import time
from typing import Any

from bench import machine, results, servers
from bench.merging import database
from bench.results import Chart, Figure, Result, Target
from bench.servers import LOCALES, Site
from deploy.steps import postgres
from deploy.steps.progress import Failure, run, say, step

CLIENTS = (1, 2, 4, 8, 16)
#: Columns, in the order in which they are indexed.
COLUMNS = ("id", "subject", "xy")
#: Rows of one COPY, which is one transaction: about as many as a batch of 64 uploads has.
BATCH_ROWS = 10_000
#: The best rate of 1 to 16 clients that the author of another storage engine published in 2008, on four cores.
EARLIER_ROWS_PER_S = 86_000
_SCRIPT = r"""\set id random(1, 1000000000)
\set subject random(1, 100000)
\set xy random(0, 1048575)
INSERT INTO concurrency VALUES (:id, :subject, :xy);
"""
_RATE = re.compile(r"tps = ([\d.]+)")


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run concurrency", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100,000 rows, one run of each")
    parser.add_argument("--rows", type=int, help="rows by COPY in each run (1,000,000; quick: 100,000)")
    parser.add_argument("--single-rows", type=int, help="rows one by one in each run (200,000; quick: 20,000)")
    parser.add_argument("--runs", type=int, help="runs of each combination (3; quick: 1)")
    options = parser.parse_args(arguments)
    rows = options.rows or (100_000 if options.quick else 1_000_000)
    singles = options.single_rows or (20_000 if options.quick else 200_000)
    runs = options.runs or (1 if options.quick else 3)
    step_rows = BATCH_ROWS * CLIENTS[-1]
    if min(rows, singles) < CLIENTS[-1]:
        raise Failure(f"That is too few for {CLIENTS[-1]} clients. Choose {step_rows:,} rows or more.")
    with servers.running(needs_bytes=1_000_000_000, postgres_settings="max_wal_size = 1GB\n") as site:
        result = Result(
            "concurrency",
            "Concurrency: rows into one hot table",
            f"{rows:,} rows of three columns by COPY of {BATCH_ROWS:,}, {singles:,} one by one, {runs} runs of each",
            machine.facts(site.folders.var),
        )
        Measuring(site, result, rows, singles, runs).measure()
    return results.finish(result, site.folders, quick=options.quick)


class Measuring:
    """Measures all combinations of clients and indexes, by COPY and row by row."""

    def __init__(self, site: Site, result: Result, rows: int, singles: int, runs: int) -> None:
        self.site, self.result = site, result
        self.rows, self.singles, self.runs = rows, singles, runs
        self.database = database(LOCALES[0])
        self.in_ram = bool(postgres.ram_tablespace(site.folders))
        if not self.in_ram:
            result.notes.append("This machine has no RAM disk: the table was UNLOGGED on the disk.")

    def measure(self) -> None:
        self._execute("CREATE EXTENSION IF NOT EXISTS amcheck")
        batches = _batches(self.rows)
        by_copy: dict[tuple[int, int], Figure] = {}
        by_row: dict[tuple[int, int], Figure] = {}
        for indexes in range(len(COLUMNS) + 1):
            with step(f"{indexes} indexes, {CLIENTS[0]} to {CLIENTS[-1]} clients"):
                for clients in CLIENTS:
                    words = f"{clients} client{'s' * (clients > 1)}, {indexes} index{'es' * (indexes != 1)}"
                    by_copy[clients, indexes] = self.result.add(
                        f"COPY, {words}", "rows/s", [self._copy(batches, clients, indexes) for _ in range(self.runs)]
                    )
                    by_row[clients, indexes] = self.result.add(
                        f"row by row, {words}", "rows/s", [self._singles(clients, indexes) for _ in range(self.runs)]
                    )
                    say(
                        f"  {clients:2} clients: {by_copy[clients, indexes].median:,.0f} rows/s by COPY, "
                        f"{by_row[clients, indexes].median:,.0f} one by one"
                    )
        self._add_ratios(by_copy, by_row)

    def _add_ratios(self, by_copy: dict[tuple[int, int], Figure], by_row: dict[tuple[int, int], Figure]) -> None:
        """Add the ratios, each to a figure of the same run."""
        best = max(figure.median for figure in by_copy.values())
        best_row = max(figure.median for figure in by_row.values())
        floor = by_row[1, 0].median
        self.result.add("best by COPY, times one client's single rows without an index", "×", [best / floor])
        self.result.add("best one by one, times one client's", "×", [best_row / floor])
        self.result.add("best by COPY, times another engine's 86,000 rows/s (2008)", "×", [best / EARLIER_ROWS_PER_S])
        for name, figures in (("COPY", by_copy), ("row by row", by_row)):
            few = max(figures[clients, 0].median for clients in CLIENTS[:2])
            kept = statistics.mean([figures[clients, 0].median for clients in CLIENTS[2:]]) / few
            self.result.targets.append(
                Target(f"{name}: 4 to 16 clients, share of the best of 1 and 2, no index", kept, least=0.7)
            )
            self.result.charts.append(
                Chart(
                    "lines",
                    f"Rows per second into one hot table, {name}",
                    "clients",
                    "rows/s",
                    [
                        (f"{indexes} indexes", [(clients, figures[clients, indexes].median) for clients in CLIENTS])
                        for indexes in range(len(COLUMNS) + 1)
                    ],
                )
            )
        self.result.notes.append(
            "After every run the rows were counted, and amcheck looked up every row in each index."
        )

    def _copy(self, batches: list[bytes], clients: int, indexes: int) -> float:
        """Return the rows per second of all clients together."""
        self._make_table(indexes)
        context = multiprocessing.get_context("fork")
        gate, times = context.Barrier(clients), context.SimpleQueue()
        processes = [
            context.Process(target=_client, args=[self.site, self.database, batches[number::clients], gate, times])
            for number in range(clients)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        if any(process.exitcode for process in processes):
            raise Failure("A client could not insert its rows; the reason is above.")
        starts, ends = zip(*(times.get() for _ in processes), strict=True)
        self._check(self.rows, indexes)
        return float(self.rows / (max(ends) - min(starts)))

    def _singles(self, clients: int, indexes: int) -> float:
        """Return the rows per second of pgbench's clients, a transaction each row, prepared."""
        self._make_table(indexes)
        script = self.site.folders.var / "single-row.sql"
        script.write_text(_SCRIPT)
        per_client = self.singles // clients
        output = run(
            [
                *(postgres.BIN / "pgbench", "--no-vacuum", "--protocol", "prepared", "--file", script),
                *("--client", str(clients), "--jobs", str(min(clients, 2)), "--transactions", str(per_client)),
                *("--host", self.site.folders.sockets, "--username", postgres.SUPERUSER, self.database),
            ],
            doing="Inserting rows one by one (pgbench)",
        )
        self._check(per_client * clients, indexes)
        found = _RATE.search(output)
        if not found:
            raise Failure(f"pgbench printed no rate:\n{output}")
        return float(found[1])

    def _make_table(self, indexes: int) -> None:
        tablespace = f"TABLESPACE {postgres.TABLESPACE}" if self.in_ram else ""
        self._execute("DROP TABLE IF EXISTS concurrency")
        self._execute(f"CREATE UNLOGGED TABLE concurrency (id bigint, subject int, xy int) {tablespace}")
        for column in COLUMNS[:indexes]:
            self._execute(f"CREATE INDEX concurrency_{column} ON concurrency ({column}) {tablespace}")

    def _check(self, rows: int, indexes: int) -> None:
        """Compare the table with what was sent; add differences to the result."""
        with self.site.connect(self.database) as connection:
            row = connection.execute("SELECT count(*) FROM concurrency").fetchone()
            if row != (rows,):
                self.result.faults.append(f"{row and row[0]:,} rows instead of {rows:,} with {indexes} indexes.")
            for column in COLUMNS[:indexes]:
                try:
                    connection.execute("SELECT bt_index_check(%s::regclass, true)", [f"concurrency_{column}"])
                except Exception as error:  # noqa: BLE001  (any error belongs into the result)
                    self.result.faults.append(f"The index over {column} is damaged: {error}")

    def _execute(self, sql: str) -> None:
        with self.site.connect(self.database) as connection:
            connection.execute(sql)


def _client(site: Site, database: str, batches: list[bytes], gate: Any, times: Any) -> None:
    with site.connect(database) as connection:
        gate.wait(60)
        began = time.monotonic()
        for batch in batches:
            with connection.cursor().copy("COPY concurrency FROM STDIN") as copy:
                copy.write(batch)
        times.put((began, time.monotonic()))


def _batches(rows: int) -> list[bytes]:
    """Return all rows as the text that COPY reads, in batches."""
    rng = random.Random(1)
    lines = [
        b"%d\t%d\t%d\n" % (rng.randrange(10**9), rng.randrange(10**5), rng.randrange(1 << 20)) for _ in range(rows)
    ]
    return [b"".join(lines[start : start + BATCH_ROWS]) for start in range(0, rows, BATCH_ROWS)]
