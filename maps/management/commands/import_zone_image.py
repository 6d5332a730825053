"""`./manage.py import_zone_image FILE --locale deDE --zone "Tausend Nadeln"`: show an image under a zone's dots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import locales
from maps.images import backgrounds
from maps.models import Zone


class Command(BaseCommand):
    help = (
        "Show an image (PNG, JPEG or WebP, three wide to two high) as the background of a zone's map. It is cut into "
        "tiles; an image imported for that floor before is replaced. Use only images you have the right to show."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="the image; none with --remove")
        parser.add_argument("--locale", required=True, help="the locale of the map, such as deDE")
        parser.add_argument("--zone", required=True, help="the zone's name as on the map, or its id")
        parser.add_argument("--floor", type=int, default=0, help="floor of the zone (default: 0, outdoors)")
        parser.add_argument("--remove", action="store_true", help="show no image there any more")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *args: Any, **options: Any) -> None:
        locale, zone = self._zone(options["locale"], options["zone"])
        floor: int = options["floor"]
        if floor < 0:
            raise CommandError(f"There is no floor {floor}; floors are 0 (outdoors) and up.")
        target = f"{locale}, {zone.name}, floor {floor}"
        if options["remove"]:
            self._remove(target, locale, zone.id, floor, dry_run=options["dry_run"])
        elif options["file"] is None:
            raise CommandError("No image is given. Name a file, or use --remove to show none.")
        else:
            self._store(target, options["file"], (locale, zone.id, floor), dry_run=options["dry_run"])

    def _zone(self, wanted_locale: str, wanted: str) -> tuple[str, Zone]:
        locale = locales.canonical(wanted_locale)
        try:
            zones = Zone.objects.using(locales.alias(locale))
        except locales.UnknownLocale:
            hosted = ", ".join(locales.hosted())
            raise CommandError(f"This site hosts no map for {wanted_locale}. It hosts {hosted}.") from None
        zone = zones.filter(name__iexact=wanted).first()
        if zone is None and wanted.isascii() and wanted.isdigit() and int(wanted) < 2**31:
            zone = zones.filter(id=int(wanted)).first()
        if zone is None:
            raise CommandError(f"{locale} knows no zone {wanted!r}. /{locale}/zones lists those it knows.")
        return locale, zone

    def _remove(self, target: str, locale: str, zone: int, floor: int, *, dry_run: bool) -> None:
        if backgrounds.find(locale, zone, floor) is None:
            raise CommandError(f"{target}: there is no image to remove.")
        if not dry_run:
            backgrounds.remove(locale, zone, floor)
        self.stdout.write(f"{target}: image removed" + " (dry run: it is still there)" * dry_run)

    def _store(self, target: str, file: Path, key: tuple[str, int, int], *, dry_run: bool) -> None:
        try:
            image = backgrounds.opened(file)
        except FileNotFoundError:
            raise CommandError(f"There is no file {file}.") from None
        except (OSError, backgrounds.ImageRefused) as error:
            raise CommandError(str(error)) from error
        size = f"{image.width} × {image.height}"
        if backgrounds.is_other_shape(image):
            self.stderr.write(f"{file} is {size}, not three wide to two high: it is stretched to fit.")
        zoom = backgrounds.last_zoom(image)
        said = f"{target}: {size} pixels, {backgrounds.tile_count(zoom)} tiles up to zoom {zoom}"
        if dry_run:
            self.stdout.write(f"{said} (dry run: nothing was written)")
            return
        try:
            made = backgrounds.store(image, *key)
        except OSError as error:
            raise CommandError(f"Could not write the tiles: {error}. Nothing changed on the map.") from error
        self.stdout.write(f"{said}, version {made.version}")
