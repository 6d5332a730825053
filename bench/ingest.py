"""`bench/run ingest`: from spooled uploads to merged ones, against xmllint and osm2pgsql, and how it grows."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from bench import corpus, floors, machine, results, servers
from bench.corpus import Corpus, Prepared
from bench.results import Chart, Result, Target
from bench.servers import LOCALES, Site
from bench.watching import Use, Watch
from deploy.steps.progress import Failure, say, step, wait_until

#: How long a gigabyte may take before something is surely wrong.
PATIENCE_S_PER_MB = 3.0
WARM_UP_UPLOADS = 40


@dataclass(frozen=True)
class Run:
    """One timed run."""

    seconds: float
    published_after_s: float
    folds: int
    uses: dict[str, Use]


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run ingest", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="some tens of megabytes, one run of each")
    parser.add_argument("--mb", type=int, help="size of the uploads (1000; quick: 30)")
    parser.add_argument("--runs", type=int, help="timed runs (3; quick: 1)")
    parser.add_argument("--growth", type=int, default=4, help="how many times the uploads to compare with (4; 1: none)")
    options = parser.parse_args(arguments)
    size_mb = options.mb or (30 if options.quick else 1000)
    runs = options.runs or (1 if options.quick else 3)
    needs = int(size_mb * 1e6 * (options.growth * 2.5 + 2))
    with servers.running(needs_bytes=needs) as site:
        facts = machine.facts(site.place.var)
        result = measure(site, size_mb, runs, max(1, options.growth), facts)
    return results.finish(result, site.place, quick=options.quick)


def measure(site: Site, size_mb: int, runs: int, growth: int, facts: dict[str, str]) -> Result:
    """Make the uploads, time the floors and the merge, and check what came out."""
    wanted = round(size_mb * 1000 / corpus.MEAN_KB / 2) * 2
    large = corpus.make(site, wanted * growth)
    small = large.first(wanted)
    size = small.size_bytes / 1e6
    result = Result(
        "ingest",
        "Ingest: from spooled to merged",
        f"{len(small.entries):,} uploads, {size:,.0f} MB, {small.positions + small.lootings:,} observations",
        facts,
    )
    with step(f"xmllint --stream over the same files, {runs} times"):
        xmllint = result.add(
            "xmllint --stream, one core", "MB/s", [size / floors.xmllint(small) for _ in range(max(runs, 2))]
        )
    with step(f"osm2pgsql with the same coordinates, {runs} times"):
        nodes, seconds = floors.osm2pgsql(site, small, runs)
        osm = result.add("osm2pgsql", "nodes/s", [nodes / one for one in seconds])
    warm_up = corpus.spool(site, corpus.make(site, WARM_UP_UPLOADS, seed=corpus.SEED + 1), "warm-up")
    prepared = corpus.spool(site, small, "small")
    timed = [
        _run(site, warm_up, prepared, small, title=f"Run {number + 1} of {runs}", result=result)
        for number in range(runs)
    ]
    _tell(result, small, timed)
    ingest = statistics.median([run.seconds for run in timed])
    result.targets += [
        Target("MB/s, share of xmllint --stream", size / ingest / xmllint.median, least=0.25),
        Target("observations/s, times osm2pgsql's nodes/s", _observations(small) / ingest / osm.median, least=4),
        Target("most memory of one worker process, MB", timed[-1].uses["worker"].peak_process_bytes / 1e6, most=512),
    ]
    chart = [("1×", ingest)]
    if growth > 1:
        prepared = corpus.spool(site, large, "large")
        grown = _run(site, warm_up, prepared, large, title=f"{growth} times the uploads", result=result)
        result.add(f"{growth} times the uploads", "s", [grown.seconds])
        result.targets.append(
            Target(f"time for {growth} times the uploads, times as long", grown.seconds / ingest, most=growth * 1.1)
        )
        chart.append((f"{growth}×", grown.seconds))
    result.charts.append(
        Chart(
            "bars", "Megabytes per second", "", "MB/s",
            [("", [("xmllint --stream", xmllint.median), ("MobMap, two workers", size / ingest)])],
        )
    )  # fmt: skip
    result.charts.append(Chart("bars", "Seconds by size", "uploads", "s", [("", list(chart))]))
    return result


def _observations(uploads: Corpus) -> int:
    return uploads.positions + uploads.lootings


def _run(site: Site, warm_up: Prepared, prepared: Prepared, uploads: Corpus, *, title: str, result: Result) -> Run:
    """Merge a corpus into empty databases and return how it went."""
    site.empty()
    site.start("worker", "scheduler")
    warm_up.restore(site)
    servers.wait_for_merged(site, 120, "Merging the uploads to warm up")
    before = {locale: _counts(site, locale) for locale in LOCALES}
    with site.connect() as connection:
        connection.execute(
            "INSERT INTO ingest_localecontrol (locale, intake_paused, work_paused, note)"
            " SELECT unnest(%s::text[]), false, true, ''",
            [LOCALES],
        )
        prepared.restore(site)
        connection.execute("ANALYZE ingest_upload")
        with (
            step(f"{title}: merging {len(uploads.entries):,} uploads, {uploads.size_bytes / 1e6:,.0f} MB"),
            Watch(site.place) as watch,
        ):
            connection.execute("DELETE FROM ingest_localecontrol")
            began = _first_claim(site)
            patience = 120 + uploads.size_bytes / 1e6 * PATIENCE_S_PER_MB
            _progress(site, len(uploads.entries), patience)
            seconds = time.monotonic() - began
            wait_until(
                lambda: not any(site.one("SELECT EXISTS (SELECT FROM changed)", _database(each)) for each in LOCALES),
                seconds=patience,
                doing="Publishing what changed",
                advice=f"The workers' log is {site.place.logs / 'worker.log'}.",
                every=0.5,
            )
            published = time.monotonic() - began
    for locale in LOCALES:
        result.faults += [f"{title}, {locale}: {fault}" for fault in _wrong(site, locale, before[locale], uploads)]
    folds = sum(_counts(site, locale)["folds"] - before[locale]["folds"] for locale in LOCALES)
    say(f"  {uploads.size_bytes / 1e6 / seconds:.1f} MB/s, {folds} folds; published after {published:.1f} s")
    return Run(seconds, published, folds, dict(watch.uses))


def _first_claim(site: Site) -> float:
    """Wait for a worker's first claim and return when it was seen."""
    with site.connect() as connection:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            row = connection.execute(
                "SELECT EXISTS (SELECT FROM ingest_upload WHERE claimed_by <> '' AND merged_at IS NULL)"
            ).fetchone()
            if row and row[0]:
                return time.monotonic()
            time.sleep(0.02)
    raise Failure(f"No worker claimed anything within 60 s. The workers' log is {site.place.logs / 'worker.log'}.")


