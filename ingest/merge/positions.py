"""The fold's heaviest step: staged coordinates into the packed rows of habitat.

Runs in the fold's transaction, under the locale's fold lock.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ingest.merge import sightings
from ingest.merge.chunks import rewrite
from ingest.merge.habitat_rows import Uploads
from ingest.merge.sightings import Entries, Ints


def fold_positions(cursor: Any) -> None:
    """Merge staged_position into habitat, and note in `contribution` what each upload brought."""
    uploads = Uploads(cursor)
    new, met = np.zeros(len(uploads.no), dtype=np.int64), np.zeros(len(uploads.no), dtype=np.int64)

    def merge(known: Entries, fresh: Entries, brought_by: Ints, creatures: Any) -> Entries:
        dots = sightings.of_places(fresh.key, creatures)
        np.add(met, np.bincount(brought_by[dots], minlength=len(met)), out=met)
        np.add(new, np.bincount(_discoverers(known, fresh, brought_by, dots), minlength=len(new)), out=new)
        return sightings.add(known, sightings.unite(fresh))

    rewrite(cursor, uploads, merge)
    rows = zip(uploads.no.tolist(), new.tolist(), met.tolist(), strict=True)
    cursor.executemany("INSERT INTO contribution (no, new_positions, positions) VALUES (%s, %s, %s)", list(rows))


def _discoverers(known: Entries, fresh: Entries, brought_by: Ints, dots: Any) -> Ints:
    """Return who brings each coordinate that was not known: of several uploads the one staged first."""
    coordinate = fresh.coordinate
    at = sightings.starts(coordinate)
    if not len(at):
        return at
    unknown = dots[at] & ~sightings.is_in(coordinate[at], known.coordinate)
    discoverers: Ints = np.minimum.reduceat(brought_by, at)[unknown]
    return discoverers
