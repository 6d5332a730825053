"""Entries: one uploader's sightings of one coordinate, added, subtracted and packed. Pure: arrays in, arrays out.

An entry says how often (`times`) and between which days. A row of `habitat` holds the entries of its habitat, and what
follows from them for each coordinate. As every entry is kept, whatever was added can be subtracted again, days and
distinct uploaders included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: The bits of an entry's key: habitat << 52 | xy << 32 | uploader. Sorted entries lie habitat by habitat.
_HABITAT_SHIFT, _XY_SHIFT = 52, 32
_XY_MASK = (1 << (_HABITAT_SHIFT - _XY_SHIFT)) - 1
_PAIR_MASK = (1 << _HABITAT_SHIFT) - 1
_UPLOADER_MASK = (1 << _XY_SHIFT) - 1
#: Habitats are numbered from 0 within a chunk; the key has bits for so many.
MAX_HABITATS = 1 << 11
#: The `xy` of an entry without a position: above every packed coordinate.
UNPLACED = _XY_MASK


class Entries(NamedTuple):
    """Arrays of equal length, sorted by key, each key once; days count from 1970-01-01."""

    key: Ints
    times: Ints
    first: Ints
    last: Ints

    @property
    def coordinate(self) -> Ints:
        """Habitat and coordinate of each entry, as one number."""
        return self.key >> _XY_SHIFT


#: A merge function. Takes the known entries of a chunk, its staged entries (sorted, one per sighting), the index of the
#: upload of each staged entry, and which of the chunk's habitats are a creature's. Returns the entries to store.
Merge = Callable[[Entries, Entries, Ints, NDArray[np.bool_]], Entries]


class Packed(NamedTuple):
    """Rows of `habitat`, concatenated; the arrays of row i end at `*_end[i]`.

    Per coordinate: xy, sightings, uploaders, first_seen, last_seen. Per coordinate and uploader: seen_by
    (`xy << 32 | uploader`), seen_times, seen_first, seen_last. Per uploader without a position: unplaced_by,
    unplaced_times, unplaced_last. Per row: the rest.
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


# --- keys -------------------------------------------------------------------------------------------
def keys(habitat: Ints, xy: Ints, uploader: Ints) -> Ints:
    """Return the keys of entries; an `xy` of -1 is a sighting without a position."""
    return habitat << _HABITAT_SHIFT | np.where(xy < 0, UNPLACED, xy) << _XY_SHIFT | uploader


def keys_of_pairs(habitat: Ints, seen_by: Ints) -> Ints:
    """Return the keys of entries from the pairs of coordinate and uploader in `Habitat.seen_by`."""
    return habitat << _HABITAT_SHIFT | seen_by


def uploaders(entries: Entries) -> Ints:
    """Return each entry's uploader."""
    return entries.key & _UPLOADER_MASK


def habitats(entries: Entries) -> Ints:
    """Return each entry's habitat."""
    return entries.key >> _HABITAT_SHIFT


def is_placed(keys: Ints) -> NDArray[np.bool_]:
    """Return which of sorted entries have a position, by their keys."""
    return of_habitats(keys, np.ones(int(keys[-1] >> _HABITAT_SHIFT) + 1 if len(keys) else 0, dtype=bool))


