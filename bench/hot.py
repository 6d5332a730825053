"""`bench/run hot`: hot tables in RAM, on disk and logged, against loading row by row; also on a slow disk."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import psutil

from bench import corpus, machine, merging, results, row_by_row, servers, slow_disk
from bench.corpus import Corpus, Prepared
from bench.merging import database
from bench.results import Chart, Figure, Result
from bench.servers import LOCALES, Site
from deploy.steps import environment, postgres, supervisor
from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure, say, step

WARM_UP_UPLOADS = 40
#: Row by row is slow: it loads only the first part of the corpus, and its rate is compared.
ROWS_SHARE = 8
RAM, DISK, LOGGED = "hot tables in RAM", "hot tables unlogged on disk", "hot tables logged on disk"
ROWS_ON_DISK, ROWS_IN_RAM = "row by row, on disk", "row by row, in RAM"


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run hot", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10 MB, one run of each")
    parser.add_argument("--mb", type=int, help="size of the uploads (80; quick: 10)")
    parser.add_argument("--runs", type=int, help="runs of each kind (3; quick: 1)")
    options = parser.parse_args(arguments)
    size_mb = options.mb or (10 if options.quick else 80)
    runs = options.runs or (1 if options.quick else 3)
    with servers.running(needs_bytes=int(size_mb * 2e7)) as site:
        uploads = corpus.make(site, round(size_mb * 1000 / corpus.MEAN_KB / 2) * 2)
        result = Result(
            "hot",
            "Hot: hot tables in RAM and on disk",
            f"{len(uploads.entries):,} uploads, {uploads.size_bytes / 1e6:,.0f} MB, two workers, {runs} runs of each; "
            f"row by row: the first 1/{ROWS_SHARE} of them, a process per locale",
            machine.facts(site.folders.var),
        )
        Measuring(site, result, uploads, runs).measure()
    return results.finish(result, site.folders, quick=options.quick)


class Measuring:
    """The same uploads merged in each way, on this machine's disk and on a throttled one."""

    def __init__(self, site: Site, result: Result, uploads: Corpus, runs: int) -> None:
        self.site, self.result, self.uploads, self.runs = site, result, uploads, runs
        self.warm_up = corpus.spool(site, corpus.make(site, WARM_UP_UPLOADS, seed=corpus.SEED + 1), "warm-up")
        self.prepared: Prepared = corpus.spool(site, uploads, "hot")
        self.has_ram = bool(postgres.ram_tablespace(site.folders))
        self.log_rates: list[float] = []

    def measure(self) -> None:
        normal = self._all("", nullcontext)
        self._ratios("", normal)
        series = [("this machine's disk", [(name, figure.median) for name, figure in normal.items()])]
        why = slow_disk.why_not(self.site.folders.cluster)
        if why:
            self.result.notes.append(f"Not measured with a throttled disk: {why}.")
        else:
            slow = self._all(", slow disk", self._slowed)
            self._ratios(", slow disk", slow)
            series.append(("slowed disk", [(name, figure.median) for name, figure in slow.items()]))
            self.result.notes.append(
                "Slow disk: the kernel limits PostgreSQL to "
                f"{slow_disk.WRITE_BYTES_PER_S / 1e6:.0f} MB/s and {slow_disk.WRITES_PER_S} writes/s, about "
                "the speed of one hard disk. Spool and archive are not throttled."
            )
        if not self.has_ram:
            self.result.notes.append("This machine has no RAM disk: tables meant for RAM were on disk.")
        self.result.notes.append(
            "Row by row: one prepared INSERT … ON CONFLICT per sighting, looting and drop, one commit per upload. Its "
            "tables hold keys and counts only, no packed entries, names, uploaders or ledger: less than the workers do."
        )
        log = self.result.add("log written by row by row, on disk", "MB/s", self.log_rates)
        if log.median * 1e6 < slow_disk.WRITE_BYTES_PER_S:
            self.result.notes.append(
                "Row by row writes less log than the throttled disk accepts, and tables of this size fit into memory: "
                "the processor is the limit. If the tables exceed the memory, each row also costs a random read."
            )
        self.result.charts.append(Chart("bars", "Observations per second", "", "1/s", series))

    def _all(self, words: str, disk: Callable[[], AbstractContextManager[None]]) -> dict[str, Figure]:
        """Measure every way; runs alternate between them, because the machine's speed varies."""
        rates: dict[str, list[float]] = {name: [] for name in (RAM, DISK, LOGGED, ROWS_IN_RAM, ROWS_ON_DISK)}
        for number in range(self.runs):
            for name, seen in rates.items():
                title = f"{name}{words}, run {number + 1} of {self.runs}"
                seen.append(self._rows(title, disk, name) if name in {ROWS_IN_RAM, ROWS_ON_DISK} else
                            self._merge(title, disk, name))  # fmt: skip
        return {name: self.result.add(f"{name}{words}", "observations/s", seen) for name, seen in rates.items()}

    def _ratios(self, words: str, figures: dict[str, Figure]) -> None:
        for name, other in ((RAM, DISK), (RAM, LOGGED), (RAM, ROWS_ON_DISK), (ROWS_IN_RAM, ROWS_ON_DISK)):
            self.result.add(f"{name}, times {other}{words}", "×", [figures[name].median / figures[other].median])

    def _slowed(self) -> AbstractContextManager[None]:
        pid = int(supervisor.processes(self.site.folders)["postgres"]["pid"])
        server = psutil.Process(pid)
        return slow_disk.slowed(self.site.folders.cluster, [server, *server.children(recursive=True)])

    def _merge(self, title: str, disk: Callable[[], AbstractContextManager[None]], name: str) -> float:
        """Merge by the site's workers; return observations per second."""
        self._choose_tablespace(in_ram=name == RAM)
        with disk():
            run = merging.run(
                self.site,
                self.warm_up,
                self.prepared,
                self.uploads,
                title=title,
                result=self.result,
                begin=lambda: self._check_tables(name),
            )
        return (self.uploads.positions + self.uploads.lootings) / run.seconds

    def _choose_tablespace(self, *, in_ram: bool) -> None:
        """Set the tablespace of processes that start from now on."""
        chosen = postgres.ram_tablespace(self.site.folders) if in_ram else ""
        for name in environment.ROLES:
            path = self.site.folders.var / name
            lines = [line for line in path.read_text().splitlines() if not line.startswith("MOBMAP_HOT_TABLESPACE=")]
            path.write_text("\n".join([*lines, f"MOBMAP_HOT_TABLESPACE={chosen}"]) + "\n")

    def _check_tables(self, name: str) -> None:
        """Check the tablespace of the hot tables; make them logged if that is measured."""
        for locale in LOCALES:
            with self.site.connect(database(locale)) as connection:
                tables = connection.execute(
                    "SELECT n.nspname || '.' || quote_ident(c.relname), t.spcname FROM pg_class c"
                    " JOIN pg_namespace n ON n.oid = c.relnamespace"
                    " LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace"
                    " WHERE n.nspname IN ('hot_0', 'hot_1') AND c.relkind = 'r'"
                ).fetchall()
                wanted = postgres.TABLESPACE if name == RAM and self.has_ram else None
                if not tables or {place for _, place in tables} != {wanted}:
                    raise Failure(f"The hot tables of {locale} are in the wrong tablespace: {tables}")
                for table, _ in tables if name == LOGGED else []:
                    connection.execute(f"ALTER TABLE {table} SET LOGGED")

    def _rows(self, title: str, disk: Callable[[], AbstractContextManager[None]], name: str) -> float:
        """Load row by row in two processes; return observations per second."""
        self.site.empty()
        files = [entry.path for entry in self.uploads.first(len(self.uploads.entries) // ROWS_SHARE).entries]
        with disk(), step(f"{title}: {len(files):,} uploads"):
            running, log_began = [], self._log_bytes()
            for locale in LOCALES:
                with self.site.connect(database(locale)) as connection:
                    if name == ROWS_IN_RAM and self.has_ram:
                        connection.execute(f"SET default_tablespace = '{postgres.TABLESPACE}'")
                    connection.execute(row_by_row.MAKE.format(kind="UNLOGGED" if name == ROWS_IN_RAM else ""))
                wanted = {
                    "conninfo": f"host={self.site.folders.sockets} user={postgres.SUPERUSER} dbname={database(locale)}",
                    "files": [str(path) for path in files if path.name.startswith(locale)],
                }
                running.append(_start_loader(wanted))
            outputs = [json.loads(process.stdout.read() or "{}") for process in running if process.stdout]
            if any(process.wait() for process in running):
                raise Failure("Loading row by row failed; the reason is above.")
        observations = sum(each["observations"] for each in outputs)
        seconds = max(each["seconds"] for each in outputs)
        rate = float(observations / seconds)
        if name == ROWS_ON_DISK:
            self.log_rates.append((self._log_bytes() - log_began) / 1e6 / seconds)
        say(f"  {rate:,.0f} observations/s")
        counted = "SELECT (SELECT sum(seen) FROM sighting_2008) + (SELECT sum(lootings) FROM looting_2008)"
        if sum(self.site.one(counted, database(locale)) for locale in LOCALES) != observations:
            self.result.faults.append(f"{title}: the tables do not hold what was loaded.")
        return rate

    def _log_bytes(self) -> int:
        """Return the position in the write-ahead log, in bytes."""
        return int(self.site.one("SELECT pg_current_wal_lsn() - '0/0'"))


def _start_loader(wanted: dict[str, Any]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "bench.row_by_row"],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(wanted))
    process.stdin.close()
    return process
