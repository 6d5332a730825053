"""`./manage.py requeue`: put archived uploads back to work."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import locales
from ingest import lifecycle, wake
from ingest.maintenance import retention, selection
from ingest.models import Upload
from ingest.queue import requeue


class Command(BaseCommand):
    help = (
        "Put uploads that are done with (merged or rejected) back to work: all of them, or those that meet every "
        "option given. What is in the merged tables stays as it is and is not read again; what is missing there "
        "(after a backup was restored) or was rejected (before a reader was mended) is read from the archive and "
        "merged. To have all of a locale read anew, run “rebuild”. Players' uploads go first. May be repeated at any "
        "time; withdrawn uploads are brought back by “withdraw --restore” alone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        selection.add_arguments(parser)
        parser.add_argument(
            "--status",
            choices=[str(status) for status in lifecycle.REQUEUEABLE],
            help="only merged, or only rejected ones",
        )
        parser.add_argument("--dry-run", action="store_true", help="only say how many uploads it would be")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        self._tell_lost(options["locale"])
        chosen = selection.selection(options).query()
        if options["status"]:
            chosen = chosen.filter(status=options["status"])
        found = requeue.select(chosen)
        if not found:
            raise CommandError(_nothing(chosen.exists()))
        for locale, count in found.items():
            self.stdout.write(f"{locale}: {_uploads(count)}")
        total = sum(found.values())
        if options["dry_run"]:
            self.stdout.write(f"Dry run: {_uploads(total)} would be put back to work; nothing was changed.")
            return
        self.stdout.write(f"Selected in {time.monotonic() - began:.1f} s; putting them back to work in one go …")
        self.stdout.flush()
        began = time.monotonic()
        added = requeue.add_selected()
        took_s = time.monotonic() - began
        for locale in found:
            try:
                wake.send(locale)
            except Exception as error:  # noqa: BLE001  (whatever the broker does: the sweep stands behind)
                self.stderr.write(f"Workers could not be woken ({error}); the sweep starts them within seconds.")
                break
        before = f", {total - added:,} were waiting for it already" if added < total else ""
        self.stdout.write(f"{_uploads(added)} put back to work in {took_s:.1f} s{before}. Live uploads go first.")

    def _tell_lost(self, asked: str | None) -> None:
        for locale in [asked] if asked else locales.hosted():
            if lost := retention.lost(locale):
                self.stderr.write(
                    f"{locale}: {_uploads(lost)} more can't be brought back: their documents were deleted when they "
                    "expired, after the backup was made that the locale's database comes from."
                )


def _uploads(count: int) -> str:
    return f"{count:,} {'upload' if count == 1 else 'uploads'}"


def _nothing(some_match: bool) -> str:
    if not some_match:
        return "No upload meets these options; nothing was put back to work."
    states = ", ".join(str(label) for status, label in Upload.Status.choices if status not in lifecycle.REQUEUEABLE)
    return (
        f"The uploads that meet these options are all {states}, or their documents are gone: those at work come by "
        "themselves, withdrawn ones by “withdraw --restore”. Nothing was put back to work."
    )
