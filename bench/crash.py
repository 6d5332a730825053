"""`bench/run crash`: random faults during uploads, then a comparison of all counts."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from bench import corpus, disks, machine, results, servers
from bench.corpus import Corpus
from bench.faults import FULL, KILLS, STEP, Clock, Fault, Injector, schedule
from bench.merging import database
from bench.results import Chart, Result, Target
from bench.servers import LOCALES, Site
from bench.stream import Stream
from deploy.steps import site as steps
from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure, say, step, wait_until

#: Short leases and small batches: more moments to interrupt.
SETTINGS = {
    "MOBMAP_CLAIM_LEASE_S": "15",
    "MOBMAP_BATCH_MAX_UPLOADS": "8",
    # The write itself must fail, not the check of the free space before it.
    "MOBMAP_SPOOL_MIN_FREE_BYTES": "0",
}
#: PostgreSQL's own log must not fill the small disk.
POSTGRES = "max_wal_size = 128MB\nmin_wal_size = 32MB\n"
DISKS_MB = {"spool": 96, "hot": 640, "database": 1400}
UPLOAD_KB = 24.0
PATIENCE_S = 600


def main(arguments: list[str]) -> int:
    """Inject faults, count, and return the exit status: 0 only without a difference."""
    parser = argparse.ArgumentParser(prog="bench/run crash", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10 faults, 200 uploads")
    parser.add_argument("--faults", type=int, metavar="N", help="number of faults (50; quick: 10)")
    parser.add_argument("--uploads", type=int, metavar="N", help="number of uploads (2000; quick: 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the schedule (1)")
    parser.add_argument("--gap", type=float, default=10.0, metavar="SECONDS", help="time for each fault (10)")
    parser.add_argument("--only", help="only kinds of faults whose names contain this text")
    options = parser.parse_args(arguments)
    count = options.faults or (10 if options.quick else 50)
    uploads = options.uploads or (200 if options.quick else 2000)
    place = servers.place()
    place.var.mkdir(parents=True, exist_ok=True)
    folders, missing = _small_disks()
    clock = Clock(place.var / "clock")
    kinds = [*KILLS, *(kind for kind, disk in FULL.items() if disk in folders)]
    if clock.faketime:
        kinds.append(STEP)
    else:
        missing.append("Clock steps are left out: libfaketime is not installed.")
    kinds = [kind for kind in kinds if (options.only or "") in kind]
    if not kinds:
        raise Failure(f"No kind of fault contains {options.only!r}: {', '.join([*KILLS, *FULL, STEP])}")
    faults = schedule(count, options.seed, options.gap, kinds)
    environment = {name: clock.environment() for name in steps.APPLICATION} if clock.faketime else {}
    try:
        with servers.running(
            needs_bytes=4_000_000_000, settings=SETTINGS, postgres_settings=POSTGRES, process_environment=environment
        ) as site:
            result = Result(
                "crash",
                "Crash: random faults during uploads",
                f"{count} faults, one in every {options.gap:g} s, {uploads:,} uploads, seed {options.seed}",
                machine.facts(place.var),
                notes=missing,
            )
            injector = Injector(site, folders, clock)
            _measure(site, result, injector, faults=faults, uploads=uploads, gap_s=options.gap)
    finally:
        for name in DISKS_MB:
            (place.var / f"{name}.img").unlink(missing_ok=True)
    return results.finish(result, place, quick=options.quick)


def _small_disks() -> tuple[dict[str, Path], list[str]]:
    """Mount small file systems; return their folders, and notes on what cannot be tried here."""
    place = servers.place()
    why = disks.unshare_mounts()
    if why:
        return {}, [f"Full disks are left out: small file systems could not be mounted ({why})."]
    missing = []
    folders = {"spool": place.var / "spool", "database": place.state}
    for name, folder in list(folders.items()):
        why = disks.mount_image(folder, place.var / f"{name}.img", DISKS_MB[name])
        if why:
            missing.append(f"A full disk of the {name} is left out: {why}")
            del folders[name]
    why = disks.mount_ram_disk(DISKS_MB["hot"])
    if why:
        missing.append(f"Full hot tables are left out: {why}")
    else:
        folders["hot"] = Path("/dev/shm")
    return folders, missing


def _measure(
    site: Site, result: Result, injector: Injector, *, faults: list[Fault], uploads: int, gap_s: float
) -> None:
    made = corpus.make(site, uploads, mix=True, size_kb=UPLOAD_KB)
    site.empty()
    tokens = site.tokens(sorted(entry.player for entry in made.entries))
    site.start(*steps.APPLICATION)
    stream = Stream(site.port, made.entries, tokens)
    began = time.monotonic()
    curve = Curve(site, stream, began)
    done: Counter[str] = Counter()
    try:
        for number, fault in enumerate(faults):
            stream.allow(uploads * (number + 1) // len(faults))
            time.sleep(max(0.0, began + fault.at_s - time.monotonic()))
            description = injector.inject(fault)
            done[fault.kind] += 1
            passed_s, sent = time.monotonic() - began, len(stream.acknowledged)
            say(f"  {passed_s:6.1f} s  {number + 1:3}  {description}  [{sent:,} sent]")
            curve.marks.append((fault.at_s, description))
            time.sleep(max(0.0, began + (number + 1) * gap_s - time.monotonic()))
        injector.end()
        with step("Waiting until everything is acknowledged, merged and published"):
            stream.finish(PATIENCE_S)
            _wait_for_merged(site)
            seconds = time.monotonic() - began
            _wait_until_ready(site)
    finally:
        stream.stop()
        injector.end()
        curve.end()
    result.faults += [*stream.faults[:20], *injector.errors]
    with step("Counting the files independently and comparing"):
        counted = _compare(site, made)
    result.faults += counted["differences"]
    _add_figures(result, stream, seconds, counted, done)
    result.charts.append(curve.chart())


def _wait_for_merged(site: Site) -> None:
    """Wait until all is merged, also through PostgreSQL's last recovery."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return servers.wait_for_merged(site, max(1.0, deadline - time.monotonic()), "Merging what was acknowledged")
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise Failure(f"PostgreSQL does not answer: {error}") from None
            time.sleep(0.5)


