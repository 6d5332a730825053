"""Packed coordinates, unpacked into entries, added up, taken away and packed again. Pure: arrays in, arrays out.

An entry is one uploader's sightings of one coordinate: how often (`times`), and between which days. A
`Habitat` row holds the entries of its place, and per coordinate what follows from them. Because every
entry is kept, whatever was added can be taken away again, days and distinct uploaders included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: An entry's key: place << 52 | xy << 32 | uploader, so that sorted entries lie place by place.
_PLACE_SHIFT, _XY_SHIFT = 52, 32
_XY_MASK = (1 << (_PLACE_SHIFT - _XY_SHIFT)) - 1
_PAIR_MASK = (1 << _PLACE_SHIFT) - 1
_UPLOADER_MASK = (1 << _XY_SHIFT) - 1
#: Places are numbered from 0 within what is merged at once.
MAX_PLACES = 1 << 11
#: Stands in an entry's key for a sighting without a position: above every packed coordinate.
UNPLACED = _XY_MASK


class Entries(NamedTuple):
    """Arrays in step, sorted by key, each key once; days count from 1970-01-01."""

    key: Ints
    times: Ints
    first: Ints
    last: Ints

    @property
    def coordinate(self) -> Ints:
        """The place and the coordinate of each entry, as one number."""
        return self.key >> _XY_SHIFT


#: Merge function. Takes known and staged entries of a chunk (staged ones sorted, one per upload), which upload brought
#: each staged entry, and which of the chunk's habitats belong to creatures. Returns the entries to store.
Combine = Callable[[Entries, Entries, Ints, NDArray[np.bool_]], Entries]


class Packed(NamedTuple):
    """Rows of `Habitat`, place by place; the arrays of a row end where `*_end` says.

    Per coordinate: xy, sightings, uploaders, first_seen, last_seen. Per coordinate and uploader: seen_by
    (`xy << 32 | uploader`), seen_times, seen_first, seen_last. Per uploader without a position:
    unplaced_by, unplaced_times, unplaced_last. Per row: the rest.
    """

    xy: Ints
    sightings: Ints
    uploaders: Ints
    first_seen: Ints
    last_seen: Ints
    xy_end: Ints
    seen_by: Ints
    seen_times: Ints
    seen_first: Ints
    seen_last: Ints
    seen_end: Ints
    unplaced_by: Ints
    unplaced_times: Ints
    unplaced_last: Ints
    unplaced_end: Ints
    unplaced: Ints
    position_count: Ints
    sighting_count: Ints
    last_seen_day: Ints


def keys(place: Ints, xy: Ints, uploader: Ints) -> Ints:
    """Return the keys of entries; an `xy` of -1 is a sighting without a position."""
    return place << _PLACE_SHIFT | np.where(xy < 0, UNPLACED, xy) << _XY_SHIFT | uploader


def keys_of_pairs(place: Ints, seen_by: Ints) -> Ints:
    """Return the keys of entries from the pairs of `Habitat.seen_by`."""
    return place << _PLACE_SHIFT | seen_by


def entries(key: Ints, times: Ints, first: Ints, last: Ints) -> Entries:
    """Sort entries and unite those of the same key."""
    return unite(_ordered(Entries(key, times, first, last), np.argsort(key)))


def sort(key: Ints, times: Ints, first: Ints, last: Ints) -> Entries:
    """Sort entries whose keys are distinct; runs that rise already cost little."""
    return _ordered(Entries(key, times, first, last), np.argsort(key, kind="stable"))


def unite(rising: Entries) -> Entries:
    """Unite sorted entries of the same key: times add up, days are the earliest and the latest."""
    at = starts(rising.key)
    if len(at) == len(rising.key):
        return rising
    return Entries(
        rising.key[at],
        np.add.reduceat(rising.times, at),
        np.minimum.reduceat(rising.first, at),
        np.maximum.reduceat(rising.last, at),
    )


def add(known: Entries, fresh: Entries) -> Entries:
    """Return the entries of both."""
    both = Entries(*(np.concatenate(pair) for pair in zip(known, fresh, strict=True)))
    # Of two runs that rise already, the stable sort makes one in a single pass.
    return unite(_ordered(both, np.argsort(both.key, kind="stable")))


def _ordered(some: Entries, order: Ints) -> Entries:
    return Entries(*(column[order] for column in some))


def starts(rising: Ints) -> Ints:
    """Return where in a sorted list each distinct value begins."""
    begins = np.ones(len(rising), dtype=bool)
    np.not_equal(rising[1:], rising[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def take_away(known: Entries, gone: Entries) -> tuple[Entries, NDArray[np.bool_]]:
    """Return what is left of known entries without others, and for which of these the days are unsure.

    An entry that is left and loses its first or last day keeps both for now: which day comes next, only the
    documents that are left can tell. What was never known stays out of it: a document may have been read in
    another way when it was merged.
    """
    counted = is_in(gone.key, known.key)
    gone = Entries(*(column[counted] for column in gone))
    at = np.searchsorted(known.key, gone.key)
    times = known.times.copy()
    times[at] -= gone.times
    unsure = np.zeros(len(known.key), dtype=bool)
    unsure[at] = (gone.first <= known.first[at]) | (gone.last >= known.last[at])
    held = times > 0
    return Entries(known.key[held], times[held], known.first[held], known.last[held]), unsure[held]


def with_days_of(known: Entries, other: Entries) -> Entries:
    """Return known entries with the days of those others that have the same key and were seen as often."""
    at = np.flatnonzero(is_in(known.key, other.key))
    of = np.searchsorted(other.key, known.key[at])
    same = known.times[at] == other.times[of]
    first, last = known.first.copy(), known.last.copy()
    first[at[same]], last[at[same]] = other.first[of[same]], other.last[of[same]]
    return Entries(known.key, known.times, first, last)


def uploaders(some: Entries) -> Ints:
    """Return each entry's uploader."""
    return some.key & _UPLOADER_MASK


