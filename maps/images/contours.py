"""Contours of where players have been in a zone. Pure: packed coordinates in, density and bands out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maps.coordinates import Y_BITS, Y_MASK, Ints

#: Columns and rows of the grid: square cells on a map three wide to two high.
COLUMNS, ROWS = 300, 200

#: Tenths of a percent along either side of a zone's map; both 0 and 1000 occur.
TENTHS = 1000

#: Half the width of the moving mean in cells. Three passes of a moving mean approximate a normal distribution.
HALF_WIDTH = 4
PASSES = 3

#: Number of bands, and the ratio of density between one band and the next.
BANDS = 6
BAND_RATIO = 2.5

Grid = NDArray[np.float64]
FineGrid = NDArray[np.float32]


def density(xy: Ints, sightings: Ints) -> Grid:
    """Return the smoothed density of players' coordinates: `ROWS` × `COLUMNS`, relative to the largest, 0 to 1.

    `xy` are the packed coordinates of all subjects in the zone, `sightings` how often each of them was listed.
    """
    if not len(xy):
        return np.zeros((ROWS, COLUMNS))
    column = np.minimum((xy >> Y_BITS) * COLUMNS // TENTHS, COLUMNS - 1)
    row = np.minimum((xy & Y_MASK) * ROWS // TENTHS, ROWS - 1)
    # The root limits the weight of a single creature with hundreds of sightings.
    counted = np.bincount(row * COLUMNS + column, np.sqrt(sightings), minlength=ROWS * COLUMNS)
    smooth = _smooth(_smooth(counted.reshape(ROWS, COLUMNS).astype(np.float64)).T).T
    relative: Grid = smooth / smooth.max()
    return relative


def bands(relative: Grid | FineGrid) -> NDArray[np.uint8]:
    """Return the band of each relative density: 0 where (almost) nobody was, `BANDS` at the densest."""
    band = np.zeros(relative.shape, dtype=np.uint8)
    for least in BAND_RATIO ** np.arange(-BANDS, 0.0):
        # Compared in the precision of the densities: a logarithm of each pixel takes ten times as long.
        band += relative > relative.dtype.type(least)
    return band


def _smooth(grid: Grid) -> Grid:
    """Return the moving mean along the rows. Cells outside the grid count as zero."""
    for _ in range(PASSES):
        padded = np.pad(grid, ((0, 0), (HALF_WIDTH + 1, HALF_WIDTH)))
        summed = padded.cumsum(axis=1)
        grid = np.maximum(summed[:, 2 * HALF_WIDTH + 1 :] - summed[:, : -2 * HALF_WIDTH - 1], 0) / (2 * HALF_WIDTH + 1)
    return grid
