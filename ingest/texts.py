"""Coordinate and loot texts of whole batches as arrays: each byte is looked at by numpy, none by Python.

The texts have passed the door, so `grammar` describes them: `x/y,x/y,` and `+slot#slot#+slot#`. Many
texts are laid end to end, the places of their separators are found, and the digits between them are
summed up by place value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.formats.mobmapdata import grammar

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

#: Texts are read in runs of about this size, whatever a batch holds: the arrays for a run take up to
#: sixty times as much.
RUN_BYTES = 2 << 20
_PLUS, _COMMA, _MINUS, _DOT, _SLASH, _ZERO, _NINE, _COLON, _HASH = b"+,-./09:#"
#: Room before the first byte, so that looking back from a number never leaves the buffer.
_MARGIN = b"0000"
#: Coordinates are tenths of a percent, and `y` has ten bits (`grammar.pack`).
_FULL = 1000
_Y_BITS = 10
#: An item's id and an amount of copper are below 2³¹.
_ITEM_BITS, _MAX_DIGITS = 31, 10
_ITEM_MASK = (1 << _ITEM_BITS) - 1


class Broken(ValueError):
    """A text against its grammar; `index` is its place among the texts."""

    def __init__(self, index: int, text: str) -> None:
        super().__init__(f"the text {text[:60]!r} can't be read")
        self.index = index


class Lootings(NamedTuple):
    """What loot texts hold, summed by group: arrays in step with the groups, and one entry per group and item."""

    lootings: Ints
    money_lootings: Ints
    copper: Ints
    drop_group: Ints
    drop_item: Ints
    drops: Ints


class _Run(NamedTuple):
    """Texts end to end behind a margin; `end` is where each ends, `index` which text it is."""

    buffer: Bytes
    end: Ints
    text: Ints

    def text_of(self, at: Ints) -> Ints:
        """Return which text each byte of a rising list belongs to."""
        counts = np.diff(np.searchsorted(at, self.end), prepend=0)
        return np.repeat(self.text, counts)


def coordinates(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Return for each coordinate of the texts the text's index, and the packed coordinate; raises `Broken`."""
    found = [_coordinates(run) for run in _runs(texts, ",", keep="before")]
    if any(part is None for part in found):
        raise _broken(texts, grammar.is_coordinate_list)
    parts = [part for part in found if part is not None]
    return _joined([index for index, _ in parts]), _joined([xy for _, xy in parts])


def lootings(texts: Sequence[str], group: Ints, groups: int) -> Lootings:
    """Count the lootings, money and drops of loot texts by `group`, one number below `groups` for each text.

    Raises `Broken`.
    """
    counted, with_money, copper = (np.zeros(groups, dtype=np.int64) for _ in range(3))
    drops: list[Ints] = []
    for run in _runs(texts, "+", keep="behind"):
        slots = _slots(run)
        if slots is None:
            raise _broken(texts, lambda text: grammar.is_loot_text(text, 42) or grammar.is_loot_text(text, 44))
        group_of = group[run.text_of(slots.plus)]  # of each looting
        np.add.at(counted, group_of, 1)
        money = ~slots.is_item
        payer = slots.looting[money]
        np.add.at(copper, group_of[payer], slots.number[money])
        np.add.at(with_money, group_of[payer[_first_of_each(payer)]], 1)
        # A looting counts once for an item, however many slots held it.
        dropped = np.sort(slots.looting[slots.is_item] << _ITEM_BITS | slots.number[slots.is_item], kind="stable")
        dropped = dropped[_first_of_each(dropped)]
        drops.append(group_of[dropped >> _ITEM_BITS] << _ITEM_BITS | (dropped & _ITEM_MASK))
    keys = np.sort(_joined(drops), kind="stable")
    at = np.flatnonzero(_first_of_each(keys))
    keys, numbers = keys[at], np.diff(at, append=len(keys))
    return Lootings(counted, with_money, copper, keys >> _ITEM_BITS, keys & _ITEM_MASK, numbers)


