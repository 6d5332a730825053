"""What the largest and worst-shaped documents cost a process that checks them, each measured in a fresh one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from portal.env import BASE_DIR as CHECKOUT
from tests.system.shapes import SHAPES

MAX_GROWTH_BYTES = 150_000_000
#: The costlier ones of `tests.samples.generate`.
LARGE_SAMPLES = ["million-faults", "million-attributes", "text-of-11-mb", "attribute-of-11-mb", "base64-of-40-mb"]
LARGE_SAMPLES += ["zstd-bomb", "gzip-bomb", "nesting-of-a-million", "loot-of-a-million-broken-slots"]
VALID = {
    "tiny-mobs",
    "tiny-loots",
    "mob-of-a-million-zones",
    "zone-of-short-coordinates",
    "three-zones-of-all-bytes-allowed",
    "loot-of-plus-signs",
    "loot-of-copper",
    "loot-of-one-looting",
    "three-loots-of-items",
    "long-quest-comments",
}


def measure(name: str) -> dict[str, object]:
    command = [sys.executable, "-m", "tests.system.measure", name]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", [*SHAPES, *LARGE_SAMPLES])
def test_no_document_costs_more_than_150_mb(name: str) -> None:
    measured = measure(name)
    assert (measured["outcome"] == "valid") == (name in VALID), measured
    assert int(str(measured["grown_bytes"])) < MAX_GROWTH_BYTES, measured
