"""Rebuild a locale's merged tables from the archive, beside the live ones, then swap them.

The rebuild tables have a ledger of their own: a rebuild can be resumed, and every upload counts once. It catches up
with uploads that are merged live meanwhile, with the last ones under the fold lock; then the tables are swapped.
Readers see the old tables until then, and staging never waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connections, transaction
from django.db.models import Sum

from core import locales, locks
from core.locks import Lock
from ingest import lifecycle
from ingest.batch.observations import Unreadable
from ingest.batch.read import batches, read
from ingest.batch.stage import stage_into
from ingest.maintenance import baseline_tables, rebuild_tables
from ingest.maintenance.sql import load
from ingest.merge.fold import fold_from
from ingest.models import Upload

#: Size of the staging tables at which they are folded. After an interruption, what was not folded is read again.
FOLD_AT_BYTES = 128 << 20
#: Uploads queried at once.
PAGE = 2_000
#: Uploads that may be left for the last round, while folds wait: some seconds of work.
LAST_ROUND = 200

Report = Callable[[int, str], None]


def _silent(done: int, note: str) -> None:
    """Report to nobody."""


class AlreadyRunning(Exception):
    """Another rebuild of this locale is running."""


class Incomplete(Exception):
    """Documents of uploads in the live tables can't be read any more; `gone` says why, by upload."""

    def __init__(self, gone: dict[UUID, str]) -> None:
        super().__init__(f"{len(gone)} uploads can't be rebuilt")
        self.gone = gone


class Extent(NamedTuple):
    """What a rebuild has to read."""

    uploads: int
    size_bytes: int


