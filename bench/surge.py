"""`bench/run surge`: a patch day. 50,000 uploads wait, one locale's before the other's, and new ones arrive."""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

from bench import corpus, load, machine, merging, results, servers
from bench.corpus import Corpus, Prepared
from bench.merging import database
from bench.results import Chart, Result, Target, percentile
from bench.servers import LOCALES, Site
from bench.watching import Use, Watch
from deploy.steps import site as steps
from deploy.steps.progress import say, step, wait_until

#: The first has most of the uploads, and they are an hour older than the other's.
FIRST, SECOND = LOCALES
SECOND_LOCALE_SHARE = 0.25
RATE_PER_S, CLIENTS = 60, 32
DOCUMENTS, PLAYERS, UPLOAD_KB = 200, 40, 70.0
P99_MS, WORKER_MB = 250, 512
#: Workers serve locales in turns: 0.5 would be fair, and the older uploads must not block the younger.
LEAST_SHARE = 0.3
PATIENCE_S = 1800


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run surge", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="1,000 uploads, one run")
    parser.add_argument("--uploads", type=int, help="uploads that wait (50,000; quick: 1,000)")
    parser.add_argument("--runs", type=int, help="runs without and with live uploads (2; quick: 1)")
    options = parser.parse_args(arguments)
    uploads = options.uploads or (1_000 if options.quick else 50_000)
    runs = options.runs or (1 if options.quick else 2)
    with servers.running(needs_bytes=uploads * 250_000 + 3_000_000_000) as site:
        waiting = uneven(corpus.make(site, round(uploads * (1 - SECOND_LOCALE_SHARE)) * 2), uploads)
        result = Result(
            "surge",
            "Surge: a patch day",
            f"{len(waiting.entries):,} uploads of {waiting.size_bytes / 1e6:,.0f} MB wait, {SECOND_LOCALE_SHARE:.0%} "
            f"of them {SECOND} and younger than all others; then the same beside {RATE_PER_S} live uploads a second",
            machine.facts(site.folders.var),
        )
        Measuring(site, result, waiting).measure(runs)
    return results.finish(result, site.folders, quick=options.quick)


def uneven(even: Corpus, uploads: int) -> Corpus:
    """Return `uploads` of a corpus, most of them of the first locale."""
    seconds = round(uploads * SECOND_LOCALE_SHARE)
    first = [entry for entry in even.entries if entry.path.name.startswith(FIRST)]
    second = [entry for entry in even.entries if entry.path.name.startswith(SECOND)]
    return Corpus(even.folder, first[: uploads - seconds] + second[:seconds])


@dataclass
class Run:
    """One run."""

    seconds: float = 0.0
    #: The second locale's share of what was staged while both locales had uploads waiting.
    second_locale_share: float = 0.0
    uses: dict[str, Use] = field(default_factory=dict)
    #: Live uploads: until they were acknowledged, and until they were merged.
    answered_s: list[float] = field(default_factory=list)
    merged_s: list[float] = field(default_factory=list)
    #: Waiting uploads by locale, sampled over time: (seconds, {locale: number}).
    waiting: list[tuple[float, dict[str, int]]] = field(default_factory=list)


