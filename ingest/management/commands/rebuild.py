"""`./manage.py rebuild deDE`: rebuild a locale's map from the archive, beside the live one, and swap."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import filesizeformat

from core.database import ERRORS
from core.progress import Progress
from ingest.maintenance import rebuild, rebuild_tables, selection, withdrawals

#: What the command's output calls the tables.
NAMES = {
    "creature": "creatures",
    "creature_name": "names of creatures",
    "habitat": "creatures or gathering places by zone and floor",
    "loot": "loot tables",
    "item_drop": "drops",
    "ledger": "uploads",
}
GONE_SHOWN = 10


class Command(BaseCommand):
    help = (
        "Rebuild the merged tables of one locale from the archive, beside the live ones, and swap them. The site stays "
        "readable and goes on merging; only the last uploads, the comparison and the swap hold up folds, for some "
        "seconds. After an interruption, run it again to go on. The dictionaries (zones, names) are kept, so ids and "
        "addresses stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("locale", type=selection.hosted_locale, help="the locale to rebuild, such as deDE")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="rebuild and say what would differ, but leave the live tables; a later run goes on",
        )
        parser.add_argument("--start-over", action="store_true", help="forget what an interrupted run has done")
        parser.add_argument("--discard", action="store_true", help="only drop what an interrupted run has done")
        parser.add_argument(
            "--without-missing",
            action="store_true",
            help="swap although live uploads can't be read any more: their counts vanish from the map",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        locale = options["locale"]
        try:
            with rebuild.only_one(locale):
                self._work(locale, options)
        except rebuild.AlreadyRunning:
            raise CommandError(f"Another rebuild of {locale} is running; wait for it or end it.") from None
        except KeyboardInterrupt:
            raise CommandError(
                f"Stopped; the live map of {locale} is as it was. Run the command again to go on, or with --discard "
                "to drop what is rebuilt so far."
            ) from None
        except ERRORS as error:
            raise CommandError(
                f"The database stopped the rebuild of {locale}: {str(error).strip()}\nThe live map is as it was. "
                "Once the cause is gone, run the command again; it goes on where it was."
            ) from error

    def _work(self, locale: str, options: dict[str, Any]) -> None:
        began = time.monotonic()
        run = rebuild.Rebuild(locale)
        if options["discard"] or options["start_over"]:
            before = rebuild_tables.exist(run.alias)
            rebuild_tables.discard(run.alias)
            if options["discard"]:
                self.stdout.write("Dropped what was rebuilt." if before else "There was nothing to drop.")
                return
        self._prepare(run)
        extent = rebuild.extent(locale)
        earlier = f"; {run.done - run.from_baseline:,} are rebuilt already" if run.done > run.from_baseline else ""
        self.stdout.write(f"{locale}: {extent.uploads:,} merged uploads, {filesizeformat(extent.size_bytes)}{earlier}.")
        if run.from_baseline:
            self.stdout.write(f"{run.from_baseline:,} more come from the baseline: their documents are deleted.")
        self.stdout.flush()
        progress = Progress("uploads", extent.uploads + run.from_baseline, before=run.done)
        run.report = progress.show
        try:
            run.catch_up()
            if options["dry_run"]:
                different = run.compare()
            else:
                different = run.finish(without_gone=options["without_missing"])
                # Uploads that were withdrawn after they had been rebuilt.
                withdrawals.finish_left(locale, whenever=True)
        except rebuild.Incomplete as error:
            raise CommandError(_incomplete(locale, error)) from None
        except rebuild_tables.Busy:
            raise CommandError(
                f"{locale} is rebuilt, but long queries left no moment to swap the tables. The live map is as it was; "
                "run the command again when the database is quieter."
            ) from None
        finally:
            progress.end()
        self._tell(run, different, time.monotonic() - began, dry_run=options["dry_run"])

    def _prepare(self, run: rebuild.Rebuild) -> None:
        try:
            run.prepare()
        except rebuild_tables.Outdated:
            raise CommandError(
                "The interrupted rebuild was begun before the tables changed with an update. Nothing was touched; "
                "run it with --start-over."
            ) from None

    def _tell(
        self, run: rebuild.Rebuild, different: dict[str, rebuild_tables.Difference], took_s: float, *, dry_run: bool
    ) -> None:
        for table, difference in different.items():
            self.stdout.write(
                f"  {NAMES[table]}: {difference.vanish:,} vanish, {difference.appear:,} appear, "
                f"{difference.change:,} change"
            )
        if run.gone:
            self.stdout.write(f"  {len(run.gone):,} uploads can't be read:\n{_listed(run.gone)}")
        same = "" if different else ", equal to the live map"
        if dry_run:
            self.stdout.write(
                f"Dry run: {run.done:,} uploads rebuilt in {took_s:.0f} s{same}. The live map is as it was; without "
                "--dry-run the rebuilt one takes its place, with --discard it is dropped."
            )
        else:
            self.stdout.write(f"{run.locale} was rebuilt from {run.done:,} uploads in {took_s:.0f} s{same}.")


def _incomplete(locale: str, error: rebuild.Incomplete) -> str:
    return (
        f"The live map of {locale} holds {len(error.gone):,} uploads that can't be read any more:\n"
        f"{_listed(error.gone)}\nThe live map is as it was. Bring their documents back into the archive and run the "
        "command again, or add --without-missing: their counts then vanish from the map."
    )


def _listed(gone: dict[Any, str]) -> str:
    shown = [f"    {upload}: {reason}" for upload, reason in list(gone.items())[:GONE_SHOWN]]
    more = [f"    … and {len(gone) - GONE_SHOWN:,} more"] if len(gone) > GONE_SHOWN else []
    return "\n".join(shown + more)
