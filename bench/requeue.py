"""`bench/run requeue`: millions of jobs added at once while players send and workers claim."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench import corpus, load, machine, results, servers
from bench.merging import database
from bench.results import Chart, Result, Target, percentile
from bench.servers import LOCALES, Site
from deploy.steps import site as steps
from deploy.steps.progress import say, step, wait_until

RATE_PER_S = 60
CLIENTS = 32
DOCUMENTS, PLAYERS, UPLOAD_KB = 200, 40, 70.0
#: Rows of merged uploads, in both tables that hold them. Content hashes are hashes of numbers.
_UPLOADS = """
INSERT INTO ingest_upload (id, locale, content_hash, version, game_version, sender, file_name, size_bytes,
    document_name, archived, mobs, positions, lootings, ignored, status, received_at, staged_at, merged_at,
    contribution, reason, claimed_by, attempts)
SELECT md5('{locale}' || n)::uuid, '{locale}', sha256(convert_to('{locale}' || n, 'UTF8')), 44, '',
    'player:' || n % 3000, '', 65000, 'archived/' || n, true, 40, 900, 800, '{{}}', 'merged', long_ago, long_ago,
    long_ago, '{{}}', '', '', 1
FROM generate_series({first}, {last}) n, (SELECT now() - interval '2 days') AS past (long_ago)
"""
_LEDGER = """
INSERT INTO ledger (content_hash, upload, merged_at, contribution)
SELECT sha256(convert_to('{locale}' || n, 'UTF8')), md5('{locale}' || n)::uuid, now() - interval '2 days', '{{}}'
FROM generate_series({first}, {last}) n
"""
ROWS_AT_ONCE = 250_000


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run requeue", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100,000 jobs, one run")
    parser.add_argument("--jobs", type=int, help="jobs added at once (5,000,000; quick: 100,000)")
    parser.add_argument("--runs", type=int, help="runs (2; quick: 1)")
    parser.add_argument("--calm", type=float, default=15.0, help="seconds to measure before and after (15)")
    parser.add_argument("--processing", type=float, default=60.0, help="seconds to watch workers process them (60)")
    options = parser.parse_args(arguments)
    jobs = options.jobs or (100_000 if options.quick else 5_000_000)
    runs = options.runs or (1 if options.quick else 2)
    with servers.running(
        needs_bytes=jobs * 1600 + 2_000_000_000, postgres_settings="max_wal_size = 4GB\nmaintenance_work_mem = 256MB\n"
    ) as site:
        result = Result(
            "requeue",
            "Requeue: millions of jobs added at once",
            f"{jobs:,} jobs, {RATE_PER_S} live uploads of {UPLOAD_KB:g} KB a second, {runs} runs",
            machine.facts(site.folders.var),
        )
        Measuring(site, result, jobs, options.calm, options.processing).measure(runs)
    return results.finish(result, site.folders, quick=options.quick)


@dataclass(frozen=True)
class Run:
    """One run: moments on the monotonic clock, and (moment, latency in seconds) of each live upload."""

    began: float
    added: float
    drained: float
    processed_per_s: float
    deadlocks: int
    answered: list[tuple[float, float]]

    def phases(self) -> dict[str, tuple[float, float]]:
        return {
            "before": (0.0, self.began),
            "while adding": (self.began, self.added),
            "while processing": (self.added, self.drained),
            "after": (self.drained, math.inf),
        }

    def latencies_s(self, phase: str) -> list[float]:
        first, last = self.phases()[phase]
        return [latency for at, latency in self.answered if first <= at < last]


class Measuring:
    """Latency of live uploads before, while and after jobs are added."""

    def __init__(self, site: Site, result: Result, jobs: int, calm_s: float, processing_s: float) -> None:
        self.site, self.result, self.jobs = site, result, jobs
        self.calm_s, self.processing_s = calm_s, processing_s
        self.made = corpus.make(site, DOCUMENTS, size_kb=UPLOAD_KB)
        self.sent = 0

    def measure(self, runs: int) -> None:
        self.site.empty()
        self._make_history()
        self.tokens = list(self.site.tokens(f"Player {number}" for number in range(PLAYERS)).values())
        self.site.start(*steps.APPLICATION)
        seen = [self._run(number + 1, runs) for number in range(runs)]
        self._add_figures(seen)
        self._check()

    def _make_history(self) -> None:
        """Fill the tables with merged uploads, as on a site of some years."""
        per_locale = self.jobs // len(LOCALES)
        with step(f"Making {self.jobs:,} merged uploads"):
            with _without_indexes(self.site, "mobmap_portal", "ingest_upload"):
                for locale in LOCALES:
                    self._insert("mobmap_portal", per_locale, _UPLOADS, locale)
            for locale in LOCALES:
                with _without_indexes(self.site, database(locale), "ledger"):
                    self._insert(database(locale), per_locale, _LEDGER, locale)

    def _insert(self, where: str, count: int, template: str, locale: str) -> None:
        with self.site.connect(where) as connection:
            for first in range(1, count + 1, ROWS_AT_ONCE):
                last = min(first + ROWS_AT_ONCE - 1, count)
                connection.execute(template.format(first=first, last=last, locale=locale))

    def _run(self, number: int, runs: int) -> Run:
        """Add all jobs once, during live uploads."""
        before_deadlocks = self._deadlocks()
        with load.started(
            port=self.site.port, clients=CLIENTS, seconds=2 * self.calm_s + self.processing_s + 300,
            rate_per_s=RATE_PER_S, first=self.sent,
            files=[str(entry.path) for entry in self.made.entries], tokens=self.tokens,
        ) as sending:  # fmt: skip
            with step(f"Run {number} of {runs}: {RATE_PER_S} live uploads a second, nothing else"):
                time.sleep(self.calm_s)
            began = time.monotonic()
            with step(f"./manage.py requeue, {self.jobs:,} jobs"):
                output = steps.manage(self.site.folders, "requeue", "--status", "merged")
                say("  " + output.strip().replace("\n", "\n  "))
            added = time.monotonic()
            with step("Workers process them"):
                waiting = self._waiting()
                until = added + self.processing_s
                while time.monotonic() < until and self._waiting():
                    time.sleep(0.5)
                processed, processed_s = waiting - self._waiting(), time.monotonic() - added
                say(f"  {processed:,} in {processed_s:.0f} s")
            with self.site.connect() as connection:  # the rest would only take time
                connection.execute("DELETE FROM ingest_requeued")
            drained = time.monotonic()
            with step("Live uploads alone again"):
                time.sleep(self.calm_s)
            seen = sending.end()
        self.sent += sum(seen["answers"].values())
        if set(seen["answers"]) != {"202"}:
            self.result.faults.append(f"Run {number}: live uploads got these answers: {seen['answers']}")
        deadlocks = self._deadlocks() - before_deadlocks
        if deadlocks:
            self.result.faults.append(f"Run {number}: PostgreSQL counted {deadlocks} deadlocks.")
        answered = list(zip(seen["moments_s"], seen["latencies_s"], strict=True))
        return Run(began, added, drained, processed / processed_s, deadlocks, answered)

    def _waiting(self) -> int:
        return int(self.site.one("SELECT count(*) FROM ingest_requeued"))

    def _deadlocks(self) -> int:
        return int(self.site.one("SELECT sum(deadlocks) FROM pg_stat_database"))

    def _add_figures(self, seen: list[Run]) -> None:
        seconds = [run.added - run.began for run in seen]
        self.result.add("adding them (./manage.py requeue, including its start)", "s", seconds)
        self.result.add("added", "jobs/s", [self.jobs / each for each in seconds])
        self.result.add("processed by the workers", "jobs/s", [run.processed_per_s for run in seen])
        if not all(run.processed_per_s for run in seen):
            self.result.notes.append(
                "In some run no job was processed: live uploads take precedence, and they left the workers no time."
            )
        p99s: dict[str, float] = {}
        for phase in seen[0].phases():
            per_run = [run.latencies_s(phase) for run in seen]
            p50 = self.result.add(f"live p50 {phase}", "ms", [1000 * percentile(each, 50) for each in per_run])
            p99 = self.result.add(f"live p99 {phase}", "ms", [1000 * percentile(each, 99) for each in per_run])
            p99s[phase] = p99.median
            say(f"  {phase}: p50 {p50.median:.0f} ms, p99 {p99.median:.0f} ms")
        self.result.add("live p99 while adding, times that before", "×", [p99s["while adding"] / p99s["before"]])
        self.result.targets.append(Target("deadlocks", sum(run.deadlocks for run in seen), most=0))
        self.result.charts.append(_chart(seen[-1]))

    def _check(self) -> None:
        """Check that every live upload is merged, once."""
        with step("Waiting until every live upload is merged"):
            servers.wait_for_merged(self.site, 600, "Merging the live uploads", every=1.0)
        merged = int(self.site.one("SELECT count(*) FROM ingest_upload WHERE status = 'merged'"))
        ledger = sum(int(self.site.one("SELECT count(*) FROM ledger", database(locale))) for locale in LOCALES)
        wanted = self.jobs // len(LOCALES) * len(LOCALES) + self.sent
        if not merged == ledger == wanted:
            self.result.faults.append(f"{merged:,} uploads merged, {ledger:,} in the ledgers, {wanted:,} expected.")
        wait_until(lambda: not self._waiting(), seconds=60, doing="Processing the last jobs", advice="")


def _chart(run: Run) -> Chart:
    """Return a run's latencies by second."""
    start = run.answered[0][0] if run.answered else run.began
    slices: dict[int, list[float]] = {}
    for at, latency in run.answered:
        slices.setdefault(int(at - start), []).append(latency * 1000)
    return Chart(
        "lines", "Live uploads while jobs are added (red: begins, added, processing ends)", "seconds", "ms",
        [(f"p{each}", [(at, percentile(slices[at], each)) for at in sorted(slices)]) for each in (99, 50)],
        [(run.began - start, "begins"), (run.added - start, "added"), (run.drained - start, "processing ends")],
    )  # fmt: skip


@contextmanager
def _without_indexes(site: Site, where: str, table: str) -> Iterator[None]:
    """Drop a table's indexes while it is filled, and make them again."""
    with site.connect(where) as connection:
        constraints = connection.execute(
            "SELECT quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE conrelid = %s::regclass AND contype IN ('p', 'u')", [table],
        ).fetchall()  # fmt: skip
        for name, _ in constraints:
            connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        indexes = connection.execute(
            "SELECT quote_ident(indexname), indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = %s",
            [table],
        ).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}")
        yield
        for name, definition in constraints:
            connection.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        for _, definition in indexes:
            connection.execute(definition)
        connection.execute(f"VACUUM ANALYZE {table}")
