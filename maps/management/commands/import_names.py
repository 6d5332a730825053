"""`./manage.py import_names items FILE.csv --locale deDE`: import item names from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import locales
from maps.publish import item_names

#: The game has some ten thousand items; a larger file is not a table of their names.
MAX_BYTES = 64 * 1024**2


class Command(BaseCommand):
    help = (
        "Add and change item names of one locale from a CSV table with the header id,name (UTF-8). All of the table "
        "is checked before anything is written. May be repeated; names that it does not list stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=("items",), help="what is named")
        parser.add_argument("file", metavar="FILE.csv", type=Path)
        parser.add_argument("--locale", required=True, help="the locale of the names, such as deDE")
        parser.add_argument("--dry-run", action="store_true", help="only say what would change")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        locale = locales.canonical(options["locale"])
        try:
            alias = locales.alias(locale)
        except locales.UnknownLocale:
            hosted = ", ".join(locales.hosted())
            raise CommandError(f"This site hosts no map for {options['locale']}. It hosts {hosted}.") from None
        try:
            with file.open("rb") as opened:
                body = opened.read(MAX_BYTES + 1)
        except OSError as error:
            raise CommandError(f"Could not read {file}: {error.strerror}.") from error
        if len(body) > MAX_BYTES:
            raise CommandError(
                f"{file} is larger than {MAX_BYTES // 1024**2} MiB, too large for a table of item names."
            )
        try:
            table = item_names.read_items(body)
        except item_names.NamesUnreadable as error:
            more = f"\nThere may be more; these are the first {item_names.MAX_ERRORS}." * (
                len(error.errors) == item_names.MAX_ERRORS
            )
            raise CommandError(
                f"{file} was not imported, nothing is changed:\n  " + "\n  ".join(error.errors) + more
            ) from error
        result = item_names.import_items(alias, table, dry_run=options["dry_run"])
        said = f"{locale}: {result.added:,} added, {result.changed:,} changed, {result.unchanged:,} unchanged"
        self.stdout.write(f"{said} (dry run: nothing was written)" if options["dry_run"] else said)
