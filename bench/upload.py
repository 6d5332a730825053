"""`bench/run upload`: durable acceptance of uploads by 1 to 64 clients, while workers merge a backlog."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from bench import corpus, load, machine, results, servers
from bench.corpus import Corpus
from bench.results import Chart, Result, Target
from bench.servers import Site
from bench.watching import Watch
from deploy.steps import site as steps
from deploy.steps.progress import say, step

CLIENTS = (1, 2, 4, 8, 16, 32, 64)
UPLOAD_KB = 70.0
#: Documents that are varied: enough for sizes and contents to differ.
DOCUMENTS = 200
PLAYERS = 40
#: Targets: accepted uploads per second, and their p99.
RATE_PER_S, P99_S = 150, 0.25


@dataclass(frozen=True)
class Round:
    """What the client measured in one run."""

    rate_per_s: float
    p50_s: float
    p99_s: float
    #: Mean milliseconds of the slowest hundredth by step of the server; `wait` is the rest.
    slowest_ms: dict[str, float]


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run upload", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one run of two seconds each")
    parser.add_argument("--seconds", type=float, help="length of each run (6; quick: 2)")
    parser.add_argument("--runs", type=int, help="runs with each number of clients (3; quick: 1)")
    options = parser.parse_args(arguments)
    seconds = options.seconds or (2.0 if options.quick else 6.0)
    runs = options.runs or (1 if options.quick else 3)
    with servers.running(needs_bytes=3_000_000_000) as site:
        made = corpus.make(site, DOCUMENTS, size_kb=UPLOAD_KB)
        size_kb = made.size_bytes / len(made.entries) / 1000
        result = Result(
            "upload",
            "Upload: durable acceptance while workers merge",
            f"distinct uploads of {size_kb:.0f} KB, 1 to {CLIENTS[-1]} clients on the same machine, "
            f"{runs} runs of {seconds:g} s each",
            machine.facts(site.folders.var),
        )
        Measuring(site, result, made, seconds).measure(runs)
    return results.finish(result, site.folders, quick=options.quick)


class Measuring:
    """Measures the upload endpoint and the floor in turns, so that both meet the same conditions."""

    def __init__(self, site: Site, result: Result, made: Corpus, seconds: float) -> None:
        self.site, self.result, self.made, self.seconds = site, result, made, seconds
        self.sent = 0
        self.tokens: list[str] = []

    def measure(self, runs: int) -> None:
        self.site.empty()
        self.tokens = list(self.site.tokens(f"Player {number}" for number in range(PLAYERS)).values())
        self.site.start(*steps.APPLICATION)
        with (
            servers.second_web(self.site, "bench.reading") as floor_port,
            Watch(self.site.folders, memory=False) as watch,
        ):
            self.site.pause_work()
            with step("Workers paused: filling a backlog with 16 clients"):
                idle = [self._round(self.site.port, 16, self.seconds * 2) for _ in range(runs)]
            self.result.add("accepted, workers paused, 16 clients", "1/s", [each.rate_per_s for each in idle])
            self.site.resume_work()
            ours: dict[int, list[Round]] = {}
            floor: dict[int, list[Round]] = {}
            for clients in CLIENTS:
                with step(f"{clients} clients"):
                    floor[clients] = [self._round(floor_port, clients, self.seconds / 2) for _ in range(runs)]
                    ours[clients] = [self._round(self.site.port, clients, self.seconds) for _ in range(runs)]
            with step(f"{RATE_PER_S} uploads a second at random moments"):
                steady = [self._round(self.site.port, 64, self.seconds * 2, RATE_PER_S) for _ in range(runs)]
            backlog = self.site.unfinished()
        if not backlog:
            self.result.notes.append("The workers merged everything early: they were idle during the last runs.")
        self._check()
        self._add_figures(ours, floor, steady)
        self.result.add("uploads waiting at the end", "", [backlog])
        for program in ("web", "worker", "postgres"):
            self.result.add(f"processor time of {program}", "s", [watch.uses[program].cpu_s])

    def _add_figures(self, ours: dict[int, list[Round]], floor: dict[int, list[Round]], steady: list[Round]) -> None:
        for clients in CLIENTS:
            words = f"{clients} client{'s' * (clients > 1)}"
            self.result.add(f"accepted, {words}", "1/s", [each.rate_per_s for each in ours[clients]])
            self.result.add(f"p50, {words}", "ms", [each.p50_s * 1000 for each in ours[clients]])
            self.result.add(f"p99, {words}", "ms", [each.p99_s * 1000 for each in ours[clients]])
            self.result.add(f"only read, {words}", "1/s", [each.rate_per_s for each in floor[clients]])
        rates = {clients: statistics.median([each.rate_per_s for each in ours[clients]]) for clients in CLIENTS}
        floors = {clients: statistics.median([each.rate_per_s for each in floor[clients]]) for clients in CLIENTS}
        p99s = {clients: statistics.median([each.p99_s for each in ours[clients]]) for clients in CLIENTS}
        fast_enough = [rates[clients] for clients in CLIENTS if p99s[clients] < P99_S]
        self.result.add("best, share of only reading", "", [max(rates.values()) / max(floors.values())])
        self.result.add(f"p99 at {RATE_PER_S} a second", "ms", [each.p99_s * 1000 for each in steady])
        self.result.add(f"p50 at {RATE_PER_S} a second", "ms", [each.p50_s * 1000 for each in steady])
        for part in steady[0].slowest_ms:
            self.result.add(
                f"{part} of the slowest hundredth at {RATE_PER_S} a second",
                "ms",
                [each.slowest_ms.get(part, 0.0) for each in steady],
            )
        self.result.targets += [
            Target("uploads accepted per second, p99 under 250 ms", max(fast_enough, default=0), least=RATE_PER_S),
            Target(
                f"p99 with {RATE_PER_S} uploads a second at random moments, ms",
                statistics.median([each.p99_s * 1000 for each in steady]),
                most=P99_S * 1000,
            ),
        ]
        self.result.charts += [
            Chart(
                "lines", "Uploads per second", "clients", "1/s",
                [("accepted durably", list(rates.items())), ("only read", list(floors.items()))],
            ),
            Chart(
                "lines", "Time to the answer", "clients", "ms",
                [
                    (name, [(n, 1000 * statistics.median([getattr(r, field) for r in ours[n]])) for n in CLIENTS])
                    for name, field in (("99th percentile", "p99_s"), ("median", "p50_s"))
                ],
            ),
        ]  # fmt: skip

    def _round(self, port: int, clients: int, seconds: float, rate_per_s: float = 0) -> Round:
        """Send for `seconds` and return the figures; any answer but 202 is a fault."""
        with load.started(
            port=port, clients=clients, seconds=seconds, rate_per_s=rate_per_s, first=self.sent,
            files=[str(entry.path) for entry in self.made.entries], tokens=self.tokens,
        ) as sending:  # fmt: skip
            seen = sending.results()
        latencies = seen["latencies_s"]
        self.sent += sum(seen["answers"].values())
        if not latencies or set(seen["answers"]) != {"202"}:
            self.result.faults.append(f"{clients} clients got these answers: {seen['answers']}")
        found = Round(
            len(latencies) / seen["seconds"],
            results.percentile(latencies, 50),
            results.percentile(latencies, 99),
            slowest_hundredth_ms(latencies, seen["steps_ms"]),
        )
        which = "accepted" if port == self.site.port else "only read"
        say(
            f"  {which}: {found.rate_per_s:,.0f}/s, p50 {found.p50_s * 1000:.0f} ms, p99 {found.p99_s * 1000:.0f} ms"
            f" ({self.site.unfinished():,} waiting); the slowest: "
            + ", ".join(f"{part} {took_ms:.0f} ms" for part, took_ms in found.slowest_ms.items())
        )
        return found

    def _check(self) -> None:
        """Check that every accepted upload has a row, and a document in spool or archive."""
        rows = self.site.one("SELECT count(*) FROM ingest_upload")
        self.site.stop("worker", "scheduler", "web")
        folders = (self.site.spool, self.site.archive)
        documents = {path.name for folder in folders for path in folder.glob("??/*.xml.zst")}
        if len(documents) != rows:
            self.result.faults.append(f"There are {len(documents):,} documents on the disk for {rows:,} uploads.")


def slowest_hundredth_ms(latencies_s: Sequence[float], steps_ms: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean milliseconds of each step in the slowest hundredth, and `wait`: time outside all steps.

    For example `[0.2, 0.1]` and `[{"check": 50}, …]` → {"wait": 150, "check": 50}.
    """
    if not latencies_s:
        return {}
    slowest = sorted(zip(latencies_s, steps_ms, strict=True), key=itemgetter(0))[-max(1, len(latencies_s) // 100) :]
    means = {name: statistics.fmean(steps[name] for _, steps in slowest if name in steps) for name in slowest[-1][1]}
    waits = [latency_s * 1000 - sum(steps.values()) for latency_s, steps in slowest]
    return {"wait": statistics.fmean(waits), **means}
