"""Where players have walked, as a sheet of contours. Pure: packed coordinates in, levels out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maps.coordinates import Y_BITS, Y_MASK, Ints

#: Cells of the sheet across and down, before it is drawn finer: squares on a map three wide to two high.
ACROSS, DOWN = 300, 200

#: Tenths of a percent along either side of a zone's map; both 0 and 1000 occur.
TENTHS = 1000

#: Half the width of a pass of smoothing in cells. Three passes of a moving mean are close to a normal curve.
REACH = 4
PASSES = 3

#: Bands of the sheet, each walked so many times as much as the one around it.
BANDS = 6
BAND_RATIO = 2.5

Grid = NDArray[np.float64]
FineGrid = NDArray[np.float32]


def walked(xy: Ints, sightings: Ints) -> Grid:
    """Return how much each part of a zone was walked: `DOWN` rows of `ACROSS` shares of the most, 0 to 1.

    Takes the packed coordinates of everything in the zone (they are the player's) and how often each was noted.
    """
    if not len(xy):
        return np.zeros((DOWN, ACROSS))
    column = np.minimum((xy >> Y_BITS) * ACROSS // TENTHS, ACROSS - 1)
    row = np.minimum((xy & Y_MASK) * DOWN // TENTHS, DOWN - 1)
    # The root: a hundred sightings at one creature don't make its place a hundred times as much walked.
    counted = np.bincount(row * ACROSS + column, np.sqrt(sightings), minlength=DOWN * ACROSS)
    smooth = _smooth(_smooth(counted.reshape(DOWN, ACROSS).astype(np.float64)).T).T
    share: Grid = smooth / smooth.max()
    return share


def bands(share: Grid | FineGrid) -> NDArray[np.uint8]:
    """Return the band of each share: 0 where (next to) nobody was, `BANDS` where most were."""
    band = np.zeros(share.shape, dtype=np.uint8)
    for least in BAND_RATIO ** np.arange(-BANDS, 0.0):
        # Compared at the shares' own precision: a logarithm of each pixel takes ten times as long.
        band += share > share.dtype.type(least)
    return band


def _smooth(grid: Grid) -> Grid:
    """Return the moving mean along the rows, nothing lying beyond their ends."""
    for _ in range(PASSES):
        padded = np.pad(grid, ((0, 0), (REACH + 1, REACH)))
        summed = padded.cumsum(axis=1)
        grid = np.maximum(summed[:, 2 * REACH + 1 :] - summed[:, : -2 * REACH - 1], 0) / (2 * REACH + 1)
    return grid