def _progress(site: Site, total: int, patience_s: float) -> None:
    """Wait until all is merged, with a line of progress every ten seconds."""
    began = told = time.monotonic()
    while left := site.unfinished():
        now = time.monotonic()
        if now - began > patience_s:
            servers.wait_for_merged(site, 0, "Merging the uploads")
        if now - told > 10:
            told = now
            say(f"  {total - left:,} of {total:,} merged after {now - began:.0f} s")
        time.sleep(0.1)


def _database(locale: str) -> str:
    return f"mobmap_{locale.lower()}"


def _counts(site: Site, locale: str) -> dict[str, int]:
    """Return what a locale's tables hold, summed."""
    with site.connect(_database(locale)) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM ledger), (SELECT count(DISTINCT xmin::text) FROM ledger),"
            " (SELECT coalesce(sum(l.lootings), 0) FROM loot l),"
            " (SELECT coalesce(sum((brought->>'new_positions')::bigint + (brought->>'confirmed_positions')::bigint), 0)"
            "  FROM ledger),"
            " (SELECT coalesce(sum(sighting_count), 0) FROM presence WHERE subject > 0)"
        ).fetchone()
    assert row is not None
    return dict(zip(("uploads", "folds", "lootings", "positions", "sightings"), map(int, row), strict=True))


def _wrong(site: Site, locale: str, before: dict[str, int], uploads: Corpus) -> Iterator[str]:
    """Compare a locale's tables with the simulation's book and yield every difference."""
    entries = [entry for entry in uploads.entries if entry.path.name.startswith(locale)]
    after = _counts(site, locale)
    brought = {name: after[name] - before[name] for name in after}
    expected = {
        "uploads": len(entries),
        "lootings": sum(entry.lootings - entry.lootings_of_unknown() for entry in entries),
    }
    for name, number in expected.items():
        if brought[name] != number:
            yield f"{brought[name]:,} {name} were merged instead of {number:,}."
    if not 0 < brought["sightings"] == brought["positions"] <= sum(entry.positions for entry in entries):
        yield (
            f"{brought['sightings']:,} sightings in the tables, {brought['positions']:,} distinct "
            "coordinates in the ledger's entries; both should be the same."
        )


def _tell(result: Result, uploads: Corpus, timed: list[Run]) -> None:
    size = uploads.size_bytes / 1e6
    result.add("spooled to merged", "s", [run.seconds for run in timed])
    result.add("throughput", "MB/s", [size / run.seconds for run in timed])
    result.add("observations", "1/s", [_observations(uploads) / run.seconds for run in timed])
    result.add("uploads", "1/s", [len(uploads.entries) / run.seconds for run in timed])
    result.add("all published after", "s", [run.published_after_s for run in timed])
    result.add("folds (transactions that entered the ledger)", "", [run.folds for run in timed])
    programs = [("worker", "a worker process"), ("postgres", "a PostgreSQL process, shared buffers included")]
    programs += [("rabbitmq", "RabbitMQ"), ("scheduler", "the scheduler")]
    for program, words in programs:
        result.add(f"most memory of {words}", "MB", [run.uses[program].peak_process_bytes / 1e6 for run in timed])
        result.add(
            f"most memory of {program} in all (PSS)", "MB", [run.uses[program].peak_pss_bytes / 1e6 for run in timed]
        )
        result.add(f"processor time of {program}", "s", [run.uses[program].cpu_s for run in timed])
