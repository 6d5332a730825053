"""Pictures of a zone as PNG: the ground under its dots, and the preview that links to it show."""

from __future__ import annotations

from collections.abc import Iterable
from colorsys import hls_to_rgb
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from maps.images.contours import Grid, bands

#: The ground's size in pixels; positions are known to a thousandth of the zone.
GROUND_SIZE = (1200, 800)

#: What sites that show link previews ask for.
PREVIEW_SIZE = (1200, 630)
#: The zone within the preview: three wide to two high.
PREVIEW_MAP = (150, 15, 1050, 615)

#: The ground's colour is one with opacity, so that it lies on light and on dark paper.
EARTH = (122, 92, 40)
BAND_OPACITY = (0, 26, 46, 66, 86, 108, 130)
LINE_OPACITY = 150
OPACITY_STEP = 6
STEP_OF_OPACITY = (np.arange(LINE_OPACITY + 1) / OPACITY_STEP).round().astype(np.uint8)

PAPER, SHEET, RULE, FRAME = (243, 236, 220), (251, 247, 236), (211, 199, 170), (125, 118, 95)
DOT_RADIUS = 5
#: Pictures are drawn larger and then made smaller: smooth edges.
FINER = 2
COLOURS = 200

#: The golden angle as a share of the circle, as in the page's `colors.js`.
GOLDEN = 137.508 / 360
FIRST_HUE = 20 / 360


def ground(walked: Grid) -> bytes:
    """Return the contours of a zone's ground as a PNG with transparency, some ten to forty kilobytes."""
    across, down = GROUND_SIZE
    fine = _opacity(walked, (across * FINER, down * FINER))
    total = np.zeros((down, across), dtype=np.uint16)
    for part in np.ndindex(FINER, FINER):
        total += fine[part[0] :: FINER, part[1] :: FINER]
    # Few steps of opacity make a small file; the eye sees smooth edges, near by as well.
    step = STEP_OF_OPACITY[total // FINER**2]
    picture = Image.fromarray(step)
    opacities = range(0, LINE_OPACITY + OPACITY_STEP, OPACITY_STEP)
    picture.putpalette(bytes(EARTH) * len(opacities))
    return _png(picture, transparency=bytes(opacities))


def preview(walked: Grid, dots: Iterable[tuple[int, float, float, bool]]) -> bytes:
    """Return a picture of the zone for links to it: its ground, and dots `(rank, x, y, confirmed)` in percent.

    `rank` is the creature's place in the zone's list, which gives it its colour.
    """
    left, top, right, bottom = (edge * FINER for edge in PREVIEW_MAP)
    size = (PREVIEW_SIZE[0] * FINER, PREVIEW_SIZE[1] * FINER)
    picture = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((left, top, right, bottom), fill=SHEET)
    for tenth in range(1, 10):
        x, y = left + (right - left) * tenth / 10, top + (bottom - top) * tenth / 10
        draw.line((x, top, x, bottom), RULE, FINER)
        draw.line((left, y, right, y), RULE, FINER)
    picture.paste(EARTH, (left, top), Image.fromarray(_opacity(walked, (right - left, bottom - top))))
    draw.rectangle((left, top, right, bottom), outline=FRAME, width=3 * FINER)
    radius = DOT_RADIUS * FINER
    for rank, x_pct, y_pct, confirmed in dots:
        x, y = left + (right - left) * x_pct / 100, top + (bottom - top) * y_pct / 100
        box, colour = (x - radius, y - radius, x + radius, y + radius), _colour(rank)
        if confirmed:
            draw.ellipse(box, fill=colour, outline=SHEET, width=FINER)
        else:
            draw.ellipse(box, outline=colour, width=FINER + 1)
    # A palette makes it a third of the size.
    return _png(picture.resize(PREVIEW_SIZE, Image.Resampling.BOX).quantize(COLOURS, dither=Image.Dither.NONE))


def _opacity(walked: Grid, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return how thickly each pixel is covered with earth: by its band, and most where a band ends."""
    # Smoothed cells first and bands then: the other way round the contours would have steps.
    fine = Image.fromarray(walked.astype(np.float32)).resize(size, Image.Resampling.BICUBIC)
    levels = bands(np.asarray(fine))
    line = np.zeros(levels.shape, dtype=bool)
    for this, other in ((np.s_[:-1], np.s_[1:]), (np.s_[:, :-1], np.s_[:, 1:])):
        ends = levels[this] != levels[other]
        # On both sides: two pixels here are one when the picture is made smaller.
        line[this] |= ends
        line[other] |= ends
    opacity = np.array(BAND_OPACITY, dtype=np.uint8)[levels]
    opacity[line] = LINE_OPACITY
    return opacity


def _colour(rank: int) -> tuple[int, int, int]:
    red, green, blue = hls_to_rgb((FIRST_HUE + rank * GOLDEN) % 1, 0.42, 0.7)
    return round(red * 255), round(green * 255), round(blue * 255)


def _png(picture: Image.Image, **options: object) -> bytes:
    written = BytesIO()
    picture.save(written, "PNG", **options)
    return written.getvalue()
