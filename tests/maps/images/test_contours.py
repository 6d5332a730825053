"""Contours of a zone, and the images drawn from them."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image

from maps.coordinates import pack
from maps.images import contours, drawing


def density(*seen: tuple[float, float, int]) -> contours.Grid:
    return contours.density(np.array([pack(x, y) for x, y, _ in seen]), np.array([count for *_, count in seen]))


def opacity(png: bytes, x_pct: float, y_pct: float) -> int:
    with Image.open(BytesIO(png)) as image:
        at = (int(x_pct / 100 * (image.width - 1)), int(y_pct / 100 * (image.height - 1)))
        return image.convert("RGBA").getpixel(at)[3]


def test_the_density_is_highest_at_the_most_sightings_and_zero_far_away() -> None:
    share = density((25, 50, 100), (75, 50, 4))
    rows, columns = contours.ROWS // 2, contours.COLUMNS // 4
    assert share[rows, columns] == 1
    assert 0.1 < share[rows, 3 * columns] < 0.3, "the root of a 25th"
    assert share[0].max() == 0
    bands = contours.bands(share)
    assert (bands[rows, columns], bands[0, 0]) == (contours.BANDS, 0)
    assert 0 < bands[rows, 3 * columns] < contours.BANDS


def test_the_corners_belong_to_the_map() -> None:
    share = density((0, 0, 1), (100, 100, 1), (0, 100, 1), (100, 0, 1))
    assert share.shape == (contours.ROWS, contours.COLUMNS)
    corners = [share[0, 0], share[0, -1], share[-1, 0], share[-1, -1]]
    # Smoothing moves some of the density at an edge outside.
    assert np.allclose(corners, corners[0]) and corners[0] > 0.4


def test_a_zone_without_positions_has_no_contours() -> None:
    share = contours.density(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert not contours.bands(share).any()


def test_contours_are_transparent_where_nobody_was() -> None:
    png = drawing.contour_image(density((25, 50, 100)))
    assert opacity(png, 25, 50) > 100
    assert opacity(png, 75, 50) == 0
    assert len(png) < 40_000


def test_the_preview_shows_dots_at_their_coordinates_and_is_small() -> None:
    png = drawing.preview(density((25, 50, 100)), [(0, 50, 50, True), (1, 75, 25, False)])
    with Image.open(BytesIO(png)) as image:
        assert image.size == drawing.PREVIEW_SIZE
        colors = image.convert("RGB")
    left, top, right, bottom = drawing.PREVIEW_MAP
    red, green, blue = colors.getpixel(((left + right) // 2, (top + bottom) // 2))
    assert red > green > blue, "the first creature's color"
    assert colors.getpixel((5, 5)) == drawing.MARGIN
    assert len(png) < 150_000
