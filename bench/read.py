"""`bench/run read`: maps, creatures and searches under 1 to 64 clients through nginx, while ingest runs."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench import corpus, machine, proxy, results, servers
from bench.merging import UNPUBLISHED, database
from bench.results import Chart, Result, Target
from bench.servers import LOCALES, Site
from deploy.steps import site as steps
from deploy.steps.place import CHECKOUT
from deploy.steps.ports import LOOPBACK, remembered
from deploy.steps.progress import Failure, say, step, wait_until

LOCALE = "deDE"
CLIENTS = (1, 2, 4, 8, 16, 32, 64)
#: What is asked for: published documents first, the same from the database next.
PUBLISHED, COMPUTED, CREATURES, SEARCHES = "published maps", "computed maps", "creatures", "searches"
KINDS = (PUBLISHED, COMPUTED, CREATURES, SEARCHES)
#: Different creatures and searches that are asked for.
DIFFERENT = 300
#: Uploads that keep the workers busy meanwhile, and how many distinct ones they are variants of.
UPLOADS_PER_S, DOCUMENTS = 20, 124
#: How long a document may take that nobody has asked for yet, and how often that is tried.
COLD_P99_MS, COLD_REQUESTS = 10.0, 400


@dataclass(frozen=True)
class Round:
    """What wrk saw in one run."""

    rate_per_s: float
    p50_ms: float
    p99_ms: float


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run read", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small world, one run of a second each")
    parser.add_argument("--seconds", type=float, help="length of each run (3; quick: 1)")
    parser.add_argument("--runs", type=int, help="runs with each number of clients (3; quick: 1)")
    parser.add_argument("--uploads", type=int, help="uploads that the world is made of (1538; quick: 154)")
    options = parser.parse_args(arguments)
    seconds = options.seconds or (1.0 if options.quick else 3.0)
    runs = options.runs or (1 if options.quick else 3)
    uploads = options.uploads or (154 if options.quick else 1538)
    with servers.running(needs_bytes=3_000_000_000) as site:
        result = Result(
            "read",
            "Read: published documents against computed answers, through nginx, while ingest runs",
            f"a world of {uploads:,} uploads, {UPLOADS_PER_S} more a second meanwhile; 1 to {CLIENTS[-1]} clients on "
            f"the same machine, {runs} runs of {seconds:g} s each",
            machine.facts(site.place.var),
        )
        Measuring(site, result, seconds).measure(uploads, runs)
    return results.finish(result, site.place, quick=options.quick)


class Measuring:
    """The kinds of answers in turns, so that all see the same machine."""

    def __init__(self, site: Site, result: Result, seconds: float) -> None:
        self.site, self.result, self.seconds = site, result, seconds
        self.folder = site.place.var / "reading"
        self.folder.mkdir(exist_ok=True)
        #: The size of the smallest document: an answer with less is none.
        self.least_bytes = 0

    def measure(self, uploads: int, runs: int) -> None:
        self._make_world(uploads)
        zones = self._choose_addresses()
        ports = remembered(self.folder / "ports.json", ["published", "computed"])
        nothing = self.folder / "nothing-published"
        with (
            servers.second_web(self.site, "portal.wsgi", MOBMAP_PUBLISH_DOCUMENTS="0") as computing,
            proxy.running(
                self.folder / "nginx",
                port=ports["published"],
                upstream_port=self.site.port,
                var=self.site.place.var,
            ),
            proxy.running(self.folder / "nginx-computed", port=ports["computed"], upstream_port=computing, var=nothing),
        ):
            where = dict.fromkeys(KINDS, ports["published"]) | {COMPUTED: ports["computed"]}
            found: dict[tuple[str, int], list[Round]] = {}
            with self._uploading():
                for clients in CLIENTS:
                    with step(f"{clients} clients"):
                        for kind in KINDS:
                            found[kind, clients] = [self._round(kind, where[kind], clients) for _ in range(runs)]
                with step("Documents that nobody has asked for"):
                    cold = [each * 1000 for each in self._cold(ports["published"], zones)]
                merged = self.site.one("SELECT count(*) FROM ingest_upload WHERE status = 'merged'")
            self.result.add("uploads merged meanwhile", "", [merged - uploads])
            if merged <= uploads:
                self.result.faults.append("Nothing was merged while answers were measured.")
            self._wait_until_published()
            self._compare(zones, ports["published"], ports["computed"])
        self._tell(found, cold)
        self._publishing_all(len(zones))

    def _make_world(self, uploads: int) -> None:
        prepared = corpus.spool(self.site, corpus.make(self.site, uploads), "read")
        with step(f"Merging and publishing {uploads:,} uploads"):
            self.site.empty()
            prepared.restore(self.site)
            self.site.start(*steps.APPLICATION)
            servers.wait_for_merged(self.site, 600, "Merging the world")
            self._wait_until_published()

    def _wait_until_published(self) -> None:
        wait_until(
            lambda: (
                not self.site.unfinished() and not any(self.site.one(UNPUBLISHED, database(each)) for each in LOCALES)
            ),
            seconds=600,
            doing="Publishing what changed",
            advice=f"The workers' log is {self.site.place.logs / 'worker.log'}.",
            every=0.5,
        )

    def _choose_addresses(self) -> list[int]:
        """Write the addresses of each kind to a file, in random order; returns the zones."""
        api, chosen = f"/api/v1/{LOCALE}", random.Random(1)
        with self.site.connect(database(LOCALE)) as connection:
            zones = [zone for (zone,) in connection.execute("SELECT DISTINCT zone FROM spawn ORDER BY 1")]
            mobs = [mob for (mob,) in connection.execute("SELECT DISTINCT mob FROM spawn ORDER BY 1")]
            names = [name for (name,) in connection.execute("SELECT DISTINCT name FROM creature_name ORDER BY 1")]
        for each in (zones, mobs, names):
            chosen.shuffle(each)
        maps = [f"{api}/zones/{zone}/map" for zone in zones]
        addresses = {
            PUBLISHED: maps,
            COMPUTED: maps,
            CREATURES: [f"{api}/mobs/{mob}" for mob in mobs[:DIFFERENT]],
            SEARCHES: [f"{api}/search?q={quote(name[:6])}" for name in names[:DIFFERENT]],
        }
        for kind, paths in addresses.items():
            self._file(kind).write_text("".join(f"{path}\n" for path in paths))
        sizes = [path.stat().st_size for path in (self.site.published / LOCALE / "zone-maps").glob("*.gz")]
        self.result.add("published documents of a locale", "", [len(sizes)])
        self.result.add("size of a document, compressed", "KB", [size / 1000 for size in sizes])
        self.least_bytes = min(sizes, default=0)
        if len(sizes) < len(zones):
            self.result.faults.append(f"{len(zones)} zones have spawn points, {len(sizes)} a document.")
        return zones

    def _file(self, kind: str) -> Path:
        return self.folder / f"{kind.replace(' ', '-')}.txt"

    def _round(self, kind: str, port: int, clients: int) -> Round:
        done = subprocess.run(
            [
                *("wrk", "--threads", "1", "--connections", str(clients), "--duration", f"{self.seconds:g}s"),
                *("--timeout", "10s", "--script", CHECKOUT / "bench" / "paths.lua", f"http://{LOOPBACK}:{port}"),
                *("--", self._file(kind)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        told = re.search(r"^JSON (.*)$", done.stdout, re.MULTILINE)
        if told is None:
            raise Failure(f"wrk failed (exit status {done.returncode}):\n{done.stdout}{done.stderr}")
        seen: dict[str, Any] = json.loads(told[1])
        if seen["failed"] or not seen["requests"]:
            self.result.faults.append(f"{kind}, {clients} clients: {seen['failed']} of {seen['requests']} failed.")
        elif kind in {PUBLISHED, COMPUTED} and seen["bytes"] / seen["requests"] < self.least_bytes:
            self.result.faults.append(f"{kind}, {clients} clients: the answers were not whole maps.")
        found = Round(seen["requests"] / seen["seconds"], seen["p50_s"] * 1000, seen["p99_s"] * 1000)
        say(f"  {kind}: {found.rate_per_s:,.0f}/s, p50 {found.p50_ms:.2f} ms, p99 {found.p99_ms:.2f} ms")
        return found

    def _cold(self, port: int, zones: list[int]) -> list[float]:
        """Return how long documents took (seconds) over new connections, when no memory held them."""
        chosen, taken = random.Random(2), []
        for _ in range(COLD_REQUESTS):
            zone = chosen.choice(zones)
            _forget(self.site.published / LOCALE / "zone-maps" / f"{zone}.json.gz")
            began = time.monotonic()
            connection = HTTPConnection(LOOPBACK, port, timeout=10)
            connection.request("GET", f"/api/v1/{LOCALE}/zones/{zone}/map", headers={"Accept-Encoding": "gzip"})
            response = connection.getresponse()
            response.read()
            taken.append(time.monotonic() - began)
            connection.close()
            if response.status != 200:
                self.result.faults.append(f"The map of zone {zone} was answered with {response.status}.")
        return taken

    def _compare(self, zones: list[int], published: int, computed: int) -> None:
        """See that everybody gets the same map, once nothing changes any more."""
        for zone in zones:
            both = []
            for port in (published, computed):
                with urllib.request.urlopen(f"http://{LOOPBACK}:{port}/api/v1/{LOCALE}/zones/{zone}/map") as answer:
                    both.append(json.load(answer))
            if both[0] != both[1]:
                self.result.faults.append(f"The published map of zone {zone} is not the computed one.")

    @contextmanager
    def _uploading(self) -> Iterator[None]:
        """Let players send until the block ends: the workers parse, fold and publish all the while."""
        made = corpus.make(self.site, DOCUMENTS)
        tokens = list(self.site.tokens(f"Player {number}" for number in range(40)).values())
        wanted = {
            **{"port": self.site.port, "clients": 8, "seconds": 36_000, "rate_per_s": UPLOADS_PER_S, "first": 0},
            **{"files": [str(entry.path) for entry in made.entries], "tokens": tokens},
        }
        process = subprocess.Popen(
            [sys.executable, "-B", "-m", "bench.load"], cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(wanted).encode())
        process.stdin.close()
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()

    def _tell(self, found: dict[tuple[str, int], list[Round]], cold: list[float]) -> None:
        medians = {key: statistics.median(each.rate_per_s for each in rounds) for key, rounds in found.items()}
        for kind in KINDS:
            for clients in CLIENTS:
                words = f"{kind}, {clients} client{'s' * (clients > 1)}"
                self.result.add(words, "1/s", [each.rate_per_s for each in found[kind, clients]])
                self.result.add(f"p50, {words}", "ms", [each.p50_ms for each in found[kind, clients]])
                self.result.add(f"p99, {words}", "ms", [each.p99_ms for each in found[kind, clients]])
        best = {kind: max(medians[kind, clients] for clients in CLIENTS) for kind in KINDS}
        self.result.add("published maps, times as many as computed", "", [best[PUBLISHED] / best[COMPUTED]])
        self.result.add("p50 of cold documents", "ms", [results.percentile(cold, 50)])
        self.result.targets.append(Target("p99 of cold documents, ms", results.percentile(cold, 99), most=COLD_P99_MS))
        self.result.charts += [
            Chart("lines", title, "clients", unit, [
                (kind, [(n, statistics.median(getattr(each, name) for each in found[kind, n])) for n in CLIENTS])
                for kind in KINDS
            ])
            for title, unit, name in (("Answers per second", "1/s", "rate_per_s"), ("99th percentile", "ms", "p99_ms"))
        ]  # fmt: skip

    def _publishing_all(self, zones: int) -> None:
        self.site.stop("worker", "scheduler")
        began = time.monotonic()
        with step(f"Making {zones} documents anew"):
            said = steps.manage(self.site.place, "publish", LOCALE, "--all")
        told = re.search(r"([\d,]+) documents made in ([\d.]+) s", said)
        if told is None:
            raise Failure(f"./manage.py publish told no figures within {time.monotonic() - began:.0f} s:\n{said}")
        made, seconds = int(told[1].replace(",", "")), float(told[2])
        self.result.add("documents made, one process", "1/s", [made / seconds if seconds else 0.0])


def _forget(file: Path) -> None:
    """Have the kernel drop what it holds of a file in memory."""
    number = os.open(file, os.O_RDONLY)
    try:
        os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(number)
