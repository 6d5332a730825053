"""Images of zones that an admin gives: cut into tiles beforehand, found by the pages, served as files.

On disk, below the setting ZONE_IMAGE_DIR: `deDE/12/0/current.json` names the version shown of zone 12's
floor 0, `deDE/12/0/<version>/3/4-1.webp` is the tile in column 4 and row 1 at zoom 3. A version's name
comes from its content, so its tiles never change and browsers keep them.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from PIL import Image, UnidentifiedImageError

#: Pixels of a whole zone at zoom 0, as on the map: a percent down is a pixel, a percent across one and a half.
ZONE_SIZE = (150, 100)
ASPECT = ZONE_SIZE[0] / ZONE_SIZE[1]
TILE = 256
FIRST_ZOOM = 1
#: At zoom 5 a zone is 4800 × 3200 pixels in 247 tiles; nobody's screen shows more of it at once.
LAST_ZOOM = 5

FORMATS = ("PNG", "JPEG", "WEBP")
MAX_FILE_BYTES = 64 * 1024**2
#: Unpacked an image takes four bytes per pixel: 200 MB at most.
MAX_PIXELS = 50_000_000
QUALITY = 82

#: A zone's map is three wide to two high; further off than this share an image is another shape.
ASPECT_TOLERANCE = 0.02


class ImageRefused(ValueError):
    """An image that can't be a zone's; the text says why and what would do."""


@dataclass(frozen=True)
class ZoneImage:
    """A zone's image as the map needs it: its version, and the largest zoom there are tiles for."""

    version: str
    zoom: int


def folder(locale: str, zone: int, floor: int) -> Path:
    """Return where a zone's tiles lie."""
    return Path(settings.ZONE_IMAGE_DIR) / locale / str(zone) / str(floor)


def find(locale: str, zone: int, floor: int) -> ZoneImage | None:
    """Return the image shown of a zone's floor, or None."""
    try:
        found = json.loads((folder(locale, zone, floor) / "current.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return ZoneImage(found["version"], found["zoom"])


def tile(locale: str, zone: int, floor: int, *, version: str, zoom: int, column: int, row: int) -> Path:
    """Return a tile's file, which need not exist. `version` must be free of slashes and dots."""
    return folder(locale, zone, floor) / version / str(zoom) / f"{column}-{row}.webp"


def opened(file: Path) -> Image.Image:
    """Return an image as RGBA, or raise `ImageRefused`. Its size is checked before it is unpacked."""
    if file.stat().st_size > MAX_FILE_BYTES:
        raise ImageRefused(
            f"{file} is larger than {MAX_FILE_BYTES // 1024**2} MiB. Save it smaller, for example as WebP."
        )
    try:
        with warnings.catch_warnings():
            # The limit below is lower than the one that Pillow warns of.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(file, formats=FORMATS)
        with image:
            if image.width * image.height > MAX_PIXELS:
                raise ImageRefused(
                    f"{file} has {image.width} × {image.height} pixels; {MAX_PIXELS:,} in all are the most. "
                    "A zone is shown with at most 4800 × 3200: make it that large."
                )
            return image.convert("RGBA")
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageRefused(f"{file} can't be read as an image ({error}). PNG, JPEG and WebP can.") from error


def is_other_shape(image: Image.Image) -> bool:
    """Tell whether an image would be stretched to fit the zone."""
    return abs(image.width / image.height / ASPECT - 1) > ASPECT_TOLERANCE


def last_zoom(image: Image.Image) -> int:
    """Return the zoom at which the map first shows all that an image holds."""
    times = max(image.width / ZONE_SIZE[0], image.height / ZONE_SIZE[1])
    return min(max(math.ceil(math.log2(times)), FIRST_ZOOM), LAST_ZOOM)


def tile_count(zoom: int) -> int:
    """Return how many tiles there are from the first zoom up to one."""
    return sum(
        math.ceil(ZONE_SIZE[0] * 2**level / TILE) * math.ceil(ZONE_SIZE[1] * 2**level / TILE)
        for level in range(FIRST_ZOOM, zoom + 1)
    )


def store(image: Image.Image, locale: str, zone: int, floor: int) -> ZoneImage:
    """Cut an image into tiles and show it from now on; versions shown before are removed."""
    made = ZoneImage(hashlib.sha256(f"{image.size}".encode() + image.tobytes()).hexdigest()[:16], last_zoom(image))
    place = folder(locale, zone, floor)
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cutting-", dir=place) as unfinished:
        cut = Path(unfinished) / made.version
        for zoom in range(FIRST_ZOOM, made.zoom + 1):
            _cut(image, zoom, cut / str(zoom))
        if not (place / made.version).exists():
            cut.rename(place / made.version)
        pointer = Path(unfinished) / "current.json"
        pointer.write_text(json.dumps({"version": made.version, "zoom": made.zoom}), encoding="utf-8")
        pointer.replace(place / "current.json")
    for other in place.iterdir():
        if other.is_dir() and other.name != made.version:
            shutil.rmtree(other)
    return made


def remove(locale: str, zone: int, floor: int) -> bool:
    """Show no image of a zone's floor any more; returns whether there was one."""
    place = folder(locale, zone, floor)
    existed = (place / "current.json").exists()
    shutil.rmtree(place, ignore_errors=True)
    return existed


def _cut(image: Image.Image, zoom: int, into: Path) -> None:
    """Write the tiles of one zoom, those at the right and lower edge padded with nothing."""
    into.mkdir(parents=True)
    size = (ZONE_SIZE[0] * 2**zoom, ZONE_SIZE[1] * 2**zoom)
    sized = image.resize(size, Image.Resampling.LANCZOS)
    for row in range(math.ceil(size[1] / TILE)):
        for column in range(math.ceil(size[0] / TILE)):
            left, top = column * TILE, row * TILE
            part = sized.crop((left, top, left + TILE, top + TILE))
            part.save(into / f"{column}-{row}.webp", "WEBP", quality=QUALITY)