def _wait_until_ready(site: Site) -> None:
    wait_until(
        lambda: not any(site.one("SELECT EXISTS (SELECT FROM stale_spawns)", database(each)) for each in LOCALES),
        seconds=PATIENCE_S,
        doing="Publishing what changed",
        advice=f"The workers' log is {site.folders.logs / 'worker.log'}.",
        every=0.5,
    )
    wait_until(
        lambda: servers.answers(site.address),
        seconds=30,
        doing="Becoming ready for uploads again",
        advice=f"{site.address}/readyz says what is missing.",
    )


def _compare(site: Site, made: Corpus) -> dict[str, Any]:
    """Run the independent count in a process with the site's settings."""
    site.stop("worker", "scheduler", "web")
    sent = {
        locale: [[str(entry.path), entry.player] for entry in made.entries if entry.path.name.startswith(locale)]
        for locale in LOCALES
    }
    path = site.folders.var / "sent.json"
    path.write_text(json.dumps(sent), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "bench.counting", path],
        cwd=CHECKOUT,
        env=site.environment(),
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise Failure(f"Counting failed (exit status {done.returncode}); the reason is above.")
    counted: dict[str, Any] = json.loads(done.stdout)
    return counted


def _add_figures(result: Result, stream: Stream, seconds: float, counted: dict[str, Any], done: Counter[str]) -> None:
    result.add("uploads acknowledged", "", [len(stream.acknowledged)])
    result.add("from the first fault to the last merge", "s", [seconds])
    result.add("counts compared with the independent ones", "", [counted["compared"]])
    for kind, number in sorted(done.items()):
        result.add(f"fault: {kind}", "times", [number])
    for word, number in sorted(stream.answers.items()):
        result.add(f"answer: {word}", "times", [number])
    result.targets += [
        Target("differences to the independent count", counted["number"], most=0),
        Target("uploads not acknowledged in the end", len(stream.entries) - len(stream.acknowledged), most=0),
    ]


class Curve:
    """Uploads acknowledged and merged over time, sampled once a second, for the plot."""

    def __init__(self, site: Site, stream: Stream, began: float) -> None:
        self.site, self.stream, self.began = site, stream, began
        self.acknowledged: list[tuple[float, float]] = []
        self.merged: list[tuple[float, float]] = []
        self.marks: list[tuple[float, str]] = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._end.set()
        self._thread.join()

    def chart(self) -> Chart:
        return Chart(
            "lines", "Uploads through faults (red: a fault)", "seconds", "uploads",
            [("acknowledged", self.acknowledged), ("merged", self.merged)], self.marks,
        )  # fmt: skip

    def _run(self) -> None:
        while not self._end.wait(1.0):
            now = round(time.monotonic() - self.began, 1)
            self.acknowledged.append((now, len(self.stream.acknowledged)))
            with suppress(psycopg.Error):
                merged = self.site.one("SELECT count(*) FROM ingest_upload WHERE status = 'merged'")
                self.merged.append((now, int(merged)))