@dataclass
class Rebuild:
    """One run over one locale. `report` is called with the number of uploads rebuilt, and with what is being done."""

    locale: str
    report: Report = _silent
    done: int = 0
    #: Uploads that come from the baseline, as their documents are deleted; `done` includes them.
    from_baseline: int = 0
    #: Uploads that can't be read, with the reason.
    gone: dict[UUID, str] = field(default_factory=dict)

    @property
    def alias(self) -> str:
        return locales.alias(self.locale)

    def prepare(self) -> None:
        """Create the tables, or go on with those of an interrupted run; raises `rebuild_tables.Outdated`.

        Nothing expires while they exist (`ingest.maintenance.retention`), so the archive stays complete.
        """
        self.done = (
            rebuild_tables.resume(self.alias) if rebuild_tables.exist(self.alias) else rebuild_tables.create(self.alias)
        )
        self.from_baseline = baseline_tables.count(self.alias)

    def catch_up(self) -> None:
        """Rebuild all merged uploads, until few enough are left for the last round."""
        self._add_all(page for page in self._archived_pages())
        behind, tried = self._behind(), set[UUID]()
        while len(behind) > LAST_ROUND:
            self._add_all(self._pages(behind))
            # Uploads that are about to be subtracted stay behind, however often they are tried.
            tried.update(behind)
            behind = [upload for upload in self._behind() if upload not in tried]

    def compare(self) -> dict[str, rebuild_tables.Difference]:
        """Catch up with the last uploads and compare with the live tables, while folds wait."""
        with locks.held(self.alias, Lock.FOLD):
            self._last_round()
            return rebuild_tables.differences(self.alias)

    def finish(self, *, without_gone: bool) -> dict[str, rebuild_tables.Difference]:
        """Catch up with the last uploads and swap the tables; return what differed.

        Raises `Incomplete` if live uploads can't be rebuilt, unless they are to be left out (`without_gone`).
        """
        rebuild_tables.analyze(self.alias)
        with locks.held(self.alias, Lock.FOLD):
            self._last_round()
            lost = {upload: self.gone[upload] for upload in self._live() & self.gone.keys()}
            if lost and not without_gone:
                raise Incomplete(lost)
            self.report(self.done, "comparing")
            different = rebuild_tables.differences(self.alias)
            rebuild_tables.note_differences(self.alias)
            self.report(self.done, "swapping")
            # Publishing reads the tables for longer than any page does; it tries again by itself.
            with locks.held(self.alias, Lock.PUBLISH):
                rebuild_tables.swap(self.alias)
        return different

    # --- which uploads ---
    def _archived_pages(self) -> Iterator[list[Upload]]:
        """Yield the merged uploads of the archive that are not rebuilt yet, in the order of their ids."""
        after = UUID(int=0)
        while page := list(_merged(self.locale).filter(id__gt=after).order_by("id")[:PAGE]):
            after = page[-1].id
            with connections[self.alias].cursor() as cursor:
                cursor.execute(
                    "SELECT content_hash FROM rebuild.ledger WHERE content_hash = ANY (%s)",
                    [[bytes(upload.content_hash) for upload in page]],
                )
                known = {bytes(row[0]) for row in cursor.fetchall()}
            yield [upload for upload in page if bytes(upload.content_hash) not in known]

    def _behind(self) -> list[UUID]:
        """Return the uploads that are merged live and not rebuilt, apart from those known to be unreadable."""
        with connections[self.alias].cursor() as cursor:
            cursor.execute(load("rebuild_behind.sql"))
            return [row[0] for row in cursor.fetchall() if row[0] not in self.gone]

    def _pages(self, ids: Sequence[UUID]) -> Iterator[list[Upload]]:
        for start in range(0, len(ids), PAGE):
            wanted = ids[start : start + PAGE]
            found = {upload.id: upload for upload in Upload.objects.filter(id__in=wanted)}
            for upload_id in wanted:
                if upload_id not in found:
                    self.gone[upload_id] = "the portal's database does not know it"
                elif not found[upload_id].document_name:
                    self.gone[upload_id] = "its document was deleted from the archive"
            yield [
                upload
                for upload in found.values()
                # Withdrawn and not subtracted yet: it is about to leave the live tables.
                if upload.document_name and upload.status != lifecycle.WITHDRAWN
            ]

    def _live(self) -> set[UUID]:
        if not self.gone:
            return set()
        with connections[self.alias].cursor() as cursor:
            cursor.execute("SELECT upload FROM public.ledger WHERE upload = ANY (%s)", [list(self.gone)])
            return {row[0] for row in cursor.fetchall()}

    # --- into the tables ---
    def _last_round(self) -> None:
        self.report(self.done, "the last uploads; folds wait")
        self._add_all(self._pages(self._behind()))

    def _add_all(self, pages: Iterator[list[Upload]]) -> None:
        for page in pages:
            for batch in batches(page):
                self._add(batch)
                if self._staged_bytes() >= FOLD_AT_BYTES:
                    self._fold()
        self._fold()

    def _add(self, batch: list[Upload]) -> None:
        members, interned = read(self.alias, batch, self._give_up, skip_unavailable=True)
        if interned is None:
            return
        with transaction.atomic(using=self.alias), connections[self.alias].cursor() as cursor:
            stage_into(cursor, rebuild_tables.SCHEMA, members, interned)
        self.done += len(members)
        self.report(self.done, "")

    def _give_up(self, upload: Upload, fault: Unreadable) -> None:
        self.gone[upload.id] = str(fault)

    def _staged_bytes(self) -> int:
        with connections[self.alias].cursor() as cursor:
            cursor.execute(
                "SELECT coalesce(sum(pg_relation_size(c.oid)), 0) FROM pg_class c "
                "WHERE c.relnamespace = to_regnamespace(%s) AND c.relname LIKE 'staged\\_%%'",
                [rebuild_tables.SCHEMA],
            )
            return int(cursor.fetchone()[0])

    def _fold(self) -> None:
        self.report(self.done, "folding")
        with transaction.atomic(using=self.alias), connections[self.alias].cursor() as cursor:
            cursor.execute(load("rebuild_names.sql"))
            merged = fold_from(cursor, staged=rebuild_tables.SCHEMA, into=rebuild_tables.SCHEMA)
            cursor.execute(load("rebuild_ledger.sql"), {"uploads": list(merged)})


@contextmanager
def only_one(locale: str) -> Iterator[None]:
    """Keep other rebuilds and retention of a locale out; raises `AlreadyRunning`."""
    with locks.held_if_free(locales.alias(locale), Lock.REBUILD) as mine:
        if not mine:
            raise AlreadyRunning
        yield


def extent(locale: str) -> Extent:
    """Return how much a rebuild of this locale has to read."""
    found: dict[str, Any] = _merged(locale).aggregate(size_bytes=Sum("size_bytes"))
    return Extent(_merged(locale).count(), found["size_bytes"] or 0)


def _merged(locale: str) -> Any:
    return Upload.objects.filter(locale=locale, status=lifecycle.MERGED).exclude(document_name="")
