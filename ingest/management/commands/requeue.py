"""`./manage.py requeue`: put merged or rejected uploads back to work."""

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
        "Requeue uploads that are merged or rejected: all of them, or those that meet every option given. What is in "
        "the merged tables stays and is not read again. What is missing there (after a restored backup) or was "
        "rejected (before a reader was fixed) is read from the archive and merged. To read all of a locale again, run "
        "“rebuild”. Players' uploads go first. May be repeated at any time. Withdrawn uploads come back by “withdraw "
        "--restore” only."
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
            self.stdout.write(f"Dry run: {_uploads(total)} would be requeued; nothing was changed.")
            return
        self.stdout.write(f"Selected in {time.monotonic() - began:.1f} s; requeueing them in one go …")
        self.stdout.flush()
        began = time.monotonic()
        added = requeue.add_selected()
        took_s = time.monotonic() - began
        for locale in found:
            try:
                wake.send(locale)
            except Exception as error:  # noqa: BLE001  (whatever the broker does, the sweep follows)
                self.stderr.write(f"Workers could not be woken ({error}); the sweep starts them within seconds.")
                break
        before = f", {total - added:,} were requeued already" if added < total else ""
        self.stdout.write(f"{_uploads(added)} requeued in {took_s:.1f} s{before}. Live uploads go first.")

    def _tell_lost(self, asked: str | None) -> None:
        for locale in [asked] if asked else locales.hosted():
            if lost := retention.lost(locale):
                self.stderr.write(
                    f"{locale}: {_uploads(lost)} more can't be merged again: their documents expired after the backup "
                    "was made that the locale's database comes from."
                )


def _uploads(count: int) -> str:
    return f"{count:,} {'upload' if count == 1 else 'uploads'}"


def _nothing(some_match: bool) -> str:
    if not some_match:
        return "No upload meets these options; nothing was requeued."
    states = ", ".join(str(label) for status, label in Upload.Status.choices if status not in lifecycle.REQUEUEABLE)
    return (
        f"The uploads that meet these options are all {states}, or their documents are gone: those at work come by "
        "themselves, withdrawn ones by “withdraw --restore”. Nothing was requeued."
    )
