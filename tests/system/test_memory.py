"""What the largest and worst-shaped documents cost a process that checks them, each measured in a fresh one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from portal.env import BASE_DIR as CHECKOUT
from tests.system.shapes import SHAPES

MAX_GROWTH_BYTES = 150_000_000
#: A worker begins with some 100 MB, and gives way to a new one above 512 MB.
MAX_GROWTH_OF_A_WORKER_BYTES = 400 << 20
#: The costlier ones of `tests.samples.generate`.
LARGE_SAMPLES = ["million-faults", "million-attributes", "text-of-11-mb", "attribute-of-11-mb", "base64-of-40-mb"]
LARGE_SAMPLES += ["zstd-bomb", "gzip-bomb", "nesting-of-a-million", "loot-of-a-million-broken-slots"]
VALID = {
    "tiny-loots",
    "as-many-objects-as-may-be-named",
    "as-many-waters-as-may-be-named",
    "mob-in-as-many-places-as-may-be-named",
    "mob-of-a-million-zones",
    "zone-of-short-coordinates",
    "three-zones-of-all-bytes-allowed",
    "loot-of-plus-signs",
    "loot-of-copper",
    "loot-of-one-looting",
    "three-loots-of-items",
    "texts-that-only-the-slow-path-reads",
    "long-quest-comments",
}


def measure(*arguments: str) -> dict[str, object]:
    command = [sys.executable, "-m", "tests.system.measure", *arguments]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", [*SHAPES, *LARGE_SAMPLES])
def test_no_document_costs_more_than_150_mb(name: str) -> None:
    measured = measure(name)
    assert (measured["outcome"] == "valid") == (name in VALID), measured
    assert int(str(measured["grown_bytes"])) < MAX_GROWTH_BYTES, measured


@pytest.mark.parametrize("name", sorted(VALID))
def test_no_document_costs_a_worker_more_than_400_mib(name: str) -> None:
    measured = measure(name, "parse")
    assert int(str(measured["grown_bytes"])) < MAX_GROWTH_OF_A_WORKER_BYTES, measured
