"""A habitat with more entries than are worked on at once: its coordinates in ranges, its row in pieces.

It takes several uploads that list most of a zone's grid, which only an attack does. Held whole is what each coordinate
has once, some 20 MB at most. The entries, one per coordinate and uploader, are merged in pieces, and the database joins
the pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.merge import sightings
from ingest.merge.binary_copy import Arrays, Blobs, Column, Scalars, Shape, blobs, read_in_parts, write
from ingest.merge.habitat_rows import StagedUploads, copy_out, unpacked
from ingest.merge.sightings import UNPLACED, Entries, Ints, Merge, Packed
from ingest.merge.sql import load

#: Staged rows are decoded in parts of this size. One row has at most the coordinates of a batch.
_PART_BYTES = 4 << 20


def merged(
    cursor: Any, uploads: StagedUploads, merge: Merge, creatures: NDArray[np.bool_], piece_entries: int
) -> Packed:
    """Return the merged row of the chunk's one habitat, without its entries: those wait in `merged_pairs`.

    A piece may exceed `piece_entries`, but only by the entries of its last coordinate. `join_pieces.sql` writes the
    entries into the row.
    """
    xy, pairs, unplaced = _known_coordinates(cursor)
    piece_of = _pieces(cursor, xy, pairs, unplaced, piece_entries)
    # Where the entries of each known coordinate end, and which coordinates each piece has.
    pair_end = np.concatenate([[0], np.cumsum(pairs)])
    cursor.execute(load("large_tables.sql"))
    parts = []
    for piece in range(int(piece_of[-1]) + 1):
        begin, end = pair_end[np.searchsorted(piece_of[xy], [piece, piece + 1])].tolist()
        is_last = piece == piece_of[-1]
        known = _known_entries(cursor, begin, end, is_last=is_last)
        staged, seen_in = _staged_entries(cursor, uploads, piece_of, piece)
        packed = sightings.pack(merge(known, staged, seen_in, creatures), 1)
        _keep_pairs(cursor, piece, packed)
        parts.append(_without_pairs(packed))
    return _joined(parts)


def _known_coordinates(cursor: Any) -> tuple[Ints, Ints, int]:
    """Return the habitat's coordinates, how many entries each has, and how many entries have no position."""
    shapes: list[Shape] = [(Arrays, 4), (Arrays, 4), (Scalars, 4)]
    (xy, _), (pairs, _), (unplaced, _) = copy_out(cursor, "copy_large_coordinates.sql", shapes)
    return xy, pairs, int(unplaced.sum())


def _staged(cursor: Any) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield the staged sightings of the habitat: coordinates (UNPLACED: none), upload numbers, first days."""
    with cursor.copy(load("copy_staged_out.sql")) as copy:
        for _, column in read_in_parts(copy, [(Scalars, 4), (Blobs, 4)], _PART_BYTES):
            xy, no, first_day = blobs(column, 3)[0]
            yield np.where(xy < 0, UNPLACED, xy), no, first_day


def _pieces(cursor: Any, xy: Ints, pairs: Ints, unplaced: int, piece_entries: int) -> Ints:
    """Return the piece of every possible coordinate; entries without a position belong to the last piece."""
    entries = np.zeros(UNPLACED + 1, dtype=np.int64)
    entries[xy] = pairs
    entries[UNPLACED] = unplaced
    for staged, _, _ in _staged(cursor):
        entries += np.bincount(staged, minlength=len(entries))
    return (np.cumsum(entries) - 1) // piece_entries


def _known_entries(cursor: Any, begin: int, end: int, *, is_last: bool) -> Entries:
    """Return a range of the known entries, with the last piece those without a position."""
    cursor.execute(load("set_piece.sql"), {"begin": begin, "pairs": end - begin, "is_last": is_last})
    shapes: list[Shape] = [(Blobs, 8), (Blobs, 4), (Blobs, 4)]
    seen_by, seen_when, unplaced_by = copy_out(cursor, "copy_large_piece.sql", shapes)
    return unpacked(np.zeros(len(seen_by[1]), dtype=np.int64), seen_by, seen_when, unplaced_by)


def _staged_entries(cursor: Any, uploads: StagedUploads, piece_of: Ints, piece: int) -> tuple[Entries, Ints]:
    chosen = []
    for columns in _staged(cursor):
        inside = piece_of[columns[0]] == piece
        chosen.append([column[inside] for column in columns])
    xy, no, first_day = (np.concatenate(column) for column in zip(*chosen, strict=True))
    return uploads.entries(np.zeros(len(xy), dtype=np.int64), xy, no, first_day)


def _keep_pairs(cursor: Any, piece: int, packed: Packed) -> None:
    columns: list[Column] = [
        Scalars(np.array([piece])),
        Blobs([packed.seen_by], packed.seen_end, 8),
        Blobs([packed.seen_times, packed.seen_first, packed.seen_last], packed.seen_end),
    ]
    with cursor.copy(load("copy_large_pairs.sql")) as copy:
        write(copy, columns)


def _without_pairs(packed: Packed) -> Packed:
    none, end = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return packed._replace(seen_by=none, seen_times=none, seen_first=none, seen_last=none, seen_end=end)


def _joined(parts: list[Packed]) -> Packed:
    """Join pieces, in the order of their coordinates, to one row."""
    columns = {name: [getattr(part, name) for part in parts] for name in Packed._fields}
    once = ("xy_end", "seen_end", "unplaced_end", "unplaced", "position_count", "sighting_count")
    joined = {name: sum(column) if name in once else np.concatenate(column) for name, column in columns.items()}
    return Packed(**joined | {"last_seen_day": np.max(columns["last_seen_day"], axis=0)})
