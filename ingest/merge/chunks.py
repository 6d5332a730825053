"""Merge staged sightings with the known ones, habitat by habitat, and write the touched habitats again.

The habitats are worked on in chunks, and a habitat with more entries than a chunk in pieces of its coordinates
(`ingest.merge.large_habitats`): memory grows neither with the locale nor with a habitat.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ingest.merge import large_habitats, sightings
from ingest.merge.binary_copy import Blobs, Scalars, Shape, blobs
from ingest.merge.habitat_rows import StagedUploads, copy_out, replace_rows, unpacked
from ingest.merge.sightings import Entries, Ints, Merge
from ingest.merge.sql import load

#: Entries worked on at once: each takes some 200 bytes of memory.
CHUNK_ENTRIES = 500_000
#: The ways of joining that the planner may choose for the rows of a chunk.
_LOOKED_UP = {"enable_nestloop": "on", "enable_hashjoin": "off", "enable_mergejoin": "off"}


def rewrite(cursor: Any, uploads: StagedUploads, merge: Merge, *, write: bool = True) -> None:
    """Write all touched habitats again, with the entries that `merge` returns for the known and the staged ones.

    With `write=False`, call `merge` and leave the habitats as they are.
    """
    cursor.execute("SELECT habitat_no, subject, zone, floor, entries FROM touched_habitat ORDER BY habitat_no")
    touched = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 5)
    with _looked_up(cursor):
        for chunk in _chunks(touched):
            first, last = int(chunk[0, 0]), int(chunk[-1, 0])
            cursor.execute(load("set_chunk.sql"), {"first": first, "last": last})
            creatures = chunk[:, 1] > 0
            is_large = chunk[:, 4].sum() > CHUNK_ENTRIES  # then it is a single habitat
            if is_large:
                packed = large_habitats.merged(cursor, uploads, merge, creatures, CHUNK_ENTRIES)
            else:
                staged, seen_in = _staged_entries(cursor, first, uploads)
                entries = merge(_known_entries(cursor, first), staged, seen_in, creatures)
                packed = sightings.pack(entries, len(chunk))
            if write:
                replace_rows(cursor, chunk[:, 1:4], packed)
                if is_large:
                    cursor.execute(load("join_pieces.sql"))


@contextmanager
def _looked_up(cursor: Any) -> Iterator[None]:
    """Have the rows of a chunk looked up by key, until the end or the transaction's failure.

    The planner takes a chunk for a ninth of all habitats, and would read all of them for each chunk.
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
    """Split the touched habitats (rows: number, subject, zone, floor, entries) into chunks."""
    start = entries = 0
    for row, size in enumerate(touched[:, 4].tolist()):
        if row > start and (entries + size > CHUNK_ENTRIES or row - start >= sightings.MAX_HABITATS):
            yield touched[start:row]
            start, entries = row, 0
        entries += size
    if start < len(touched):
        yield touched[start:]


def _known_entries(cursor: Any, first: int) -> Entries:
    """Return the known entries of the chunk whose first habitat has the number `first`."""
    shapes: list[Shape] = [(Scalars, 4), (Blobs, 8), (Blobs, 4), (Blobs, 4)]
    (habitat_no, _), seen_by, seen_when, unplaced_by = copy_out(cursor, "copy_habitats_out.sql", shapes)
    return unpacked(habitat_no - first, seen_by, seen_when, unplaced_by)


def _staged_entries(cursor: Any, first: int, uploads: StagedUploads) -> tuple[Entries, Ints]:
    """Return the chunk's staged entries, and the index of the upload of each."""
    (habitat_no, _), column = copy_out(cursor, "copy_staged_out.sql", [(Scalars, 4), (Blobs, 4)])
    staged, counts = blobs(column, 3)
    return uploads.entries(np.repeat(habitat_no - first, counts), *staged)
