"""Entries that lost a first or last day to a subtraction: the remaining uploads say which day comes next.

The entries are noted chunk by chunk (`ingest.merge.chunks`); several passes over the same touched habitats split them
into the same chunks. For uploads whose documents are deleted, the baseline has the days.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from ingest.maintenance import baseline_tables
from ingest.merge import sightings
from ingest.merge.chunks import rewrite
from ingest.merge.habitat_rows import StagedUploads
from ingest.merge.sightings import Entries, Ints


class AmbiguousDays:
    """The entries of one transaction. Its search path is the subtraction's, and the fold lock is held."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        #: By the first habitat of a chunk.
        self._entries: defaultdict[int, list[Entries]] = defaultdict(list)
        self._in_baseline: defaultdict[int, list[Entries]] = defaultdict(list)

    def note(self, entries: Entries) -> None:
        """Note entries of the chunk that is being worked on."""
        if len(entries.key):
            self._entries[self._chunk()].append(entries)

    def __bool__(self) -> bool:
        return bool(self._entries)

    def uploaders(self) -> Ints:
        """Return the uploaders of all entries, each once."""
        found = [sightings.uploaders(entries) for chunk in self._entries.values() for entries in chunk]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))

    def read_baseline(self) -> None:
        """Read the baseline's entries with the same keys."""
        self._cursor.execute("SELECT EXISTS (SELECT FROM baseline.ledger)")
        if not self._cursor.fetchone()[0]:
            return

        def look(known: Entries, *_: Any) -> Entries:
            chunk = self._chunk()
            chosen = sightings.is_in(known.key, _joined(self._entries[chunk]).key)
            self._in_baseline[chunk].append(Entries(*(column[chosen] for column in known)))
            return known

        search_path = f"pg_temp, {baseline_tables.SCHEMA}, public"
        self._cursor.execute("SELECT set_config('search_path', %s, true)", [search_path])
        rewrite(self._cursor, StagedUploads(self._cursor), look, write=False)
        self._cursor.execute("SET LOCAL search_path TO pg_temp, public")

    def in_baseline(self) -> Entries:
        """Return the baseline's entries of the chunk that is being worked on."""
        return _joined(self._in_baseline[self._chunk()])

    def _chunk(self) -> int:
        """Return the first habitat of the chunk that is being worked on."""
        self._cursor.execute("SELECT first FROM chunk")
        return int(self._cursor.fetchone()[0])


def _joined(pieces: list[Entries]) -> Entries:
    """Join the sorted entries of pieces of a chunk, which have no key in common."""
    none = Entries(*[np.zeros(0, dtype=np.int64)] * len(Entries._fields))
    return sightings.sort(*(np.concatenate(column) for column in zip(none, *pieces, strict=True)))
