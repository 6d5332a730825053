"""Merge a prepared corpus with the site's own workers, timed from the first claim, and check it against its book."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench import servers
from bench.corpus import Corpus, Prepared
from bench.results import Result
from bench.servers import LOCALES, Site
from bench.watching import Use, Watch
from deploy.steps.progress import Failure, say, step, wait_until

#: Timeout per megabyte: far above any plausible time.
PATIENCE_S_PER_MB = 3.0
_UNPUBLISHED = (
    "SELECT EXISTS (SELECT FROM stale_spawns) OR EXISTS (SELECT FROM changed_count)"
    " OR EXISTS (SELECT FROM stale_file WHERE since <= now())"
)

#: Two index lookups, whatever the number of uploads. Counting uploads ten times a second would cost half a core of
#: what is measured, and more with more uploads.
LEFT = (
    "SELECT EXISTS (SELECT FROM ingest_upload WHERE status = 'queued')"
    " OR EXISTS (SELECT FROM ingest_upload WHERE status = 'staged')"
)


@dataclass(frozen=True)
class Run:
    """One timed run."""

    seconds: float
    published_after_s: float
    folds: int
    uses: dict[str, Use]


def run(
    site: Site,
    warm_up: Prepared,
    prepared: Prepared,
    uploads: Corpus,
    *,
    title: str,
    result: Result,
    begin: Callable[[], None] = lambda: None,
) -> Run:
    """Merge a corpus into empty databases and return the times; `begin` is called just before the time starts."""
    site.empty()
    site.start("worker", "scheduler")
    warm_up.restore(site)
    servers.wait_for_merged(site, 120, "Merging the uploads to warm up")
    before = {locale: _counts(site, locale) for locale in LOCALES}
    site.pause_work()
    with site.connect() as connection:
        prepared.restore(site)
        prepared.warm()
        connection.execute("ANALYZE ingest_upload")
        begin()
        with (
            step(f"{title}: merging {len(uploads.entries):,} uploads, {uploads.size_bytes / 1e6:,.0f} MB"),
            Watch(site.folders) as watch,
        ):
            site.resume_work()
            began = _first_claim(site)
            patience = 120 + uploads.size_bytes / 1e6 * PATIENCE_S_PER_MB
            _progress(site, len(uploads.entries), patience)
            seconds = time.monotonic() - began
            wait_for_published(site, patience)
            published = time.monotonic() - began
    for locale in LOCALES:
        result.faults += [f"{title}, {locale}: {fault}" for fault in _wrong(site, locale, before[locale], uploads)]
    folds = sum(_counts(site, locale)["folds"] - before[locale]["folds"] for locale in LOCALES)
    say(f"  {uploads.size_bytes / 1e6 / seconds:.1f} MB/s, {folds} folds; published after {published:.1f} s")
    return Run(seconds, published, folds, dict(watch.uses))


def wait_for_published(site: Site, seconds: float) -> None:
    """Wait until every published file that is due is as new as the tables."""
    wait_until(
        lambda: not any(site.one(_UNPUBLISHED, database(each)) for each in LOCALES),
        seconds=seconds,
        doing="Publishing what changed",
        advice=f"The workers' log is {site.folders.logs / 'worker.log'}.",
        every=0.5,
    )


def _first_claim(site: Site) -> float:
    """Wait for a worker's first claim and return its moment."""
    with site.connect() as connection:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            row = connection.execute(
                "SELECT EXISTS (SELECT FROM ingest_upload WHERE claimed_by <> '' AND merged_at IS NULL)"
            ).fetchone()
            if row and row[0]:
                return time.monotonic()
            time.sleep(0.02)
    raise Failure(f"No worker claimed anything within 60 s. The workers' log is {site.folders.logs / 'worker.log'}.")


def _progress(site: Site, total: int, patience_s: float) -> None:
    """Wait until all is merged; print a line of progress every ten seconds."""
    began = shown_at = time.monotonic()
    with site.connect() as connection:
        connection.execute("SET enable_seqscan = off")
        while (row := connection.execute(LEFT).fetchone()) and row[0]:
            now = time.monotonic()
            if now - began > patience_s:
                servers.wait_for_merged(site, 0, "Merging the uploads")
            if now - shown_at > 10:
                shown_at = now
                say(f"  {total - site.unfinished():,} of {total:,} merged after {now - began:.0f} s")
            time.sleep(0.1)


def database(locale: str) -> str:
    """Return the name of a locale's database: `mobmap_dede`."""
    return f"mobmap_{locale.lower()}"


def _counts(site: Site, locale: str) -> dict[str, int]:
    """Return the sums of a locale's tables."""
    with site.connect(database(locale)) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM ledger), (SELECT count(DISTINCT xmin::text) FROM ledger),"
            " (SELECT coalesce(sum(l.lootings), 0) FROM loot l),"
            " (SELECT coalesce(sum((contribution->>'new_positions')::bigint"
            "  + (contribution->>'confirmed_positions')::bigint), 0) FROM ledger),"
            " (SELECT coalesce(sum(sighting_count), 0) FROM habitat WHERE subject > 0)"
        ).fetchone()
    assert row is not None
    return dict(zip(("uploads", "folds", "lootings", "positions", "sightings"), map(int, row), strict=True))


def _wrong(site: Site, locale: str, before: dict[str, int], uploads: Corpus) -> Iterator[str]:
    """Compare a locale's tables with the corpus' book and yield every difference."""
    entries = [entry for entry in uploads.entries if entry.path.name.startswith(locale)]
    after = _counts(site, locale)
    added = {name: after[name] - before[name] for name in after}
    expected = {
        "uploads": len(entries),
        "lootings": sum(entry.lootings - entry.lootings_of_unknown() for entry in entries),
    }
    for name, number in expected.items():
        if added[name] != number:
            yield f"{added[name]:,} {name} were merged instead of {number:,}."
    if not 0 < added["sightings"] == added["positions"] <= sum(entry.positions for entry in entries):
        yield (
            f"{added['sightings']:,} sightings in the tables, {added['positions']:,} distinct "
            "coordinates in the ledger's entries; both should be the same."
        )