class Measuring:
    """The same surge without and with live uploads, in turns."""

    def __init__(self, site: Site, result: Result, waiting: Corpus) -> None:
        self.site, self.result, self.waiting = site, result, waiting
        self.live = corpus.make(site, DOCUMENTS, size_kb=UPLOAD_KB)

    def measure(self, runs: int) -> None:
        prepared = corpus.spool(self.site, self.waiting, "surge")
        alone, beside = [], []
        for number in range(runs):
            title = f"Run {number + 1} of {runs}"
            alone.append(self._run(title, prepared, rate_per_s=0))
            beside.append(self._run(f"{title}, {RATE_PER_S} live uploads a second", prepared, rate_per_s=RATE_PER_S))
        self._add_figures(alone, beside)

    def _run(self, title: str, prepared: Prepared, *, rate_per_s: int) -> Run:
        site = self.site
        site.empty()
        tokens = list(site.tokens(f"Player {number}" for number in range(PLAYERS)).values())
        site.start(*steps.APPLICATION)
        site.pause_work()
        with site.connect() as connection:
            prepared.restore(site)
            connection.execute(
                "UPDATE ingest_upload SET received_at = received_at - interval '1 hour' WHERE locale = %s", [FIRST]
            )
            connection.execute("VACUUM ANALYZE ingest_upload")
            newest = site.one("SELECT max(received_at) FROM ingest_upload")
            prepared.warm()
            sent = 0
            run = Run()
            with (
                step(f"{title}: {len(self.waiting.entries):,} uploads wait"),
                Watch(site.folders) as watch,
                ExitStack() as stack,
            ):
                sending = None
                if rate_per_s:
                    wanted = {"port": site.port, "clients": CLIENTS, "seconds": PATIENCE_S, "rate_per_s": rate_per_s}
                    files = [str(entry.path) for entry in self.live.entries]
                    sending = stack.enter_context(load.started(**wanted, first=0, files=files, tokens=tokens))
                site.resume_work()
                began = time.monotonic()
                self._follow(run, began, newest)
                run.seconds = time.monotonic() - began
                if sending:
                    seen = sending.end()
                    sent = sum(seen["answers"].values())
                    run.answered_s = seen["latencies_s"]
                    if set(seen["answers"]) != {"202"}:
                        self.result.faults.append(f"{title}: live uploads got these answers: {seen['answers']}")
                servers.wait_for_merged(site, 300, "Merging the live uploads", every=1.0)
            run.uses = dict(watch.uses)
            run.merged_s = [
                float(seconds)
                for (seconds,) in connection.execute(
                    "SELECT extract(epoch FROM merged_at - received_at) FROM ingest_upload WHERE received_at > %s",
                    [newest],
                )
            ]
        run.second_locale_share = second_locale_share(run.waiting)
        self._check(title, len(self.waiting.entries) + sent)
        say(
            f"  {len(self.waiting.entries) / run.seconds:,.0f} uploads/s; {SECOND} had {run.second_locale_share:.0%} of"
            f" the work while both waited"
            + (f"; live p99 {1000 * percentile(run.answered_s, 99):.0f} ms" if sent else "")
        )
        merging.wait_for_published(site, PATIENCE_S)
        return run

    def _follow(self, run: Run, began: float, newest: object) -> None:
        """Sample the waiting uploads twice a second, until all that waited at the start are merged."""

        def is_merged() -> bool:
            with self.site.connect() as connection:
                rows = connection.execute(
                    "SELECT locale, status, count(*) FROM ingest_upload"
                    " WHERE status IN ('queued', 'staged') AND received_at <= %s GROUP BY 1, 2",
                    [newest],
                ).fetchall()
            queued = {locale: count for locale, status, count in rows if status == "queued"}
            run.waiting.append((time.monotonic() - began, {locale: queued.get(locale, 0) for locale in LOCALES}))
            return not rows

        wait_until(
            is_merged, seconds=PATIENCE_S, doing="Merging what waited", every=0.5,
            advice=f"The workers' log is {self.site.folders.logs / 'worker.log'}.",
        )  # fmt: skip

    def _check(self, title: str, wanted: int) -> None:
        """Check that every upload is merged, once."""
        merged = int(self.site.one("SELECT count(*) FROM ingest_upload WHERE status = 'merged'"))
        ledger = sum(int(self.site.one("SELECT count(*) FROM ledger", database(locale))) for locale in LOCALES)
        if not merged == ledger == wanted:
            self.result.faults.append(
                f"{title}: {merged:,} uploads merged, {ledger:,} in the ledgers, {wanted:,} expected."
            )

    def _add_figures(self, alone: list[Run], beside: list[Run]) -> None:
        size, uploads = self.waiting.size_bytes / 1e6, len(self.waiting.entries)
        for words, group in (("nothing else", alone), ("beside live uploads", beside)):
            self.result.add(f"until all is merged, {words}", "s", [run.seconds for run in group])
            self.result.add(f"throughput, {words}", "MB/s", [size / run.seconds for run in group])
            self.result.add(f"uploads, {words}", "1/s", [uploads / run.seconds for run in group])
        times = self.result.add(
            "live uploads, times as long", "×", [b.seconds / a.seconds for a, b in zip(alone, beside, strict=True)]
        )
        p99 = self.result.add("live uploads accepted, p99", "ms", [1000 * percentile(r.answered_s, 99) for r in beside])
        self.result.add("live uploads accepted, p50", "ms", [1000 * percentile(r.answered_s, 50) for r in beside])
        self.result.add("live uploads merged after, p50", "s", [percentile(run.merged_s, 50) for run in beside])
        self.result.add("live uploads merged after, p99", "s", [percentile(run.merged_s, 99) for run in beside])
        both = alone + beside
        share = self.result.add(
            f"{SECOND}'s share of the work while both waited", "", [run.second_locale_share for run in both]
        )
        memory = self.result.add(
            "most memory of a worker process", "MB", [run.uses["worker"].peak_process_bytes / 1e6 for run in both]
        )
        self.result.targets += [
            Target("p99 of live uploads during the surge, ms", p99.median, most=P99_MS),
            Target("the younger locale's share of the work while both waited", share.median, least=LEAST_SHARE),
            Target("most memory of one worker process, MB", max(memory.runs), most=WORKER_MB),
        ]
        self.result.notes.append(
            f"Workers claim the oldest uploads of a locale first, so live ones wait for older ones of their locale. "
            f"The {times.median:.2f} times as long includes merging the live ones."
        )
        last = beside[-1].waiting
        self.result.charts.append(
            Chart(
                "lines", "Uploads that wait, beside live ones", "seconds", "",
                [(locale, [(at, left[locale]) for at, left in last]) for locale in LOCALES],
            )
        )  # fmt: skip


def second_locale_share(waiting: list[tuple[float, dict[str, int]]]) -> float:
    """Return the second locale's share of what left the queue while both had uploads in it."""
    both = [left for _, left in waiting if all(left.values())]
    if len(both) < 2:
        return 0.0
    gone = {locale: both[0][locale] - both[-1][locale] for locale in LOCALES}
    return gone[SECOND] / max(1, sum(gone.values()))