def place(some: Entries) -> Ints:
    """Return each entry's place."""
    return some.key >> _PLACE_SHIFT


def is_placed(rising: Ints) -> NDArray[np.bool_]:
    """Tell which of sorted entries have a position, by their keys."""
    return of_places(rising, np.ones(int(rising[-1] >> _PLACE_SHIFT) + 1 if len(rising) else 0, dtype=bool))


def of_places(rising: Ints, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which of sorted entries have a position at one of the chosen places, by their keys."""
    begin = np.arange(len(chosen)) << _PLACE_SHIFT
    # Place by place those with a position, then those without: found by their bounds, not looked at one by one.
    bounds = np.searchsorted(rising, np.column_stack([begin, begin | UNPLACED << _XY_SHIFT]).ravel())
    lengths = np.diff(bounds, append=len(rising))
    kinds = np.zeros(2 * len(chosen), dtype=bool)
    kinds[::2] = chosen
    return np.repeat(kinds, lengths)


def is_in(values: Ints, rising: Ints) -> NDArray[np.bool_]:
    """Tell which values are in a rising list."""
    if not len(rising):
        return np.zeros(len(values), dtype=bool)
    at = np.minimum(np.searchsorted(rising, values), len(rising) - 1)
    found: NDArray[np.bool_] = rising[at] == values
    return found


def pack(whole: Entries, places: int) -> Packed:
    """Pack entries into rows of `Habitat`, one for each of so many places."""
    placed = is_placed(whole.key)
    if placed.all():
        seen, lost = whole, Entries(*(column[:0] for column in whole))
    else:
        seen, lost = (Entries(*(column[chosen] for column in whole)) for chosen in (placed, ~placed))
    coordinate = seen.coordinate
    at = starts(coordinate)
    sightings = _reduced(np.add, seen.times, at)
    # The last key a place may have, not the first of the next one: after the last of `MAX_PLACES` there is none.
    last_keys = np.arange(places) << _PLACE_SHIFT | _PAIR_MASK
    seen_end, unplaced_end = (np.searchsorted(some.key, last_keys, side="right") for some in (seen, lost))
    xy_end = np.searchsorted(at, seen_end)
    last_seen_day = np.zeros(places, dtype=np.int64)
    np.maximum.at(last_seen_day, place(whole), whole.last)
    return Packed(
        xy=coordinate[at] & _XY_MASK,
        sightings=sightings,
        uploaders=np.diff(at, append=len(seen.key)),
        first_seen=_reduced(np.minimum, seen.first, at),
        last_seen=_reduced(np.maximum, seen.last, at),
        xy_end=xy_end,
        seen_by=seen.key & _PAIR_MASK,
        seen_times=seen.times,
        seen_first=seen.first,
        seen_last=seen.last,
        seen_end=seen_end,
        unplaced_by=lost.key & _UPLOADER_MASK,
        unplaced_times=lost.times,
        unplaced_last=lost.last,
        unplaced_end=unplaced_end,
        unplaced=_summed(lost.times, unplaced_end),
        position_count=np.diff(xy_end, prepend=0),
        sighting_count=_summed(sightings, xy_end),
        last_seen_day=last_seen_day,
    )


def _summed(values: Ints, end: Ints) -> Ints:
    """Return the sums of runs of values that end where told."""
    return np.diff(np.concatenate([[0], np.cumsum(values)])[end], prepend=0)


def _reduced(ufunc: np.ufunc, values: Ints, at: Ints) -> Ints:
    return ufunc.reduceat(values, at) if len(at) else values[:0]
