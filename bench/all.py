"""`bench/run all`: every benchmark, one after the other, then the report."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from bench import results
from bench.results import table
from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure, say

#: Every benchmark with its duration in minutes on two idle cores; the first time takes longer, to simulate uploads.
MINUTES = {
    **{"ingest": 20, "hot": 17, "upload": 5, "read": 6, "concurrency": 10, "requeue": 10},
    **{"surge": 10, "scaling": 10, "crash": 10, "spawns": 6, "map": 2},
}


def main(arguments: list[str]) -> int:
    """Measure everything and return the exit status: 0 only if all of it passed."""
    parser = argparse.ArgumentParser(
        prog="bench/run all",
        description=f"{__doc__} About {sum(MINUTES.values())} minutes on two idle cores: "
        + ", ".join(f"{name} {minutes}" for name, minutes in MINUTES.items())
        + ". A benchmark that fails or misses a target does not stop the others.",
    )
    parser.add_argument("--quick", action="store_true", help="small sizes; no report is written")
    parser.add_argument("--without", default="", help="benchmarks to leave out, such as ingest,crash")
    options = parser.parse_args(arguments)
    left_out = set(filter(None, options.without.split(",")))
    if left_out - MINUTES.keys():
        raise Failure(f"There is no benchmark {', '.join(sorted(left_out - MINUTES.keys()))}: {', '.join(MINUTES)}")
    rows = [("benchmark", "outcome", "minutes")]
    for name in [name for name in MINUTES if name not in left_out]:
        say(f"\n=== {name} (about {MINUTES[name]} min) ===\n" if not options.quick else f"\n=== {name} ===\n")
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-B", "-m", "bench", name, *(["--quick"] if options.quick else [])],
            cwd=CHECKOUT,
            check=False,
        )
        rows.append((name, "passed" if not done.returncode else "FAILED", f"{(time.monotonic() - began) / 60:.1f}"))
    if not options.quick and list(results.KEPT.glob("*.json")):
        subprocess.run([sys.executable, "-B", "-m", "bench", "report"], cwd=CHECKOUT, check=True)
    say("\n" + table(rows))
    return 0 if all(outcome == "passed" for _, outcome, _ in rows[1:]) else 1