def _runs(texts: Sequence[str], separator: str, *, keep: str) -> Iterator[_Run]:
    """Lay texts end to end, and cut one that is longer than a run `before` or `behind` a separator."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    if len(sizes) and sizes.max() > RUN_BYTES:
        index = [number for number, text in enumerate(texts) for _ in _cut(text, separator, keep)]
        texts = [piece for text in texts for piece in _cut(text, separator, keep)]
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        index_of = np.array(index, dtype=np.int64)
    else:
        index_of = np.arange(len(texts))
    run_of = np.cumsum(sizes) // RUN_BYTES
    bounds = [0, *(np.flatnonzero(np.diff(run_of)) + 1).tolist(), len(texts)]
    for first, last in pairwise(bounds):
        if last > first:
            # What is not ASCII is against the grammar, and stays so as a question mark.
            text = "".join(texts[first:last]).encode("ascii", "replace")
            buffer = np.frombuffer(_MARGIN + text, dtype=np.uint8)
            yield _Run(buffer, np.cumsum(sizes[first:last]) + len(_MARGIN), index_of[first:last])


def _cut(text: str, separator: str, keep: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find(separator, start + RUN_BYTES)
        if end < 0:
            end = len(text)
        elif keep == "before":
            end += 1
        yield text[start:end]
        start = end


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _first_of_each(rising: Ints) -> NDArray[np.bool_]:
    first = np.ones(len(rising), dtype=bool)
    np.not_equal(rising[1:], rising[:-1], out=first[1:])
    return first


def _broken(texts: Sequence[str], is_whole: Callable[[str], bool]) -> Broken:
    index = next((index for index, text in enumerate(texts) if not is_whole(text)), 0)
    return Broken(index, texts[index])


# --- coordinates ------------------------------------------------------------------------------------
def _coordinates(run: _Run) -> tuple[Ints, Ints] | None:
    comma = np.flatnonzero(run.buffer == _COMMA)
    slash = np.flatnonzero(run.buffer == _SLASH)
    start = np.concatenate(([len(_MARGIN)], comma[:-1] + 1)) if len(comma) else comma
    if len(slash) != len(comma) or np.any(slash <= start) or np.any(slash + 1 >= comma):
        return None
    if len(run.buffer) and (run.buffer.min() < _COMMA or run.buffer.max() > _NINE):  # only ,-./ and digits
        return None
    x, y = _tenths(run.buffer, start, slash), _tenths(run.buffer, slash + 1, comma)
    if np.any(x > _FULL) or np.any(y > _FULL) or np.any((x < 0) != (y < 0)):
        return None
    return run.text_of(comma), x << _Y_BITS | y


def _tenths(buffer: Bytes, start: Ints, end: Ints) -> Ints:
    """Return percentages with at most three digits and one decimal in tenths; `-1` is -1."""
    has_decimal = (buffer[end - 2] == _DOT) & (end - start > 2)
    whole_end = np.where(has_decimal, end - 2, end)
    tenths = np.where(has_decimal, _digit(buffer, end - 1), 0)
    for place, value in ((1, 10), (2, 100), (3, 1000)):
        at = whole_end - place
        tenths += np.where(at >= start, _digit(buffer, at) * value, 0)
    tenths[buffer[start] == _MINUS] = -1
    return tenths


def _digit(buffer: Bytes, at: Ints) -> Ints:
    return buffer[at].astype(np.int64) - _ZERO


# --- lootings ---------------------------------------------------------------------------------------
class _Slots(NamedTuple):
    """The slots of a run: `looting` counts from its first, `number` is the item's id or the copper."""

    plus: Ints
    looting: Ints
    is_item: NDArray[np.bool_]
    number: Ints


def _slots(run: _Run) -> _Slots | None:
    at = np.flatnonzero((run.buffer == _PLUS) | (run.buffer == _HASH) | (run.buffer == _COLON))
    separator = run.buffer[at]
    is_end = separator == _HASH
    end = at[is_end]
    is_plus = separator == _PLUS
    plus = at[is_plus]
    if len(end) and (not len(plus) or plus[0] > end[0]):
        return None
    looting = np.cumsum(is_plus)[is_end] - 1
    # A slot begins behind the last separator that is no colon, and its number ends at the next of any kind.
    bounds = np.flatnonzero(separator != _COLON)
    before = bounds[np.flatnonzero(is_end[bounds]) - 1]
    start, number_end = at[before] + 1, at[before + 1]
    if np.any(number_end <= start):
        return None
    number = _natural(run.buffer, start, number_end)
    if number is None or np.any(number > _ITEM_MASK):
        return None
    return _Slots(plus, looting, separator[before + 1] == _COLON, number)


def _natural(buffer: Bytes, start: Ints, end: Ints) -> Ints | None:
    """Return the numbers written in plain digits from `start` to `end`; None where one is none, or too long."""
    digit = _digit(buffer, end - 1)
    number, is_natural = digit, bool(np.all((digit >= 0) & (digit <= 9)))
    longer, place, value = np.flatnonzero(end - start > 1), 2, 10
    while len(longer) and is_natural:
        digit = _digit(buffer, end[longer] - place)
        is_natural = place <= _MAX_DIGITS and bool(np.all((digit >= 0) & (digit <= 9)))
        number[longer] += digit * value
        place, value = place + 1, value * 10
        longer = longer[end[longer] - start[longer] >= place]
    return number if is_natural else None
