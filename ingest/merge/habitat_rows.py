"""Read and write rows of the table `habitat` as entries, by binary COPY: the cost is that of moving the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ingest.merge import sightings
from ingest.merge.binary_copy import Arrays, Blobs, Column, Scalars, Shape, blobs, read, write
from ingest.merge.sightings import Entries, Ints, Packed
from ingest.merge.sql import load

#: How many numbers staged uploads can have: the sequence `staging_no` is of type int.
_NUMBERS = 1 << 31


class StagedUploads:
    """The staged uploads, found by their numbers: arrays `no`, `uploader`, `received_day` of equal length."""

    def __init__(self, cursor: Any) -> None:
        cursor.execute("SELECT no, uploader, received_day FROM staged_upload ORDER BY no")
        rows = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 3)
        self.no, self.uploader, self.received_day = rows.T
        # The sequence wraps around some day: numbers are counted from the one after the widest gap.
        gaps = np.diff(self.no, append=self.no[:1] + _NUMBERS)
        self._first = int(np.roll(self.no, -1)[np.argmax(gaps)]) if len(self.no) else 0
        offset = (self.no - self._first) % _NUMBERS
        self._index = np.full(int(offset.max(initial=0)) + 2, -1)
        self._index[offset] = np.arange(len(self.no))

    def index(self, no: Ints) -> Ints:
        """Return the index of each upload number, -1 for uploads that were deleted from staged_upload."""
        found: Ints = self._index[np.minimum((no - self._first) % _NUMBERS, len(self._index) - 1)]
        return found

    def entries(self, habitat: Ints, xy: Ints, no: Ints, first_day: Ints) -> tuple[Entries, Ints]:
        """Return sightings as sorted entries, one per sighting, and the index of the upload of each.

        Sightings of uploads that were deleted from staged_upload are left out.
        """
        seen_in = self.index(no)
        counted = np.flatnonzero(seen_in >= 0)
        seen_in = seen_in[counted]
        key = sightings.keys(habitat[counted], xy[counted], self.uploader[seen_in])
        order = np.argsort(key)
        seen_in = seen_in[order]
        entries = Entries(key[order], np.ones_like(key), first_day[counted[order]], self.received_day[seen_in])
        return entries, seen_in


def copy_out(cursor: Any, name: str, shapes: Sequence[Shape]) -> list[tuple[Ints, Ints]]:
    """Return the columns of a COPY … TO STDOUT; see `binary_copy.read`."""
    with cursor.copy(load(name)) as copy:
        return read(copy, shapes)


def unpacked(
    habitat: Ints, seen_by: tuple[Ints, Ints], seen_when: tuple[Ints, Ints], unplaced_by: tuple[Ints, Ints]
) -> Entries:
    """Return the entries of decoded rows of `habitat`; the array `habitat` holds the number of each row."""
    times, first, last = blobs(seen_when, 3)[0]
    (lost_by, lost_times, lost_last), lost = blobs(unplaced_by, 3)
    placed = sightings.keys_of_pairs(np.repeat(habitat, seen_by[1]), seen_by[0])
    unplaced = sightings.keys(np.repeat(habitat, lost), np.full(len(lost_by), -1), lost_by)
    # Two sorted runs: placed entries, and unplaced ones, which sort behind those of their habitat. A stable sort
    # merges them in one pass.
    return sightings.sort(
        np.concatenate([placed, unplaced]),
        np.concatenate([times, lost_times]),
        np.concatenate([first, lost_last]),
        np.concatenate([last, lost_last]),
    )


def replace_rows(cursor: Any, keys: Ints, packed: Packed) -> None:
    """Replace the chunk's rows; habitats without any entry are deleted. `keys` has subject, zone, floor of each."""
    held = (packed.position_count + packed.unplaced) > 0
    subject, zone, floor = keys[held].T
    xy_end, seen_end, lost_end = (end[held] for end in (packed.xy_end, packed.seen_end, packed.unplaced_end))
    columns: list[Column] = [
        Scalars(subject, 8),
        Scalars(zone),
        Scalars(floor),
        *(Arrays(packed[column], xy_end) for column in range(5)),
        Blobs([packed.seen_by], seen_end, 8),
        Blobs([packed.seen_times, packed.seen_first, packed.seen_last], seen_end),
        Blobs([packed.unplaced_by, packed.unplaced_times, packed.unplaced_last], lost_end),
        Scalars(packed.unplaced[held]),
        Scalars(packed.position_count[held]),
        Scalars(packed.sighting_count[held], 8),
        Scalars(packed.last_seen_day[held]),
    ]
    cursor.execute(load("delete_chunk.sql"))
    with cursor.copy(load("copy_habitats_in.sql")) as copy:
        write(copy, columns)
