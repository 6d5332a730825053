"""`./manage.py publish deDE [--all]`: publish what readers see now, without waiting for the workers."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import locales
from maps.publish import build, invalidation
from maps.publish.spawn_points import publish_spawn_points

#: Interval between two lines of progress.
PROGRESS_EVERY_S = 2.0


class Command(BaseCommand):
    help = (
        "Publish what changed in one locale: spawn points, and the files of zones, creatures, sources and items. "
        "With --all every file is built again, and files of unknown subjects are deleted; needed after a database or "
        "the folder of published files was restored. Readers see the old files until the new ones are written."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("locale", help="the locale to publish, such as deDE")
        parser.add_argument("--all", action="store_true", help="all files, not only those of what changed")

    def handle(self, *args: Any, **options: Any) -> None:
        locale = locales.canonical(options["locale"])
        try:
            alias = locales.alias(locale)
        except locales.UnknownLocale:
            hosted = ", ".join(locales.hosted())
            raise CommandError(f"This site hosts no map for {options['locale']}. It hosts {hosted}.") from None
        if options["all"] and not settings.PUBLISH_FILES:
            raise CommandError(
                "MOBMAP_PUBLISH_FILES=0: this site answers from its database and has no published files."
            )
        self._say(f"{locale}: spawn points of {publish_spawn_points(alias):,} creatures in zones")
        stale = invalidation.invalidate_all(alias) if options["all"] else invalidation.prioritize_all(alias)
        self._build(alias, stale)

    def _build(self, alias: str, stale: int) -> None:
        began = reported = monotonic()
        built = 0
        try:
            for more in build.build_stale(alias, wait=True):
                built += more
                if monotonic() - reported > PROGRESS_EVERY_S:
                    reported = monotonic()
                    self._say(f"  {built:,}{f' of {stale:,}' if stale else ''} files")
        except OSError as error:
            raise CommandError(
                f"Could not write below {settings.PUBLISHED_DIR}: {error.strerror}. {built:,} files are built; the "
                "others stay stale. Run the command as the workers' user."
            ) from error
        seconds = monotonic() - began
        self._say(f"{built:,} files built in {seconds:.1f} s, below {settings.PUBLISHED_DIR}")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
