from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image

from maps.coordinates import pack
from maps.images import contours, drawing


def walked(*places: tuple[float, float, int]) -> contours.Grid:
    return contours.walked(np.array([pack(x, y) for x, y, _ in places]), np.array([count for *_, count in places]))


def opacity(png: bytes, x_pct: float, y_pct: float) -> int:
    with Image.open(BytesIO(png)) as image:
        at = (int(x_pct / 100 * (image.width - 1)), int(y_pct / 100 * (image.height - 1)))
        return image.convert("RGBA").getpixel(at)[3]


def test_ground_is_highest_where_most_was_walked_and_nothing_far_away() -> None:
    share = walked((25, 50, 100), (75, 50, 4))
    rows, columns = contours.DOWN // 2, contours.ACROSS // 4
    assert share[rows, columns] == 1
    assert 0.1 < share[rows, 3 * columns] < 0.3, "the root of a 25th"
    assert share[0].max() == 0
    bands = contours.bands(share)
    assert (bands[rows, columns], bands[0, 0]) == (contours.BANDS, 0)
    assert 0 < bands[rows, 3 * columns] < contours.BANDS


def test_the_corners_of_the_map_are_part_of_it() -> None:
    share = walked((0, 0, 1), (100, 100, 1), (0, 100, 1), (100, 0, 1))
    assert share.shape == (contours.DOWN, contours.ACROSS)
    corners = [share[0, 0], share[0, -1], share[-1, 0], share[-1, -1]]
    # Smoothing carries some of what is at an edge over it.
    assert np.allclose(corners, corners[0]) and corners[0] > 0.4


def test_a_zone_without_positions_has_flat_ground() -> None:
    share = contours.walked(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert not contours.bands(share).any()


def test_the_picture_of_the_ground_is_seen_through_where_nobody_was() -> None:
    png = drawing.ground(walked((25, 50, 100)))
    assert opacity(png, 25, 50) > 100
    assert opacity(png, 75, 50) == 0
    assert len(png) < 40_000


def test_the_preview_shows_dots_in_their_places_and_is_small() -> None:
    png = drawing.preview(walked((25, 50, 100)), [(0, 50, 50, True), (1, 75, 25, False)])
    with Image.open(BytesIO(png)) as image:
        assert image.size == drawing.PREVIEW_SIZE
        colours = image.convert("RGB")
    left, top, right, bottom = drawing.PREVIEW_MAP
    red, green, blue = colours.getpixel(((left + right) // 2, (top + bottom) // 2))
    assert red > green > blue, "the first creature's colour"
    assert colours.getpixel((5, 5)) == drawing.PAPER
    assert len(png) < 150_000
