"""Images of a zone as PNG: contours to lay under its dots, and the preview for links to it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from colorsys import hls_to_rgb
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from maps.images.contours import Grid, bands

#: Size of the contours in pixels; coordinates are known to a thousandth of the zone.
CONTOUR_SIZE = (1200, 800)

#: The size that sites ask for to show link previews.
PREVIEW_SIZE = (1200, 630)
#: Left, top, right and bottom of the zone within the preview: three wide to two high.
PREVIEW_MAP = (150, 15, 1050, 615)

#: The contours are of one color with varying opacity, so that they suit a light and a dark background.
EARTH = (122, 92, 40)
BAND_OPACITY = (0, 26, 46, 66, 86, 108, 130)
LINE_OPACITY = 150
OPACITY_STEP = 6
STEP_OF_OPACITY = (np.arange(LINE_OPACITY + 1) / OPACITY_STEP).round().astype(np.uint8)

MARGIN, BACKGROUND, GRID_LINE, FRAME = (243, 236, 220), (251, 247, 236), (211, 199, 170), (125, 118, 95)
DOT_RADIUS = 5
#: Images are drawn larger and then reduced, which smooths the edges.
OVERSAMPLING = 2
COLORS = 200

#: The golden angle as a share of the circle, as in the page's `colors.js`.
GOLDEN = 137.508 / 360
FIRST_HUE = 20 / 360


def contour_image(density: Grid) -> bytes:
    """Return the contours of a zone as a PNG with transparency, about 10 to 40 kB."""
    width, height = CONTOUR_SIZE
    fine = _opacity(density, (width * OVERSAMPLING, height * OVERSAMPLING))
    total = np.zeros((height, width), dtype=np.uint16)
    for part in np.ndindex(OVERSAMPLING, OVERSAMPLING):
        total += fine[part[0] :: OVERSAMPLING, part[1] :: OVERSAMPLING]
    # Few steps of opacity make a small file, and edges still look smooth.
    step = STEP_OF_OPACITY[total // OVERSAMPLING**2]
    image = Image.fromarray(step)
    opacities = range(0, LINE_OPACITY + OPACITY_STEP, OPACITY_STEP)
    image.putpalette(bytes(EARTH) * len(opacities))
    return _png(image, transparency=bytes(opacities))


def preview(density: Grid, dots: Iterable[tuple[int, float, float, bool]]) -> bytes:
    """Return the preview of a zone as PNG: its contours, and dots `(rank, x, y, confirmed)` in percent.

    `rank` is the creature's position in the zone's list, which determines its color.
    """
    left, top, right, bottom = (edge * OVERSAMPLING for edge in PREVIEW_MAP)
    size = (PREVIEW_SIZE[0] * OVERSAMPLING, PREVIEW_SIZE[1] * OVERSAMPLING)
    image = Image.new("RGB", size, MARGIN)
    draw = ImageDraw.Draw(image)
    draw.rectangle((left, top, right, bottom), fill=BACKGROUND)
    for tenth in range(1, 10):
        x, y = left + (right - left) * tenth / 10, top + (bottom - top) * tenth / 10
        draw.line((x, top, x, bottom), GRID_LINE, OVERSAMPLING)
        draw.line((left, y, right, y), GRID_LINE, OVERSAMPLING)
    image.paste(EARTH, (left, top), Image.fromarray(_opacity(density, (right - left, bottom - top))))
    draw.rectangle((left, top, right, bottom), outline=FRAME, width=3 * OVERSAMPLING)
    radius = DOT_RADIUS * OVERSAMPLING
    for rank, x_pct, y_pct, confirmed in dots:
        x, y = left + (right - left) * x_pct / 100, top + (bottom - top) * y_pct / 100
        box, color = (x - radius, y - radius, x + radius, y + radius), _color(rank)
        if confirmed:
            draw.ellipse(box, fill=color, outline=BACKGROUND, width=OVERSAMPLING)
        else:
            draw.ellipse(box, outline=color, width=OVERSAMPLING + 1)
    # A palette reduces it to a third of the size.
    return _png(image.resize(PREVIEW_SIZE, Image.Resampling.BOX).quantize(COLORS, dither=Image.Dither.NONE))


def _opacity(density: Grid, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the opacity of each pixel: that of its band, and the highest at the edges of bands."""
    # Interpolated first and divided into bands afterwards: the other way around the contours would have steps.
    fine = Image.fromarray(density.astype(np.float32)).resize(size, Image.Resampling.BICUBIC)
    levels = bands(np.asarray(fine))
    line = np.zeros(levels.shape, dtype=bool)
    for this, other in ((np.s_[:-1], np.s_[1:]), (np.s_[:, :-1], np.s_[:, 1:])):
        ends = levels[this] != levels[other]
        # On both sides: two pixels here become one when the image is reduced.
        line[this] |= ends
        line[other] |= ends
    opacity = np.array(BAND_OPACITY, dtype=np.uint8)[levels]
    opacity[line] = LINE_OPACITY
    return opacity


def _color(rank: int) -> tuple[int, int, int]:
    red, green, blue = hls_to_rgb((FIRST_HUE + rank * GOLDEN) % 1, 0.42, 0.7)
    return round(red * 255), round(green * 255), round(blue * 255)


def _png(image: Image.Image, **options: object) -> bytes:
    written = BytesIO()
    image.save(written, "PNG", **options)
    return written.getvalue()
