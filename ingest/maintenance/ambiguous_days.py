"""Entries of which something was subtracted, so that their days must be told from the uploads that are left.

They are noted down chunk by chunk (`ingest.merge.chunks`): several passes over the same touched places cut them into
the same chunks. Of uploads whose documents are deleted, `base` has the days.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from ingest.maintenance import baseline
from ingest.merge import sightings
from ingest.merge.chunks import rewrite
from ingest.merge.habitat_rows import Uploads
from ingest.merge.sightings import Entries, Ints


def _joined(some: list[Entries]) -> Entries:
    """Return sorted entries of pieces of a chunk that have no key in common."""
    none = Entries(*[np.zeros(0, dtype=np.int64)] * len(Entries._fields))
    return sightings.sort(*(np.concatenate(column) for column in zip(none, *some, strict=True)))


class Unsure:
    """The entries of one transaction; its search path is the subtraction's, and the fold lock is held."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        self._entries: defaultdict[int, list[Entries]] = defaultdict(list)
        self._in_base: defaultdict[int, list[Entries]] = defaultdict(list)

    def note(self, some: Entries) -> None:
        """Note down entries of the chunk that is being worked on."""
        if len(some.key):
            self._entries[self._chunk()].append(some)

    def __bool__(self) -> bool:
        return bool(self._entries)

    def uploaders(self) -> Ints:
        """Return the entries' uploaders, each once."""
        found = [sightings.uploaders(some) for chunk in self._entries.values() for some in chunk]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))

    def look_into_base(self) -> None:
        """Read what `base` has of the entries: how often uploads were seen there, and between which days."""
        self._cursor.execute("SELECT EXISTS (SELECT FROM baseline.ledger)")
        if not self._cursor.fetchone()[0]:
            return

        def look(known: Entries, *_: Any) -> Entries:
            chunk = self._chunk()
            asked = _joined(self._entries[chunk]).key
            chosen = sightings.is_in(known.key, asked)
            self._in_base[chunk].append(Entries(*(column[chosen] for column in known)))
            return known

        self._cursor.execute("SELECT set_config('search_path', %s, true)", [f"pg_temp, {baseline.SCHEMA}, public"])
        rewrite(self._cursor, Uploads(self._cursor), look, write=False)
        self._cursor.execute("SET LOCAL search_path TO pg_temp, public")

    def in_base(self) -> Entries:
        """Return what `base` has of the chunk that is being worked on."""
        return _joined(self._in_base[self._chunk()])

    def _chunk(self) -> int:
        """Return the first place of the chunk that is being worked on."""
        self._cursor.execute("SELECT first FROM chunk")
        return int(self._cursor.fetchone()[0])