def of_habitats(keys: Ints, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of sorted entries have a position in one of the chosen habitats, by their keys."""
    begin = np.arange(len(chosen)) << _HABITAT_SHIFT
    # In each habitat the entries with a position come first: their bounds are searched, no entry is looked at.
    bounds = np.searchsorted(keys, np.column_stack([begin, begin | UNPLACED << _XY_SHIFT]).ravel())
    lengths = np.diff(bounds, append=len(keys))
    kinds = np.zeros(2 * len(chosen), dtype=bool)
    kinds[::2] = chosen
    return np.repeat(kinds, lengths)


# --- adding -----------------------------------------------------------------------------------------
def entries(key: Ints, times: Ints, first: Ints, last: Ints) -> Entries:
    """Sort entries and unite those with the same key."""
    return unite(_ordered(Entries(key, times, first, last), np.argsort(key)))


def sort(key: Ints, times: Ints, first: Ints, last: Ints) -> Entries:
    """Sort entries with distinct keys; sorted runs cost little."""
    return _ordered(Entries(key, times, first, last), np.argsort(key, kind="stable"))


def unite(entries: Entries) -> Entries:
    """Unite sorted entries with the same key: times add up, days are the earliest and the latest."""
    at = starts(entries.key)
    if len(at) == len(entries.key):
        return entries
    return Entries(
        entries.key[at],
        np.add.reduceat(entries.times, at),
        np.minimum.reduceat(entries.first, at),
        np.maximum.reduceat(entries.last, at),
    )


def add(known: Entries, new: Entries) -> Entries:
    """Return the united entries of both."""
    both = Entries(*(np.concatenate(pair) for pair in zip(known, new, strict=True)))
    # The stable sort merges two sorted runs in one pass.
    return unite(_ordered(both, np.argsort(both.key, kind="stable")))


def _ordered(entries: Entries, order: Ints) -> Entries:
    return Entries(*(column[order] for column in entries))


def starts(values: Ints) -> Ints:
    """Return the index at which each distinct value of a sorted array begins."""
    begins = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def is_in(values: Ints, others: Ints) -> NDArray[np.bool_]:
    """Return which values are in a sorted array of others."""
    if not len(others):
        return np.zeros(len(values), dtype=bool)
    at = np.minimum(np.searchsorted(others, values), len(others) - 1)
    found: NDArray[np.bool_] = others[at] == values
    return found


# --- subtracting ------------------------------------------------------------------------------------
def subtract(known: Entries, gone: Entries) -> tuple[Entries, NDArray[np.bool_]]:
    """Return the known entries without `gone`, and for which of them the days are ambiguous.

    An entry that stays and loses its first or its last day keeps both for now: only the remaining documents say which
    day comes next. Entries of `gone` that were never known are left out, as the document may have been read in another
    way when it was merged.
    """
    counted = is_in(gone.key, known.key)
    gone = Entries(*(column[counted] for column in gone))
    at = np.searchsorted(known.key, gone.key)
    times = known.times.copy()
    times[at] -= gone.times
    ambiguous = np.zeros(len(known.key), dtype=bool)
    ambiguous[at] = (gone.first <= known.first[at]) | (gone.last >= known.last[at])
    stays = times > 0
    return Entries(known.key[stays], times[stays], known.first[stays], known.last[stays]), ambiguous[stays]


def with_days_of(known: Entries, other: Entries) -> Entries:
    """Return known entries with the days of those other entries that have the same key and the same `times`."""
    at = np.flatnonzero(is_in(known.key, other.key))
    of = np.searchsorted(other.key, known.key[at])
    same = known.times[at] == other.times[of]
    first, last = known.first.copy(), known.last.copy()
    first[at[same]], last[at[same]] = other.first[of[same]], other.last[of[same]]
    return Entries(known.key, known.times, first, last)


# --- packing ----------------------------------------------------------------------------------------
def pack(entries: Entries, count: int) -> Packed:
    """Pack the entries of a chunk into rows of `habitat`, one for each of its `count` habitats."""
    placed = is_placed(entries.key)
    if placed.all():
        seen, lost = entries, Entries(*(column[:0] for column in entries))
    else:
        seen, lost = (Entries(*(column[chosen] for column in entries)) for chosen in (placed, ~placed))
    coordinate = seen.coordinate
    at = starts(coordinate)
    sightings = _reduced(np.add, seen.times, at)
    # The last key that a habitat may have, not the first of the next one: after the last possible habitat is none.
    last_keys = np.arange(count) << _HABITAT_SHIFT | _PAIR_MASK
    seen_end, unplaced_end = (np.searchsorted(part.key, last_keys, side="right") for part in (seen, lost))
    xy_end = np.searchsorted(at, seen_end)
    last_seen_day = np.zeros(count, dtype=np.int64)
    np.maximum.at(last_seen_day, habitats(entries), entries.last)
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
        unplaced=_sums(lost.times, unplaced_end),
        position_count=np.diff(xy_end, prepend=0),
        sighting_count=_sums(sightings, xy_end),
        last_seen_day=last_seen_day,
    )


def _sums(values: Ints, end: Ints) -> Ints:
    """Return the sums of runs of values; run i ends at `end[i]`."""
    return np.diff(np.concatenate([[0], np.cumsum(values)])[end], prepend=0)


def _reduced(ufunc: np.ufunc, values: Ints, at: Ints) -> Ints:
    return ufunc.reduceat(values, at) if len(at) else values[:0]
