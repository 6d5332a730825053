"""Loot texts of whole batches, and those coordinates that were not read in C, as arrays: Python looks at no byte.

The texts have passed the door, so `grammar` describes them: `x/y,x/y,` and `+slot#slot#+slot#`. Many
texts are laid end to end, the places of their separators are found, and the digits between them are
summed up by place value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.formats.mobmapdata import grammar

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
#: uint64; numpy's types take a mask for a signed number.
Words = NDArray[np.integer[Any]]

#: Texts are read in runs of about this size, whatever a batch holds: the arrays for a run take up to
#: sixty times as much.
RUN_BYTES = 256 << 10
_PLUS, _COMMA, _DOT, _SLASH, _ZERO, _COLON, _HASH, _LAST_LETTER = b"+,./0:#z"
#: Room before the first byte and behind the last, so that two words from either never leave the buffer.
_WORD = 8
_MARGIN = 2 * _WORD
_ZEROS = int.from_bytes(b"0" * _WORD, "little")
_LAST_BYTE = 0xFF << 56
#: The word of `-1`, with `0` taken off each of its bytes.
_MINUS_ONE = int.from_bytes(b"000000-1", "little") ^ _ZEROS
_LONGEST_PERCENTAGE = len("100.0")
#: Coordinates are tenths of a percent, and `y` has ten bits (`grammar.pack`).
_FULL = 1000
_Y_BITS = 10
#: An item's id and an amount of copper are below 2³¹.
_ITEM_BITS = 31
_ITEM_MASK = (1 << _ITEM_BITS) - 1


class Broken(ValueError):
    """A text against its grammar; `index` is its place among the texts."""

    def __init__(self, index: int, text: str) -> None:
        super().__init__(f"the text {text[:60]!r} can't be read")
        self.index = index


class Disagreement(Exception):
    """Texts can't be read in which the grammar finds no fault; which of them it is can't be told."""

    def __init__(self, texts: int) -> None:
        super().__init__(
            f"One of {texts:,} texts can't be read, and by the grammar there is no fault in any. Reader and grammar "
            "disagree, which is a fault of this software and of no upload: report it with the release in use."
        )


class Lootings(NamedTuple):
    """What loot texts hold, summed by group: arrays in step with the groups, and one entry per group and item."""

    lootings: Ints
    money_lootings: Ints
    copper: Ints
    drop_group: Ints
    drop_item: Ints
    drops: Ints


class _Run(NamedTuple):
    """Texts, none of them empty, end to end between margins; `end` is where each ends, `index` which text it is."""

    buffer: Bytes
    end: Ints
    text: Ints

    def text_of(self, at: Ints) -> Ints:
        """Return which text each byte of a rising list belongs to."""
        counts = np.diff(np.searchsorted(at, self.end), prepend=0)
        return np.repeat(self.text, counts)

    def all_begin_with(self, byte: int) -> bool:
        return bool(np.all(self.buffer[np.concatenate(([_MARGIN], self.end[:-1]))] == byte))

    def all_end_with(self, *one_of: int) -> bool:
        last = self.buffer[self.end - 1]
        return bool(np.all(np.logical_or.reduce([last == byte for byte in one_of])))


def coordinates(texts: Sequence[bytes]) -> tuple[Ints, Ints]:
    """Return for each coordinate of the texts the text's index, and the packed coordinate.

    Raises `Broken`, or `Disagreement`.
    """
    found = [_coordinates(run) for run in _runs(texts, b",", keep="before")]
    if any(part is None for part in found):
        raise _fault(texts, grammar.is_coordinate_list)
    parts = [part for part in found if part is not None]
    return concatenated([index for index, _ in parts]), concatenated([xy for _, xy in parts])


def lootings(texts: Sequence[bytes], group: Ints, groups: int) -> Lootings:
    """Count the lootings, money and drops of loot texts by `group`, one number below `groups` for each text.

    Raises `Broken`, or `Disagreement`.
    """
    counted, with_money, copper = (np.zeros(groups, dtype=np.int64) for _ in range(3))
    drops: list[Ints] = []
    for run in _runs(texts, b"+", keep="behind"):
        slots = _slots(run)
        if slots is None:
            raise _fault(texts, lambda text: grammar.is_loot_text(text, 42) or grammar.is_loot_text(text, 44))
        group_of = group[run.text_of(slots.plus)]  # of each looting
        np.add.at(counted, group_of, 1)
        money = ~slots.is_item
        payer = slots.looting[money]
        np.add.at(copper, group_of[payer], slots.number[money])
        np.add.at(with_money, group_of[payer[first_of_each(payer)]], 1)
        # A looting counts once for an item, however many slots held it.
        dropped = np.sort(slots.looting[slots.is_item] << _ITEM_BITS | slots.number[slots.is_item], kind="stable")
        dropped = dropped[first_of_each(dropped)]
        drops.append(group_of[dropped >> _ITEM_BITS] << _ITEM_BITS | (dropped & _ITEM_MASK))
    keys = np.sort(concatenated(drops))
    at = np.flatnonzero(first_of_each(keys))
    keys, numbers = keys[at], np.diff(at, append=len(keys))
    return Lootings(counted, with_money, copper, keys >> _ITEM_BITS, keys & _ITEM_MASK, numbers)


def _runs(texts: Sequence[bytes], separator: bytes, *, keep: str) -> Iterator[_Run]:
    """Lay texts end to end, and cut one that is longer than a run `before` or `behind` a separator."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    index_of = np.arange(len(texts))
    if len(sizes) and (sizes.min() == 0 or sizes.max() > RUN_BYTES):
        pieces = [(number, piece) for number, text in enumerate(texts) for piece in _cut(text, separator, keep)]
        index_of = np.array([number for number, _ in pieces], dtype=np.int64)
        texts = [piece for _, piece in pieces]
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    run_of = np.cumsum(sizes) // RUN_BYTES
    bounds = [0, *(np.flatnonzero(np.diff(run_of)) + 1).tolist(), len(texts)]
    margin = bytes(_MARGIN)
    for first, last in pairwise(bounds):
        if last > first:
            buffer = np.frombuffer(b"".join([margin, *texts[first:last], margin]), dtype=np.uint8)
            yield _Run(buffer, np.cumsum(sizes[first:last]) + _MARGIN, index_of[first:last])


