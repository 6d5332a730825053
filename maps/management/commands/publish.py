"""`./manage.py publish deDE [--all]`: make what readers see anew, without waiting for the workers."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import locales
from maps.publish import build, invalidation
from maps.publish.changes import publish_spawns

#: How often progress is told.
TELL_EVERY_S = 2.0


class Command(BaseCommand):
    help = (
        "Publish what changed in one locale: spawn points, and the documents of zones' maps, creatures and items. "
        "With --all every document is made anew, and those of unknown things are deleted; needed after a database or "
        "the folder of documents was restored. Readers see the old documents until the new ones are there."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("locale", help="whose map, such as deDE")
        parser.add_argument("--all", action="store_true", help="all documents, not only those of what changed")

    def handle(self, *args: Any, **options: Any) -> None:
        locale = locales.canonical(options["locale"])
        try:
            alias = locales.alias(locale)
        except locales.UnknownLocale:
            hosted = ", ".join(locales.hosted())
            raise CommandError(f"This site hosts no map for {options['locale']}. It hosts {hosted}.") from None
        if options["all"] and not settings.PUBLISH_DOCUMENTS:
            raise CommandError("MOBMAP_PUBLISH_DOCUMENTS=0: this site answers from its database and has no documents.")
        self._say(f"{locale}: spawn points of {publish_spawns(alias):,} creatures in zones")
        marked = invalidation.mark_all(alias) if options["all"] else invalidation.hurry_all(alias)
        self._make(alias, marked)

    def _make(self, alias: str, marked: int | None) -> None:
        began = told = monotonic()
        made = 0
        try:
            for more in build.make_stale(alias, wait=True):
                made += more
                if monotonic() - told > TELL_EVERY_S:
                    told = monotonic()
                    self._say(f"  {made:,}{f' of {marked:,}' if marked else ''} documents")
        except OSError as error:
            raise CommandError(
                f"Could not write below {settings.PUBLISHED_DIR}: {error.strerror}. {made:,} documents are done; the "
                "others stay marked. Run the command as the workers' user."
            ) from error
        seconds = monotonic() - began
        self._say(f"{made:,} documents made in {seconds:.1f} s, below {settings.PUBLISHED_DIR}")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
