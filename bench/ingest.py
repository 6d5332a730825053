"""`bench/run ingest`: from spooled to merged uploads, against xmllint and osm2pgsql, and growth with the amount."""

from __future__ import annotations

import argparse
import statistics

from bench import corpus, floors, machine, merging, results, servers
from bench.corpus import Corpus
from bench.results import Chart, Result, Target
from bench.servers import Site
from deploy.steps.progress import step

WARM_UP_UPLOADS = 40


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run ingest", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="some tens of megabytes, one run of each")
    parser.add_argument("--mb", type=int, help="size of the uploads (1000; quick: 30)")
    parser.add_argument("--runs", type=int, help="timed runs (3; quick: 1)")
    parser.add_argument("--growth", type=int, default=4, help="also merge this many times the uploads (4; 1: do not)")
    options = parser.parse_args(arguments)
    size_mb = options.mb or (30 if options.quick else 1000)
    runs = options.runs or (1 if options.quick else 3)
    needs = int(size_mb * 1e6 * (options.growth * 2.5 + 2))
    with servers.running(needs_bytes=needs) as site:
        facts = machine.facts(site.folders.var)
        result = measure(site, size_mb, runs, max(1, options.growth), facts)
    return results.finish(result, site.folders, quick=options.quick)


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
    nodes = floors.Nodes(site, small)
    with step("xmllint once, to warm up"):
        floors.xmllint(small)
    warm_up = corpus.spool(site, corpus.make(site, WARM_UP_UPLOADS, seed=corpus.SEED + 1), "warm-up")
    prepared = [(small, corpus.spool(site, small, "small"), "")]
    if growth > 1:
        prepared.append((large, corpus.spool(site, large, "large"), f", {growth} times the uploads"))
    # In turns: each run is compared with floors measured just before it, because the machine's speed varies.
    timed, xmllint_s, osm_s = [], [], []
    for number in range(runs):
        title = f"Run {number + 1} of {runs}"
        with step(f"{title}: xmllint --stream over the same files"):
            xmllint_s.append(floors.xmllint(small))
        with step(f"{title}: osm2pgsql with the same coordinates"):
            osm_s.append(nodes.load())
        timed.append(
            [
                merging.run(site, warm_up, spooled, uploads, title=title + words, result=result)
                for uploads, spooled, words in prepared
            ]
        )
    nodes_per_s = [nodes.count / osm for osm in osm_s]
    _compare(result, small, timed, xmllint_s=xmllint_s, nodes_per_s=nodes_per_s, growth=growth)
    return result


def _compare(
    result: Result,
    uploads: Corpus,
    timed: list[list[merging.Run]],
    *,
    xmllint_s: list[float],
    nodes_per_s: list[float],
    growth: int,
) -> None:
    """Add figures, targets and charts: `timed` holds a run, and one of `growth` times the uploads, per turn."""
    size = uploads.size_bytes / 1e6
    seconds = [turn[0].seconds for turn in timed]
    xmllint = result.add("xmllint --stream, one core", "MB/s", [size / one for one in xmllint_s])
    result.add("osm2pgsql", "nodes/s", nodes_per_s)
    _add_figures(result, uploads, [turn[0] for turn in timed])
    share = result.add(
        "throughput, share of xmllint --stream", "", [own / one for own, one in zip(xmllint_s, seconds, strict=True)]
    )
    observations = _observations(uploads)
    times_osm = result.add(
        "observations/s, times osm2pgsql's nodes/s", "",
        [observations / one / own for own, one in zip(nodes_per_s, seconds, strict=True)],
    )  # fmt: skip
    ingest = statistics.median(seconds)
    result.targets += [
        Target("MB/s, share of xmllint --stream", share.median, least=0.25),
        Target("observations/s, times osm2pgsql's nodes/s", times_osm.median, least=4),
        Target("most memory of one worker process, MB", _most_memory_mb(timed), most=512),
    ]
    chart = [("1×", ingest)]
    if growth > 1:
        grown = result.add(f"{growth} times the uploads", "s", [turn[1].seconds for turn in timed])
        result.add(f"folds of {growth} times the uploads", "", [turn[1].folds for turn in timed])
        times = result.add(
            f"{growth} times the uploads, times as long", "", [turn[1].seconds / turn[0].seconds for turn in timed]
        )
        result.targets.append(
            Target(f"time for {growth} times the uploads, times as long", times.median, most=growth * 1.1)
        )
        chart.append((f"{growth}×", grown.median))
    result.charts.append(
        Chart(
            "bars", "Megabytes per second", "", "MB/s",
            [("", [("xmllint --stream", xmllint.median), ("MobMap, two workers", size / ingest)])],
        )
    )  # fmt: skip
    result.charts.append(Chart("bars", "Seconds by size", "uploads", "s", [("", list(chart))]))


def _most_memory_mb(timed: list[list[merging.Run]]) -> float:
    return max(run.uses["worker"].peak_process_bytes for turn in timed for run in turn) / 1e6


def _observations(uploads: Corpus) -> int:
    return uploads.positions + uploads.lootings


def _add_figures(result: Result, uploads: Corpus, timed: list[merging.Run]) -> None:
    size = uploads.size_bytes / 1e6
    result.add("spooled to merged", "s", [run.seconds for run in timed])
    result.add("throughput", "MB/s", [size / run.seconds for run in timed])
    result.add("observations", "1/s", [_observations(uploads) / run.seconds for run in timed])
    result.add("uploads", "1/s", [len(uploads.entries) / run.seconds for run in timed])
    result.add("all published after", "s", [run.published_after_s for run in timed])
    result.add("folds (transactions that wrote to the ledger)", "", [run.folds for run in timed])
    programs = [("worker", "a worker process"), ("postgres", "a PostgreSQL process, shared buffers included")]
    programs += [("rabbitmq", "RabbitMQ"), ("scheduler", "the scheduler")]
    for program, words in programs:
        result.add(f"most memory of {words}", "MB", [run.uses[program].peak_process_bytes / 1e6 for run in timed])
        result.add(
            f"most memory of {program} in all (PSS)", "MB", [run.uses[program].peak_pss_bytes / 1e6 for run in timed]
        )
        result.add(f"processor time of {program}", "s", [run.uses[program].cpu_s for run in timed])