def _cut(text: bytes, separator: bytes, keep: str) -> Iterator[bytes]:
    start = 0
    while start < len(text):
        end = text.find(separator, start + RUN_BYTES)
        if end < 0:
            end = len(text)
        elif keep == "before":
            end += 1
        yield text[start:end]
        start = end


def concatenated(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def first_of_each(rising: Ints) -> NDArray[np.bool_]:
    first = np.ones(len(rising), dtype=bool)
    np.not_equal(rising[1:], rising[:-1], out=first[1:])
    return first


def _fault(texts: Sequence[bytes], is_whole: Callable[[str], bool]) -> Broken | Disagreement:
    for index, text in enumerate(texts):
        if not is_whole(shown := text.decode("utf-8", "replace")):
            return Broken(index, shown)
    return Disagreement(len(texts))


# --- coordinates ------------------------------------------------------------------------------------
def _coordinates(run: _Run) -> tuple[Ints, Ints] | None:
    comma = np.flatnonzero(run.buffer == _COMMA)
    slash = np.flatnonzero(run.buffer == _SLASH)
    start = np.concatenate(([_MARGIN], comma[:-1] + 1)) if len(comma) else comma
    if not run.all_end_with(_COMMA) or len(slash) != len(comma) or np.any(slash < start) or np.any(slash > comma):
        return None
    x, y = _tenths(run.buffer, start, slash), _tenths(run.buffer, slash + 1, comma)
    if x is None or y is None or np.any(x > _FULL) or np.any(y > _FULL) or np.any((x < 0) != (y < 0)):
        return None
    return run.text_of(comma), x << _Y_BITS | y


def _tenths(buffer: Bytes, start: Ints, end: Ints) -> Ints | None:
    """Return percentages with at most three digits and one decimal in tenths; `-1` is -1, None is for anything else."""
    length = end - start
    if len(length) and (length.min() < 1 or length.max() > _LONGEST_PERCENTAGE):
        return None
    outside = (_WORD - length.view(np.uint64)) << 3
    word = (_words(buffer, end - _WORD) ^ _ZEROS) >> outside << outside
    is_unknown = (word == _MINUS_ONE) & (length == len("-1"))
    has_decimal = ((word >> 48 & 0xFF == _DOT ^ _ZERO) & (length > 2)).astype(np.uint64)
    # The decimal stays the last digit, where there is none it is 0; before it the whole percents, without the dot.
    word = word << (has_decimal << 4) >> 8 | (word & _LAST_BYTE) * has_decimal
    if np.count_nonzero(_above_nine(word)) > np.count_nonzero(is_unknown):
        return None
    tenths = _sum(word)
    tenths[is_unknown] = -1
    return tenths


# --- lootings ---------------------------------------------------------------------------------------
class _Slots(NamedTuple):
    """The slots of a run: `looting` counts from its first, `number` is the item's id or the copper."""

    plus: Ints
    looting: Ints
    is_item: NDArray[np.bool_]
    number: Ints


def _slots(run: _Run) -> _Slots | None:
    at = np.flatnonzero((run.buffer == _PLUS) | (run.buffer == _HASH))
    is_end = run.buffer[at] == _HASH
    written = run.buffer[_MARGIN:-_MARGIN]
    if written.min() < _HASH or written.max() > _LAST_LETTER:  # the lowest and the highest byte that may stand here
        return None
    if not run.all_begin_with(_PLUS) or not run.all_end_with(_PLUS, _HASH):
        return None
    ends = np.flatnonzero(is_end)
    start = at[ends - 1] + 1  # no text begins with a slot's end
    number, length = _naturals(run.buffer, start)
    behind = run.buffer[start + length]
    is_item = behind == _COLON
    if np.any(length == 0) or np.any(number > _ITEM_MASK) or not np.all(is_item | (behind == _HASH)):
        return None
    return _Slots(at[~is_end], ends - np.arange(1, len(ends) + 1), is_item, number)


def _naturals(buffer: Bytes, start: Ints) -> tuple[Ints, Ints]:
    """Return the numbers in plain digits that begin at each position, and of how many digits.

    One of more than ten is 2³² and none.
    """
    number, length = _up_to_eight_digits(buffer, start)
    longer = np.flatnonzero(length == _WORD)
    if len(longer):
        rest, further = _up_to_eight_digits(buffer, start[longer] + _WORD)
        number[longer] = np.where(further > 2, 1 << 32, number[longer] * 10 ** np.minimum(further, 2) + rest)
        length[longer] += further
    return number, length


def _up_to_eight_digits(buffer: Bytes, start: Ints) -> tuple[Ints, Ints]:
    word = _words(buffer, start) ^ _ZEROS
    beyond = _above_nine(word)
    # All bits below the lowest byte that is no digit, eight for each digit.
    bits = np.bitwise_count(((beyond & (~beyond + 1)) >> 7) - 1)
    return _sum(word << (64 - bits)), (bits >> 3).astype(np.int64)


# --- eight bytes at once ----------------------------------------------------------------------------
def _words(buffer: Bytes, at: Ints) -> Words:
    """Return the eight bytes from each position on as numbers: the first byte is the lowest."""
    return np.ndarray(len(buffer) - _WORD + 1, dtype="<u8", buffer=buffer, strides=(1,))[at]


def _above_nine(word: Words) -> Words:
    """Return the highest bit of each byte above nine."""
    return (((word & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676) | word) & 0x8080808080808080


def _sum(word: Words) -> Ints:
    """Return the number whose decimal digits are the word's bytes, the last digit the highest byte."""
    word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FF
    word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFF
    return ((word * 10_000 + (word >> 32)) & 0xFFFFFFFF).view(np.int64)
