"""The documents that are sent for screenshots: a valid one and a faulty one."""

from __future__ import annotations

import io
import random

import pytest

from bench import sending
from ingest.formats.mobmapdata.validate import validate
from ingest.problems import InvalidDocument

ZONE = {"id": 4, "name": "Müller's & <Heath>"}
MOB = {"id": 10636, "name": 'Kodo "||" Calf', "min": None, "max": None}
KNOWN = [[x / 10, y / 10] for x in range(0, 40) for y in range(980, 1001)]


def example() -> str:
    return sending.document(ZONE, MOB, KNOWN, random.Random(1))


def test_the_document_is_valid_and_has_only_new_positions():
    contents = validate(io.BytesIO(example().encode()))
    assert (contents.mobs, contents.positions) == (1, sending.NEW_DOTS)
    text = example().partition('level="0">')[2].partition("<")[0]
    positions = {tuple(map(float, pair.split("/"))) for pair in text.split(",") if pair}
    assert len(positions) == sending.NEW_DOTS
    assert positions.isdisjoint((x, y) for x, y in KNOWN)


def test_a_faulty_document_is_refused_for_several_reasons():
    with pytest.raises(InvalidDocument) as refused:
        validate(io.BytesIO(sending.with_faults(example()).encode()))
    assert [error["code"] for error in refused.value.errors] == ["coordinate-out-of-range", "bad-number"]
