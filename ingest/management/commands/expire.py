"""`./manage.py expire`: delete documents from the archive that are older than the site keeps them."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentTypeError
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from core import locales
from core.database import FAILURES
from core.progress import Progress
from ingest import lifecycle
from ingest.maintenance import retention, selection
from ingest.maintenance.retention import Extent

_MAX_DAYS = 36_500


class Command(BaseCommand):
    help = (
        "Delete documents from the archive that are older than MOBMAP_ARCHIVE_DAYS, as the hourly cleanup does, but "
        "all at once. Their counts stay on the map and in rebuilds, but can no longer be withdrawn. May be interrupted "
        "and repeated."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--locale", type=selection.hosted_locale, help="uploads of this locale alone, such as deDE")
        parser.add_argument("--days", type=_days, metavar="N", help="older than N days, instead of MOBMAP_ARCHIVE_DAYS")
        parser.add_argument("--dry-run", action="store_true", help="only say how many documents it would be")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        before = timezone.now() - timedelta(days=options["days"]) if options["days"] else retention.cutoff()
        if before is None:
            raise CommandError(
                "The archive is kept without limit (MOBMAP_ARCHIVE_DAYS is 0); nothing was deleted. Add --days to see "
                "what a limit would mean, with --dry-run."
            )
        found = self._find(before, [options["locale"]] if options["locale"] else locales.hosted())
        if not found:
            self.stdout.write(f"No document in the archive is from before {before:%Y-%m-%d %H:%M} (UTC).")
        elif options["dry_run"]:
            self.stdout.write("Dry run: nothing was deleted.")
        elif options["yes"] or _confirmed(sum(extent.uploads for extent in found.values())):
            self._expire(before, found)
        else:
            self.stdout.write("Nothing was deleted.")

    def _find(self, before: datetime, asked: list[str]) -> dict[str, Extent]:
        """Say how much it is in each locale; returns it."""
        found = {}
        for locale in asked:
            extents = [retention.extent(retention.due(locale, before)), retention.extent(lifecycle.expiring(locale))]
            extent = Extent(*(sum(figures) for figures in zip(*extents, strict=True)))
            if extent.uploads:
                found[locale] = extent
                self.stdout.write(
                    f"{locale}: documents of {extent.uploads:,} uploads from before {before:%Y-%m-%d %H:%M} (UTC), "
                    f"{filesizeformat(extent.size_bytes)} of XML, about a sixth of that in the archive"
                )
        return found

    def _expire(self, before: datetime, found: dict[str, Extent]) -> None:
        began = time.monotonic()
        progress = Progress("documents", sum(extent.uploads for extent in found.values()))
        done = 0
        for locale in found:
            try:
                done += retention.expire(locale, before, report=partial(_show, progress, done))
            except retention.RebuildInProgress:
                raise CommandError(
                    f"A rebuild of {locale} is running or was interrupted, and needs the documents that were there "
                    f"when it began. {_deleted(done)} Finish it, or drop it with “rebuild {locale} --discard”, and "
                    "run the command again."
                ) from None
            except KeyboardInterrupt:
                raise CommandError("Stopped. What was begun is finished by the next round, or run it again.") from None
            except FAILURES as error:
                raise CommandError(
                    f"Documents of {locale} could not be deleted: {str(error).strip()}\nNothing is lost; once the "
                    "cause is gone, run the command again."
                ) from error
            finally:
                progress.end()
        self.stdout.write(f"{_deleted(done)} It took {time.monotonic() - began:.0f} s.")
        left = sum(retention.extent(retention.due(locale, before)).uploads for locale in found)
        if left:
            self.stdout.write(f"{left:,} could not be deleted now; the log says why, and each round tries again.")


def _show(progress: Progress, before: int, done: int) -> None:
    progress.show(before + done)


def _deleted(count: int) -> str:
    return f"{count:,} {'document was' if count == 1 else 'documents were'} deleted."


def _confirmed(count: int) -> bool:
    question = f"Delete {count:,} documents for good?"
    if not sys.stdin.isatty():
        raise CommandError(f"{question} There is nobody to ask: add --yes, or --dry-run to see which.")
    return input(f"{question} [yes/no] ").strip().lower() in {"y", "yes"}


def _days(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= _MAX_DAYS:
        raise ArgumentTypeError(f"{text!r} is no number of days from 1 to {_MAX_DAYS:,}")
    return int(text)
