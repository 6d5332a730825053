"""The notes that are sent for pictures of receipts: as good and as bad as they must be."""

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


def notes() -> str:
    return sending.notes(ZONE, MOB, KNOWN, random.Random(1))


def test_the_notes_are_valid_and_each_of_their_positions_is_new():
    contents = validate(io.BytesIO(notes().encode()))
    assert (contents.mobs, contents.positions) == (1, sending.NEW_DOTS)
    text = notes().partition('level="0">')[2].partition("<")[0]
    places = {tuple(map(float, place.split("/"))) for place in text.split(",") if place}
    assert len(places) == sending.NEW_DOTS
    assert places.isdisjoint((x, y) for x, y in KNOWN)


def test_spoilt_notes_are_refused_for_several_reasons():
    with pytest.raises(InvalidDocument) as refused:
        validate(io.BytesIO(sending.spoilt(notes()).encode()))
    assert [error["code"] for error in refused.value.errors] == ["coordinate-out-of-range", "bad-number"]
