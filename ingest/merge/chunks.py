"""What is staged combined with what is known of its places, which are written anew.

A chunk of places is worked on at a time, and of a place with more entries than that a range of its coordinates at a
time (`ingest.merge.large_habitats`): the memory it takes grows neither with the locale nor with a place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ingest.merge import large_habitats, sightings
from ingest.merge.binary_copy import Blobs, Scalars, Shape, blobs
from ingest.merge.habitat_rows import Uploads, copy_out, replace_rows, unpacked
from ingest.merge.sightings import Combine, Entries, Ints
from ingest.merge.sql import load

#: Entries worked on at once: some 200 bytes of memory each.
CHUNK_ENTRIES = 500_000
#: Which ways of joining the planner has for the rows of a chunk.
_LOOKED_UP = {"enable_nestloop": "on", "enable_hashjoin": "off", "enable_mergejoin": "off"}


def rewrite(cursor: Any, uploads: Uploads, combine: Combine, *, write: bool = True) -> None:
    """Write all touched places anew, as `combine` makes them of what is known and what is staged.

    Without `write` it sees them, and they stay as they are.
    """
    cursor.execute("SELECT habitat_no, subject, zone, floor, entries FROM touched_habitat ORDER BY habitat_no")
    touched = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 5)
    with _looked_up(cursor):
        for chunk in _chunks(touched):
            first, last = int(chunk[0, 0]), int(chunk[-1, 0])
            cursor.execute(load("fold_chunk.sql"), {"first": first, "last": last})
            creatures = chunk[:, 1] > 0
            is_large = chunk[:, 4].sum() > CHUNK_ENTRIES  # that is one place alone
            if is_large:
                packed = large_habitats.combined(cursor, uploads, combine, creatures, CHUNK_ENTRIES)
            else:
                fresh, brought_by = _staged_entries(cursor, first, uploads)
                packed = sightings.pack(
                    combine(_known_entries(cursor, first), fresh, brought_by, creatures), len(chunk)
                )
            if write:
                replace_rows(cursor, chunk[:, 1:4], packed)
                if is_large:
                    cursor.execute(load("large_joined.sql"))


@contextmanager
def _looked_up(cursor: Any) -> Iterator[None]:
    """Have the rows of a chunk looked up one by one, until the end or the transaction's failure.

    The planner takes a chunk for a ninth of all there is, and would read all there is for each.
    """
    cursor.execute("SELECT name, setting FROM pg_settings WHERE name = ANY (%s)", [list(_LOOKED_UP)])
    before = dict(cursor.fetchall())
    _set(cursor, _LOOKED_UP)
    yield
    _set(cursor, before)


def _set(cursor: Any, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        cursor.execute("SELECT set_config(%s, %s, true)", [name, value])


def _chunks(touched: Ints) -> Iterator[Ints]:
    """Cut the touched places into runs that are worked on at once."""
    start = entries = 0
    for at, size in enumerate(touched[:, 4].tolist()):
        if at > start and (entries + size > CHUNK_ENTRIES or at - start >= sightings.MAX_PLACES):
            yield touched[start:at]
            start, entries = at, 0
        entries += size
    if start < len(touched):
        yield touched[start:]


def _known_entries(cursor: Any, first: int) -> Entries:
    """Return the entries that habitat has for the chunk, whose first place is told."""
    shapes: list[Shape] = [(Scalars, 4), (Blobs, 8), (Blobs, 4), (Blobs, 4)]
    (place, _), seen_by, seen_when, unplaced_by = copy_out(cursor, "copy_habitat.sql", shapes)
    return unpacked(place - first, seen_by, seen_when, unplaced_by)


def _staged_entries(cursor: Any, first: int, uploads: Uploads) -> tuple[Entries, Ints]:
    """Return the chunk's staged entries, and which of the uploads brought each."""
    (place, _), column = copy_out(cursor, "copy_staged_positions.sql", [(Scalars, 4), (Blobs, 4)])
    sightings, counts = blobs(column, 3)
    return uploads.entries(np.repeat(place - first, counts), *sightings)
