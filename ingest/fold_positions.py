"""The fold's heaviest step: staged coordinates into the packed rows of presence.

Runs in the fold's transaction, under the locale's fold lock.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ingest import presence
from ingest.presence import Entries, Ints
from ingest.presence_rows import Uploads
from ingest.touched_places import rewrite


def fold_positions(cursor: Any) -> None:
    """Merge staged_position into presence, and note in `brought` what each upload brought."""
    uploads = Uploads(cursor)
    new, met = np.zeros(len(uploads.no), dtype=np.int64), np.zeros(len(uploads.no), dtype=np.int64)

    def merge(known: Entries, fresh: Entries, brought_by: Ints, creatures: Any) -> Entries:
        dots = presence.of_places(fresh.key, creatures)
        np.add(met, np.bincount(brought_by[dots], minlength=len(met)), out=met)
        np.add(new, np.bincount(_discoverers(known, fresh, brought_by, dots), minlength=len(new)), out=new)
        return presence.add(known, presence.unite(fresh))

    rewrite(cursor, uploads, merge)
    rows = zip(uploads.no.tolist(), new.tolist(), met.tolist(), strict=True)
    cursor.executemany("INSERT INTO brought (no, new_positions, positions) VALUES (%s, %s, %s)", list(rows))


def _discoverers(known: Entries, fresh: Entries, brought_by: Ints, dots: Any) -> Ints:
    """Return who brings each coordinate that was not known: of several uploads the one staged first."""
    coordinate = fresh.coordinate
    at = presence.starts(coordinate)
    if not len(at):
        return at
    unknown = dots[at] & ~presence.is_in(coordinate[at], known.coordinate)
    discoverers: Ints = np.minimum.reduceat(brought_by, at)[unknown]
    return discoverers
