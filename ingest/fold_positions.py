"""The fold's heaviest step: staged coordinates into the packed rows of presence, a chunk of places at a time.

Old and new entries of a chunk come as binary COPY, are merged in numpy, and go back as binary COPY, so
that the cost is that of moving the bytes. Runs in the fold's transaction, under the locale's fold lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ingest import presence
from ingest.binary_copy import Arrays, Blobs, Ints, Scalars, blobs, decode, encode
from ingest.presence import Entries
from ingest.sql import load

#: Entries merged at once: some 200 bytes of memory each.
CHUNK_ENTRIES = 500_000
#: Numbers that staged uploads can have: the sequence `staging_no` is of type int.
_NUMBERS = 1 << 31


class Uploads:
    """The uploads of a fold by their staged numbers."""

    def __init__(self, cursor: Any) -> None:
        cursor.execute("SELECT no, uploader, received_day FROM staged_upload ORDER BY no")
        rows = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 3)
        self.no, self.uploader, self.received_day = rows.T
        # The sequence behind the numbers begins anew some day: they are counted from behind the widest gap.
        gaps = np.diff(self.no, append=self.no[:1] + _NUMBERS)
        self._first = int(np.roll(self.no, -1)[np.argmax(gaps)]) if len(self.no) else 0
        offset = (self.no - self._first) % _NUMBERS
        self._index = np.full(int(offset.max(initial=0)) + 2, -1)
        self._index[offset] = np.arange(len(self.no))

    def index(self, no: Ints) -> Ints:
        """Return where the uploads of these numbers are, -1 for those that were left out."""
        found: Ints = self._index[np.minimum((no - self._first) % _NUMBERS, len(self._index) - 1)]
        return found


def fold_positions(cursor: Any) -> None:
    """Merge staged_position into presence, and note in `brought` what each upload brought."""
    uploads = Uploads(cursor)
    cursor.execute("SELECT place, subject, zone, floor, entries FROM touched ORDER BY place")
    touched = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 5)
    new, met = np.zeros(len(uploads.no), dtype=np.int64), np.zeros(len(uploads.no), dtype=np.int64)
    for chunk in chunks(touched):
        first, last = int(chunk[0, 0]), int(chunk[-1, 0])
        known = known_entries(cursor, first, last)
        fresh, brought_by = staged_entries(cursor, first, last, uploads)
        creatures = chunk[:, 1] > 0  # gathering places are no dots of a creature
        met += np.bincount(brought_by[_is_dot(fresh, creatures)], minlength=len(met))
        new += np.bincount(_discoverers(known, fresh, brought_by, creatures), minlength=len(new))
        merged = presence.add(known, presence.unite(fresh))
        replace_rows(cursor, first, last, chunk[:, 1:4], merged)
    rows = zip(uploads.no.tolist(), new.tolist(), met.tolist(), strict=True)
    cursor.executemany("INSERT INTO brought (no, new_positions, positions) VALUES (%s, %s, %s)", list(rows))


def chunks(touched: Ints) -> Iterator[Ints]:
    """Cut the touched places into runs that are merged at once."""
    start = entries = 0
    for at, size in enumerate(touched[:, 4].tolist()):
        if at > start and (entries + size > CHUNK_ENTRIES or at - start >= presence.MAX_PLACES):
            yield touched[start:at]
            start, entries = at, 0
        entries += size
    if start < len(touched):
        yield touched[start:]


def _copy_out(
    cursor: Any, name: str, first: int, last: int, columns: Sequence[tuple[type, int]]
) -> list[tuple[Ints, Ints]]:
    """Return the columns of a COPY: the place, then those told."""
    cursor.execute(load("fold_chunk.sql"), {"first": first, "last": last})
    with cursor.copy(load(name)) as copy:
        return decode(copy, [(Scalars, 4), *columns])


def known_entries(cursor: Any, first: int, last: int) -> Entries:
    """Return the entries that presence has for a chunk."""
    columns = _copy_out(cursor, "copy_presence.sql", first, last, [(Arrays, 8), *[(Arrays, 4)] * 6])
    (place, _), (seen_by, seen), *seen_columns, (lost_by, lost), (lost_times, _), (lost_last, _) = columns
    times, first_day, last_day = (values for values, _ in seen_columns)
    placed = presence.keys_of_pairs(np.repeat(place - first, seen), seen_by)
    unplaced = presence.keys(np.repeat(place - first, lost), np.full(len(lost_by), -1), lost_by)
    return presence.entries(
        np.concatenate([placed, unplaced]),
        np.concatenate([times, lost_times]),
        np.concatenate([first_day, lost_last]),
        np.concatenate([last_day, lost_last]),
    )


def staged_entries(cursor: Any, first: int, last: int, uploads: Uploads) -> tuple[Entries, Ints]:
    """Return a chunk's staged entries, sorted, one per upload; and which of the uploads brought each."""
    (place, _), column = _copy_out(cursor, "copy_staged_positions.sql", first, last, [(Blobs, 4)])
    sightings, counts = blobs(column, 3)
    xy, no, first_day = sightings.T
    by = uploads.index(no)
    # Those of uploads that were left out have nobody who brought them.
    counted = np.flatnonzero(by >= 0)
    by = by[counted]
    key = presence.keys(np.repeat(place - first, counts)[counted], xy[counted], uploads.uploader[by])
    order = np.argsort(key)
    by = by[order]
    seen = Entries(key[order], np.ones_like(key), first_day[counted[order]], uploads.received_day[by])
    return seen, by


def _is_dot(entries: Entries, creatures: Any) -> Any:
    """Tell which entries are coordinates of creatures."""
    return presence.is_placed(entries) & creatures[presence.place(entries)]


def _discoverers(known: Entries, fresh: Entries, brought_by: Ints, creatures: Any) -> Ints:
    """Return who brings each coordinate that was not known: of several uploads the one staged first."""
    coordinate = fresh.coordinate
    at = presence.starts(coordinate)
    if not len(at):
        return at
    dots = _is_dot(Entries(*(column[at] for column in fresh)), creatures)
    unknown = dots & ~presence.is_in(coordinate[at], known.coordinate)
    discoverers: Ints = np.minimum.reduceat(brought_by, at)[unknown]
    return discoverers


def replace_rows(cursor: Any, first: int, last: int, keys: Ints, merged: Entries) -> None:
    """Put a chunk's merged rows in the place of the old ones; places without any entry go."""
    packed = presence.pack(merged, len(keys))
    held = (packed.position_count + packed.unplaced) > 0
    subject, zone, floor = keys[held].T
    xy_end, seen_end, lost_end = (end[held] for end in (packed.xy_end, packed.seen_end, packed.unplaced_end))
    rows = encode(
        [
            Scalars(subject, 8),
            Scalars(zone),
            Scalars(floor),
            *(Arrays(packed[column], xy_end) for column in range(5)),
            Arrays(packed.seen_by, seen_end, 8),
            Arrays(packed.seen_times, seen_end),
            Arrays(packed.seen_first, seen_end),
            Arrays(packed.seen_last, seen_end),
            Arrays(packed.unplaced_by, lost_end),
            Arrays(packed.unplaced_times, lost_end),
            Arrays(packed.unplaced_last, lost_end),
            Scalars(packed.unplaced[held]),
            Scalars(packed.position_count[held]),
            Scalars(packed.sighting_count[held], 8),
            Scalars(packed.last_seen_day[held]),
        ]
    )
    cursor.execute(load("fold_replaced.sql"), {"first": first, "last": last})
    with cursor.copy(load("copy_merged.sql")) as copy:
        for part in rows:
            copy.write(part)
