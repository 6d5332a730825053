"""`bench/run read`: maps, creatures, items, images and searches by 1 to 64 clients through nginx, during ingest."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench import corpus, load, machine, martin, merging, proxy, results, servers
from bench.merging import database
from bench.results import Chart, Result, Target
from bench.servers import Site
from deploy.steps import site as steps
from deploy.steps.folders import CHECKOUT
from deploy.steps.ports import LOOPBACK, remembered
from deploy.steps.progress import Failure, say, step, wait_until

LOCALE = "deDE"
CLIENTS = (1, 4, 16, 64)
#: Kinds of published files with their folders; each is requested as published and as computed.
FILES = {"maps": "zone-maps", "creatures": "mobs", "items": "items", "contour images": "zone-images"}
#: Kinds of requests: published files, the same answers from the database, and answers that are always computed.
PUBLISHED = {what: f"published {what}" for what in FILES}
COMPUTED = {what: f"computed {what}" for what in FILES}
SEARCHES, CONTOURS = "searches", "contour images"
#: Published images may be older than computed ones, because they are redrawn only after a pause.
COMPARED = tuple(what for what in FILES if what != CONTOURS)
#: Zones' spawn points as tiles by Martin, if it is installed, with the size of its cache in MB.
MARTINS = {"Martin's tiles, cached": 512, "Martin's tiles, computed": 0}
KINDS = (
    *(kind for what in FILES for kind in (PUBLISHED[what], COMPUTED[what])),
    *(SEARCHES, *(MARTINS if martin.is_installed() else ())),
)
#: Different creatures, items and searches that are requested.
DIFFERENT = 300
#: Uploads that keep the workers busy meanwhile, and the number of documents that they are variants of.
UPLOADS_PER_S, VARIANTS = 20, 124
#: How long the first request for a published file may take.
COLD_P99_MS = 10.0
PATIENCE_S = 600.0


@dataclass(frozen=True)
class Round:
    """What wrk measured in one run."""

    rate_per_s: float
    p50_ms: float
    p99_ms: float


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run read", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small world, one run of two seconds each")
    parser.add_argument("--seconds", type=float, help="length of each run (2)")
    parser.add_argument("--runs", type=int, help="runs with each number of clients (3; quick: 1)")
    parser.add_argument("--uploads", type=int, help="uploads merged before (1538; quick: 154)")
    options = parser.parse_args(arguments)
    seconds = options.seconds or 2.0
    runs = options.runs or (1 if options.quick else 3)
    uploads = options.uploads or (154 if options.quick else 1538)
    with servers.running(needs_bytes=3_000_000_000) as site:
        result = Result(
            "read",
            "Read: published files against computed answers, through nginx, during ingest",
            f"a world of {uploads:,} uploads, {UPLOADS_PER_S} more a second meanwhile; 1 to {CLIENTS[-1]} clients on "
            f"the same machine, {runs} runs of {seconds:g} s each",
            machine.facts(site.folders.var),
        )
        Measuring(site, result, seconds).measure(uploads, runs)
    return results.finish(result, site.folders, quick=options.quick)


class Measuring:
    """Measures all kinds of requests in turns, so that all meet the same conditions."""

    def __init__(self, site: Site, result: Result, seconds: float) -> None:
        self.site, self.result, self.seconds = site, result, seconds
        self.folder = site.folders.var / "reading"
        self.folder.mkdir(exist_ok=True)
        #: The paths of each kind of request, in random order.
        self.paths: dict[str, list[str]] = {}
        #: The size of the smallest file of a kind: a shorter answer is incomplete.
        self.least_bytes: dict[str, int] = {}

    def measure(self, uploads: int, runs: int) -> None:
        self._make_world(uploads)
        self._choose_paths()
        self._measure_files()
        ports = remembered(self.folder / "ports.json", ["published", "computed", *MARTINS])
        nothing = self.folder / "nothing-published"
        with (
            servers.second_web(self.site, "portal.wsgi", MOBMAP_PUBLISH_FILES="0") as computing,
            proxy.running(
                self.folder / "nginx",
                port=ports["published"],
                upstream_port=self.site.port,
                var=self.site.folders.var,
            ),
            proxy.running(self.folder / "nginx-computed", port=ports["computed"], upstream_port=computing, var=nothing),
            ExitStack() as martins,
        ):
            port_of = dict.fromkeys(KINDS, ports["published"]) | dict.fromkeys(COMPUTED.values(), ports["computed"])
            for kind, cache_mb in MARTINS.items():
                if kind in KINDS:
                    port_of[kind] = ports[kind]
                    started = martin.running(self.site, database(LOCALE), port=ports[kind], cache_mb=cache_mb)
                    martins.enter_context(started)
            if not martin.is_installed():
                self.result.notes.append(martin.MISSING)
            found: dict[tuple[str, int], list[Round]] = {}
            with self._uploading():
                self._wait_until_merging(uploads)
                with step("Published files on their first request, on their second, and from the disk"):
                    cold = {what: self._single_ms(ports["published"], what) for what in FILES}
                    again = {what: self._single_ms(ports["published"], what) for what in FILES}
                    disk = {what: self._single_ms(ports["published"], what, from_disk=True) for what in FILES}
                for clients in CLIENTS:
                    with step(f"{clients} clients"):
                        for kind in KINDS:
                            found[kind, clients] = [self._round(kind, port_of[kind], clients) for _ in range(runs)]
                merged = self.site.one("SELECT count(*) FROM ingest_upload WHERE status = 'merged'")
            self.result.add("uploads merged meanwhile", "", [merged - uploads])
            if merged <= uploads:
                self.result.faults.append("Nothing was merged during the measurement.")
            servers.wait_for_merged(self.site, PATIENCE_S, "Merging what was sent meanwhile")
            merging.wait_for_published(self.site, PATIENCE_S)
            self._compare(ports["published"], ports["computed"])
        self._add_figures(found, cold, again, disk)
        self._publish_all()

    def _make_world(self, uploads: int) -> None:
        prepared = corpus.spool(self.site, corpus.make(self.site, uploads), "read")
        with step(f"Merging and publishing {uploads:,} uploads"):
            self.site.empty()
            prepared.restore(self.site)
            self.site.start(*steps.APPLICATION)
            servers.wait_for_merged(self.site, PATIENCE_S, "Merging the world")
            merging.wait_for_published(self.site, PATIENCE_S)

    def _choose_paths(self) -> None:
        """Choose the paths of each kind, and write them to a file for wrk."""
        api, chosen = f"/api/v1/{LOCALE}", random.Random(1)
        with self.site.connect(database(LOCALE)) as connection:

            def column(query: str) -> list[Any]:
                found = [one for (one,) in connection.execute(query)]
                chosen.shuffle(found)
                return found

            zones = column("SELECT DISTINCT zone FROM spawn ORDER BY 1")
            paths = {
                "maps": [f"{api}/zones/{zone}/map" for zone in zones],
                "creatures": [f"{api}/mobs/{mob}" for mob in column("SELECT DISTINCT mob FROM spawn ORDER BY 1")],
                "items": [f"{api}/items/{item}" for item in column("SELECT DISTINCT item FROM item_drop ORDER BY 1")],
            }
            floors = column("SELECT DISTINCT zone || '/ground/' || floor FROM spawn ORDER BY 1")
            names = column("SELECT DISTINCT name FROM creature_name ORDER BY 1")
        paths[CONTOURS] = [f"/{LOCALE}/zones/{floor}.png" for floor in floors]
        for what, addresses in paths.items():
            self.paths[PUBLISHED[what]] = self.paths[COMPUTED[what]] = addresses[:DIFFERENT]
        self.paths[SEARCHES] = [f"{api}/search?q={quote(name[:6])}" for name in names[:DIFFERENT]]
        self.paths |= {kind: [martin.address(zone) for zone in zones] for kind in MARTINS}
        for kind, addresses in self.paths.items():
            self._file(kind).write_text("".join(f"{path}\n" for path in addresses))

    def _measure_files(self) -> None:
        """Add number and sizes of the published files, and check that none is missing."""
        for what in FILES:
            sizes = [path.stat().st_size for path in self._published(what)]
            self.result.add(f"published {what} of a locale", "", [len(sizes)])
            self.result.add(f"size of one of the {what}, compressed", "KB", [size / 1000 for size in sizes])
            self.least_bytes[PUBLISHED[what]] = self.least_bytes[COMPUTED[what]] = min(sizes, default=0)
            missing = [path for path in self.paths[PUBLISHED[what]] if not self._published_file(what, path).exists()]
            if missing:
                self.result.faults.append(f"{len(missing)} of the {what} are not published, {missing[0]} for example.")

    def _folder(self, what: str) -> Path:
        return self.site.published / LOCALE / FILES[what]

    def _published(self, what: str) -> list[Path]:
        """Return all published files of a kind, without those named by their content hashes."""
        part = "contours-*.png" if what == CONTOURS else "json.gz"
        return [path for path in self._folder(what).glob(f"**/[0-9]*.{part}") if path.name.count(".") == 2]

    def _published_file(self, what: str, path: str) -> Path:
        """Return the published file of a path."""
        if what == CONTOURS:
            number, _, floor = path.removesuffix(".png").rpartition("/zones/")[2].partition("/ground/")
            return self._folder(what) / number[:-3] / f"{number}.contours-{floor}.png"
        number = path.removesuffix("/map").rpartition("/")[2]
        return self._folder(what) / number[:-3] / f"{number}.json.gz"

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
        output = re.search(r"^JSON (.*)$", done.stdout, re.MULTILINE)
        if output is None:
            raise Failure(f"wrk failed (exit status {done.returncode}):\n{done.stdout}{done.stderr}")
        seen: dict[str, Any] = json.loads(output[1])
        if not seen["requests"] and not seen["failed"]:
            say(f"  {kind}: no answer within {self.seconds:g} s")
            return Round(0.0, self.seconds * 1000, self.seconds * 1000)  # it took at least that long
        if seen["failed"]:
            self.result.faults.append(f"{kind}, {clients} clients: {seen['failed']} of {seen['requests']} failed.")
        elif seen["bytes"] / seen["requests"] < self.least_bytes.get(kind, 0):
            self.result.faults.append(f"{kind}, {clients} clients: the answers were incomplete.")
        found = Round(seen["requests"] / seen["seconds"], seen["p50_s"] * 1000, seen["p99_s"] * 1000)
        say(f"  {kind}: {found.rate_per_s:,.0f}/s, p50 {found.p50_ms:.2f} ms, p99 {found.p99_ms:.2f} ms")
        return found

    def _single_ms(self, port: int, what: str, *, from_disk: bool = False) -> list[float]:
        """Return the latency of each file of a kind, over its own connection; `from_disk`: evicted from memory."""
        taken = []
        for path in self.paths[PUBLISHED[what]]:
            if from_disk:
                _evict(self._published_file(what, path))
            began = time.monotonic()
            connection = HTTPConnection(LOOPBACK, port, timeout=10)
            connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
            response = connection.getresponse()
            response.read()
            taken.append((time.monotonic() - began) * 1000)
            connection.close()
            if response.status != 200:
                self.result.faults.append(f"{path} was answered with {response.status}.")
        return taken

    def _wait_until_merging(self, uploads: int) -> None:
        wait_until(
            lambda: self.site.one("SELECT count(*) FROM ingest_upload WHERE status = 'merged'") > uploads,
            seconds=60,
            doing="Merging what is being uploaded",
            advice=f"The workers' log is {self.site.folders.logs / 'worker.log'}.",
        )

    def _compare(self, published: int, computed: int) -> None:
        """Check that published and computed answers are equal, once nothing changes any more."""
        for path in (path for what in COMPARED for path in self.paths[PUBLISHED[what]]):
            both = []
            for port in (published, computed):
                with urllib.request.urlopen(f"http://{LOOPBACK}:{port}{path}") as answer:
                    both.append(json.load(answer))
            if both[0] != both[1]:
                self.result.faults.append(f"The published answer to {path} differs from the computed one.")

    @contextmanager
    def _uploading(self) -> Iterator[None]:
        """Send uploads until the block ends, so that workers read, fold and publish meanwhile."""
        made = corpus.make(self.site, VARIANTS)
        tokens = list(self.site.tokens(f"Player {number}" for number in range(40)).values())
        with load.started(
            port=self.site.port, clients=8, seconds=36_000, rate_per_s=UPLOADS_PER_S, first=0,
            files=[str(entry.path) for entry in made.entries], tokens=tokens,
        ):  # fmt: skip
            yield

    def _add_figures(
        self,
        found: dict[tuple[str, int], list[Round]],
        cold: dict[str, list[float]],
        again: dict[str, list[float]],
        disk: dict[str, list[float]],
    ) -> None:
        medians = {key: statistics.median(each.rate_per_s for each in rounds) for key, rounds in found.items()}
        for kind in KINDS:
            for clients in CLIENTS:
                words = f"{kind}, {clients} client{'s' * (clients > 1)}"
                self.result.add(words, "1/s", [each.rate_per_s for each in found[kind, clients]])
                self.result.add(f"p50, {words}", "ms", [each.p50_ms for each in found[kind, clients]])
                self.result.add(f"p99, {words}", "ms", [each.p99_ms for each in found[kind, clients]])
        best = {kind: max(medians[kind, clients] for clients in CLIENTS) for kind in KINDS}
        for what in FILES:
            times = best[PUBLISHED[what]] / best[COMPUTED[what]]
            self.result.add(f"published {what}, times the rate of computed", "", [times])
        for what, taken_ms in cold.items():
            self.result.add(f"p50 of cold {what}", "ms", [results.percentile(taken_ms, 50)])
            for words, others in (("on the second request", again[what]), ("from the disk", disk[what])):
                self.result.add(f"p99 of the same {what} {words}", "ms", [results.percentile(others, 99)])
            p99_ms = results.percentile(taken_ms, 99)
            self.result.targets.append(Target(f"p99 of cold {what}, ms", p99_ms, most=COLD_P99_MS))
        self.result.notes.append(
            "Cold: the first request for each file since it was published, one after the other, each over its own "
            "connection. From the disk: the file was evicted from the page cache; ingest writes to the same disk."
        )
        self.result.charts += [
            Chart("lines", title, "clients", unit, [
                (kind, [(n, statistics.median(getattr(each, name) for each in found[kind, n])) for n in CLIENTS])
                for kind in KINDS
            ])
            for title, unit, name in (("Answers per second", "1/s", "rate_per_s"), ("99th percentile", "ms", "p99_ms"))
        ]  # fmt: skip

    def _publish_all(self) -> None:
        self.site.stop("worker", "scheduler")
        began = time.monotonic()
        with step("Publishing all files again"):
            output = steps.manage(self.site.folders, "publish", LOCALE, "--all")
        found = re.search(r"([\d,]+) [a-z ]+ in ([\d.]+) s", output)
        if found is None:
            raise Failure(f"./manage.py publish printed no figures within {time.monotonic() - began:.0f} s:\n{output}")
        made, seconds = int(found[1].replace(",", "")), float(found[2])
        self.result.add("files published, one process", "1/s", [made / seconds if seconds else 0.0])


def _evict(file: Path) -> None:
    """Make the kernel drop a file from its page cache."""
    number = os.open(file, os.O_RDONLY)
    try:
        os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(number)
