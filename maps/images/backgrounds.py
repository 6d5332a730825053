"""Background images of zones, imported by an admin: cut into tiles once, then served as files.

On disk, below the setting ZONE_IMAGE_DIR: `deDE/12/0/current.json` names the current version for zone 12's
floor 0; `deDE/12/0/<version>/3/4-1.webp` is the tile in column 4 and row 1 at zoom 3. A version is named by
a hash of its content, so its tiles never change and browsers may cache them forever.
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

#: Pixels of a whole zone at zoom 0, as on the map: a percent down is one pixel, a percent across one and a half.
ZONE_SIZE = (150, 100)
ASPECT = ZONE_SIZE[0] / ZONE_SIZE[1]
TILE = 256
FIRST_ZOOM = 1
#: At zoom 5 a zone is 4800 × 3200 pixels in 247 tiles, more than a screen shows at once.
LAST_ZOOM = 5

FORMATS = ("PNG", "JPEG", "WEBP")
MAX_FILE_BYTES = 64 * 1024**2
#: A decoded image takes four bytes per pixel: at most 200 MB.
MAX_PIXELS = 50_000_000
QUALITY = 82

#: A zone's map is three wide to two high; an image whose ratio differs by more than this share is stretched.
ASPECT_TOLERANCE = 0.02


class ImageRefused(ValueError):
    """An image that can't be imported; the message says why and what is accepted."""


@dataclass(frozen=True)
class Background:
    """A background image: its version, and the largest zoom that has tiles."""

    version: str
    zoom: int


def folder(locale: str, zone: int, floor: int) -> Path:
    """Return the folder of a zone's tiles."""
    return Path(settings.ZONE_IMAGE_DIR) / locale / str(zone) / str(floor)


def find(locale: str, zone: int, floor: int) -> Background | None:
    """Return the current background of a zone's floor, or None."""
    try:
        found = json.loads((folder(locale, zone, floor) / "current.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return Background(found["version"], found["zoom"])


def tile(locale: str, zone: int, floor: int, *, version: str, zoom: int, column: int, row: int) -> Path:
    """Return the path of a tile, which may not exist. `version` must not contain slashes or dots."""
    return folder(locale, zone, floor) / version / str(zoom) / f"{column}-{row}.webp"


def opened(file: Path) -> Image.Image:
    """Return an image as RGBA, or raise `ImageRefused`. Its size is checked before it is decoded."""
    if file.stat().st_size > MAX_FILE_BYTES:
        raise ImageRefused(
            f"{file} is larger than {MAX_FILE_BYTES // 1024**2} MiB. Save it smaller, for example as WebP."
        )
    try:
        with warnings.catch_warnings():
            # The limit below is lower than the one that Pillow warns about.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(file, formats=FORMATS)
        with image:
            if image.width * image.height > MAX_PIXELS:
                raise ImageRefused(
                    f"{file} has {image.width} × {image.height} pixels, more than the limit of {MAX_PIXELS:,}. "
                    "A zone is shown with at most 4800 × 3200: reduce it to that size."
                )
            return image.convert("RGBA")
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageRefused(f"{file} can't be read as an image ({error}). PNG, JPEG and WebP are accepted.") from error


def is_other_shape(image: Image.Image) -> bool:
    """Return whether an image would be stretched to fit the zone."""
    return abs(image.width / image.height / ASPECT - 1) > ASPECT_TOLERANCE


def last_zoom(image: Image.Image) -> int:
    """Return the first zoom at which the map shows an image in full resolution."""
    times = max(image.width / ZONE_SIZE[0], image.height / ZONE_SIZE[1])
    return min(max(math.ceil(math.log2(times)), FIRST_ZOOM), LAST_ZOOM)


def tile_count(zoom: int) -> int:
    """Return the number of tiles from the first zoom up to `zoom`."""
    return sum(
        math.ceil(ZONE_SIZE[0] * 2**level / TILE) * math.ceil(ZONE_SIZE[1] * 2**level / TILE)
        for level in range(FIRST_ZOOM, zoom + 1)
    )


def store(image: Image.Image, locale: str, zone: int, floor: int) -> Background:
    """Cut an image into tiles and make it the current background; earlier versions are removed."""
    made = Background(hashlib.sha256(f"{image.size}".encode() + image.tobytes()).hexdigest()[:16], last_zoom(image))
    target = folder(locale, zone, floor)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cutting-", dir=target) as unfinished:
        cut = Path(unfinished) / made.version
        for zoom in range(FIRST_ZOOM, made.zoom + 1):
            _cut(image, zoom, cut / str(zoom))
        if not (target / made.version).exists():
            cut.rename(target / made.version)
        pointer = Path(unfinished) / "current.json"
        pointer.write_text(json.dumps({"version": made.version, "zoom": made.zoom}), encoding="utf-8")
        pointer.replace(target / "current.json")
    for other in target.iterdir():
        if other.is_dir() and other.name != made.version:
            shutil.rmtree(other)
    return made


def remove(locale: str, zone: int, floor: int) -> bool:
    """Remove the background of a zone's floor. Returns whether there was one."""
    target = folder(locale, zone, floor)
    existed = (target / "current.json").exists()
    shutil.rmtree(target, ignore_errors=True)
    return existed


def _cut(image: Image.Image, zoom: int, into: Path) -> None:
    """Write the tiles of one zoom. Tiles at the right and lower edge are padded with transparency."""
    into.mkdir(parents=True)
    size = (ZONE_SIZE[0] * 2**zoom, ZONE_SIZE[1] * 2**zoom)
    sized = image.resize(size, Image.Resampling.LANCZOS)
    for row in range(math.ceil(size[1] / TILE)):
        for column in range(math.ceil(size[0] / TILE)):
            left, top = column * TILE, row * TILE
            part = sized.crop((left, top, left + TILE, top + TILE))
            part.save(into / f"{column}-{row}.webp", "WEBP", quality=QUALITY)
