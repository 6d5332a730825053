"""Places with more entries than are worked on at once: the same tables, in bounded memory."""

from __future__ import annotations

import tracemalloc
from datetime import timedelta
from uuid import uuid4

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.batch import stage as staging
from ingest.batch.observations import Interned, Member
from ingest.batch.stage import stage
from ingest.maintenance import subtract
from ingest.merge import chunks
from ingest.merge.fold import fold
from tests.ingest.factories import Note, contents, notes
from tests.ingest.pipeline import LAW, RECEIVED, empty, merge, rows, tables, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]

ALIAS = "map_deDE"
SENDERS = ["player:1", "player:2", "network:a"]


def both_ways(action) -> tuple[object, object]:
    """Return what an action returns with places as they are, and with almost every one a large one."""
    empty()
    plain = action()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "CHUNK_ENTRIES", 2)
        patch.setattr(staging, "ROW_SIGHTINGS", 2)
        empty()
        return plain, action()


@settings(LAW, max_examples=15)
@given(st.lists(notes(), min_size=2, max_size=6, unique_by=lambda note: contents(note.xml()).content_hash))
def test_a_large_place_comes_out_like_any_other(batch: list[Note]) -> None:
    def merged() -> object:
        for no, note in enumerate(batch):
            take(note.xml(), SENDERS[no % 3], RECEIVED + timedelta(days=no % 2))
            if no % 2:
                work_off()
        work_off()
        packed = rows("SELECT subject, zone, floor, xy, seen_by, seen_when, unplaced_by FROM habitat ORDER BY 1, 2, 3")
        return tables(), packed, rows("SELECT contribution FROM ledger ORDER BY content_hash")

    plain, large = both_ways(merged)
    assert large == plain


@settings(LAW, max_examples=10)
@given(st.lists(notes(), min_size=2, max_size=5, unique_by=lambda note: contents(note.xml()).content_hash))
def test_uploads_are_taken_out_of_large_places_like_of_any_other(batch: list[Note]) -> None:
    def left() -> object:
        uploads = [merge(note.xml(), sender=SENDERS[no % 2])[0] for no, note in enumerate(batch)]
        assert subtract.subtract(ALIAS, uploads[::2]) == {}
        return rows("SELECT subject, zone, floor, xy, sightings, seen_by, seen_when, unplaced_by, unplaced,"
                    " position_count, sighting_count, last_seen_day FROM habitat ORDER BY 1, 2, 3")  # fmt: skip

    plain, large = both_ways(left)
    assert large == plain


def whole_grid(uploads: int, coordinates: int) -> tuple[list[Member], Interned]:
    """Return a batch whose uploads, each of another sender, all list the same coordinates of one place."""
    members = [Member(no, uuid4(), uuid4().bytes * 2, f"player:{no}", 20_000) for no in range(uploads)]
    x, y = np.divmod(np.arange(coordinates), 1000)
    xy = (x << 10 | y).astype(np.int32)
    positions = {
        "habitat": np.zeros(uploads * coordinates, dtype=np.int32),
        "xy": np.repeat(xy, uploads),
        "no": np.tile(np.arange(uploads, dtype=np.int32), coordinates),
        "first_day": np.full(uploads * coordinates, 19_000, dtype=np.int32),
    }
    none = pl.DataFrame({"no": []}, schema={"no": pl.Int32})
    return members, Interned(
        creatures=none,
        habitats=pl.DataFrame({"subject": [7], "zone": [1], "floor": [0]}),
        positions=pl.DataFrame(positions),
        loot=none,
        drops=none,
        uploaders={member.sender: 1 + member.no for member in members},
    )


def test_the_memory_of_a_fold_does_not_grow_with_a_place():
    """Three million entries of one place: at 200 bytes each they would take 600 MB."""
    uploads, coordinates, batches = 3, 500_000, 2
    brought = []
    for batch in range(batches):
        members, interned = whole_grid(uploads, coordinates)
        senders = {member.sender: 1 + member.no + batch * uploads for member in members}
        stage(ALIAS, members, Interned(*(*list(vars(interned).values())[:-1], senders)))
        del interned
        tracemalloc.start()
        try:
            merged = fold(ALIAS)
            peak_bytes = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak_bytes < 250e6
        brought += [merged[member.upload].contribution for member in members]
    assert [each["new_positions"] for each in brought] == [coordinates, 0, 0, 0, 0, 0]
    assert sum(each["confirmed_positions"] for each in brought) == (uploads * batches - 1) * coordinates
    assert rows(
        "SELECT position_count, sighting_count, octet_length(seen_by) / 8, octet_length(seen_when) / 12,"
        " (SELECT array_agg(DISTINCT u) FROM unnest(uploaders) u) FROM habitat"
    ) == [(coordinates, 3_000_000, 3_000_000, 3_000_000, [uploads * batches])]
