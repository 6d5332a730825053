"""Make a locale's merged tables anew from the archive, beside the live ones, and put them in their place.

The rebuilt tables have a ledger of their own, which makes a rebuild resumable and every upload count once. Uploads
that are merged live meanwhile are caught up with, the last ones under the fold lock; then the tables change
places. Readers see the old tables until then; staging never waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connections, transaction
from django.db.models import Sum

from core import locales
from ingest.batch.columns import Unreadable
from ingest.batch.stage import stage_into
from ingest.maintenance import baseline, rebuild_tables, reread
from ingest.maintenance.sql import load
from ingest.maintenance.withdrawals import finish_left
from ingest.merge import hot_tables
from ingest.merge.fold import fold_from
from ingest.models import Upload
from ingest.queue.worker import read
from maps.publish.changes import PUBLISH_LOCK

#: First key of the advisory lock that one rebuild of a locale holds.
_LOCK = 0x4D52  # "MR"
#: Staged counts are folded when they hold so much; what was not folded is read again after an interruption.
FOLD_AT_BYTES = 128 << 20
#: Uploads asked for at once.
PAGE = 2_000
#: What is left for the last round, while folds wait: some seconds' work.
LAST_ROUND = 200

Report = Callable[[int, str], None]


def _silent(done: int, note: str) -> None:
    """Report to nobody."""


class AlreadyRunning(Exception):
    """Another rebuild of this locale is at work."""


class Incomplete(Exception):
    """Uploads are in the live tables whose documents can't be read any more; carries why, by upload."""

    def __init__(self, gone: dict[UUID, str]) -> None:
        super().__init__(f"{len(gone)} uploads can't be rebuilt")
        self.gone = gone


class Extent(NamedTuple):
    """What a rebuild has to read."""

    uploads: int
    size_bytes: int


@dataclass
class Rebuild:
    """One run over one locale; `report` is told how many uploads are rebuilt, and what is being done."""

    locale: str
    report: Report = _silent
    done: int = 0
    #: Uploads that are carried over whole, as their documents are deleted; they are among `done`.
    carried: int = 0
    #: Uploads that can't be read, with the reason.
    gone: dict[UUID, str] = field(default_factory=dict)

    @property
    def alias(self) -> str:
        return locales.alias(self.locale)

    def prepare(self) -> None:
        """Make the tables, or go on with those of an interrupted run; raises `shadow.Outdated`.

        Nothing expires while they exist (`ingest.maintenance.retention`), so the archive stays complete.
        """
        self.done = (
            rebuild_tables.resume(self.alias)
            if rebuild_tables.exists(self.alias)
            else rebuild_tables.create(self.alias)
        )
        self.carried = baseline.count(self.alias)

    def catch_up(self) -> None:
        """Rebuild all that is merged, until little enough is left for the last round."""
        self._add_all(page for page in self._archived_pages())
        behind, tried = self._behind(), set[UUID]()
        while len(behind) > LAST_ROUND:
            self._add_all(self._pages(behind))
            # What is about to be subtracted stays behind, however often it is tried.
            tried.update(behind)
            behind = [upload for upload in self._behind() if upload not in tried]

    def compare(self) -> dict[str, rebuild_tables.Difference]:
        """Catch up with the last uploads and compare with the live tables, while folds wait."""
        with self._holding(hot_tables.FOLD_LOCK):
            self._last_round()
            return rebuild_tables.differences(self.alias)

    def finish(self, *, without_gone: bool) -> dict[str, rebuild_tables.Difference]:
        """Catch up with the last uploads, and let the tables change places; returns what differed.

        Raises `Incomplete` when live uploads can't be rebuilt, unless they are to be left out.
        """
        rebuild_tables.analyze(self.alias)
        with self._holding(hot_tables.FOLD_LOCK):
            self._last_round()
            lost = {upload: self.gone[upload] for upload in self._live() & self.gone.keys()}
            if lost and not without_gone:
                raise Incomplete(lost)
            self.report(self.done, "comparing")
            different = rebuild_tables.differences(self.alias)
            rebuild_tables.mark_differences(self.alias)
            self.report(self.done, "swapping")
            # Publishing reads the tables for longer than any page does, and tries again by itself.
            with self._holding(PUBLISH_LOCK):
                rebuild_tables.swap(self.alias)
        # What was withdrawn after it had been rebuilt.
        finish_left(self.locale, whenever=True)
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
                if upload.document_name and upload.status != Upload.Status.WITHDRAWN
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
            for batch in reread.batches(page):
                self._add(batch)
                if self._staged_bytes() >= FOLD_AT_BYTES:
                    self._fold()
        self._fold()

    def _add(self, batch: list[Upload]) -> None:
        members, interned = read(self.alias, batch, reread.document, self._give_up)
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
    def _holding(self, lock: int) -> Iterator[None]:
        """Hold an advisory lock of the locale: FOLD_LOCK, and what is staged meanwhile is merged afterwards."""
        with connections[self.alias].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, 0)", [lock])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [lock])


@contextmanager
def only_one(locale: str) -> Iterator[None]:
    """Keep other rebuilds of a locale out; raises `AlreadyRunning`."""
    with connections[locales.alias(locale)].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, 0)", [_LOCK])
        if not cursor.fetchone()[0]:
            raise AlreadyRunning
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [_LOCK])


def extent(locale: str) -> Extent:
    """Return how much a rebuild of this locale has to read."""
    found: dict[str, Any] = _merged(locale).aggregate(size_bytes=Sum("size_bytes"))
    return Extent(_merged(locale).count(), found["size_bytes"] or 0)


def _merged(locale: str) -> Any:
    return Upload.objects.filter(locale=locale, status=Upload.Status.MERGED).exclude(document_name="")
