"""PostgreSQL's binary COPY for rows of integers and arrays of integers, to and from numpy.

Whole columns are converted at once; only slices of them are touched row by row, so that a packed row
of thousands of coordinates costs as much as one of two. The format is the one described under COPY,
"Binary Format", in PostgreSQL's documentation.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_END = struct.pack(">h", -1)
#: Object ids of PostgreSQL's own types by size in bytes: int4, int8.
_OID = {4: 23, 8: 20}
#: As each element lies in an array: its length before it.
_ELEMENT = {4: np.dtype([("size", ">i4"), ("value", ">i4")]), 8: np.dtype([("size", ">i4"), ("value", ">i8")])}
_ARRAY = struct.Struct(">iiiIii")  # length of the field, dimensions, nulls, type, elements, first subscript
_EMPTY_ARRAY = {size: struct.pack(">iiiI", 12, 0, 0, oid) for size, oid in _OID.items()}
_CHUNK_BYTES = 1 << 18


@dataclass(frozen=True)
class Scalars:
    """A column of integers, `size` bytes each (4 or 8)."""

    values: Ints
    size: int = 4


@dataclass(frozen=True)
class Arrays:
    """A column of arrays: row i holds `values[end[i - 1]:end[i]]`, `size` bytes each (4 or 8)."""

    values: Ints
    end: Ints
    size: int = 4


def encode(columns: Sequence[Scalars | Arrays]) -> Iterator[bytes]:
    """Yield what COPY FROM STDIN (FORMAT BINARY) takes, in chunks of some 256 KiB."""
    fields = [_scalar_fields(column) if isinstance(column, Scalars) else _array_fields(column) for column in columns]
    head = struct.pack(">h", len(columns))
    chunk, size = [_SIGNATURE], 0
    for row in zip(*fields, strict=True):
        chunk += (head, *row)
        size += sum(map(len, row))
        if size > _CHUNK_BYTES:
            yield b"".join(chunk)
            chunk, size = [], 0
    yield b"".join([*chunk, _END])


def _scalar_fields(column: Scalars) -> Iterator[bytes]:
    elements = _elements(column)
    width = 4 + column.size
    return (elements[at : at + width] for at in range(0, len(elements), width))


def _array_fields(column: Arrays) -> Iterator[bytes]:
    elements = _elements(column)
    width, oid = 4 + column.size, _OID[column.size]
    start = 0
    for end in column.end.tolist():
        count = end - start
        if count:
            head = _ARRAY.pack(20 + count * width, 1, 0, oid, count, 1)
            yield head + elements[start * width : end * width]
        else:
            yield _EMPTY_ARRAY[column.size]
        start = end


def _elements(column: Scalars | Arrays) -> bytes:
    elements = np.empty(len(column.values), dtype=_ELEMENT[column.size])
    elements["size"] = column.size
    elements["value"] = column.values
    return elements.tobytes()


def decode(data: Iterable[Any], sizes: Sequence[int], arrays: Sequence[bool]) -> list[tuple[Ints, Ints]]:
    """Read what COPY TO STDOUT (FORMAT BINARY) gives, without nulls.

    `sizes` and `arrays` say of each column how many bytes its integers have, and whether it holds arrays.
    Returns for each column its values end to end, and how many each row has.
    """
    buffer = b"".join(data)
    values: list[list[Any]] = [[] for _ in sizes]
    counts: list[list[int]] = [[] for _ in sizes]
    at = len(_SIGNATURE)
    columns = list(zip(sizes, arrays, values, counts, strict=True))
    while buffer[at : at + 2] != _END:
        at += 2
        for size, is_array, column, count in columns:
            if not is_array:
                column.append(int.from_bytes(buffer[at + 4 : at + 4 + size], "big", signed=True))
                count.append(1)
                at += 4 + size
                continue
            length, dimensions = struct.unpack_from(">ii", buffer, at)
            elements = struct.unpack_from(">i", buffer, at + 16)[0] if dimensions else 0
            if elements:
                column.append(np.frombuffer(buffer, _ELEMENT[size], elements, at + 24)["value"])
            count.append(elements)
            at += 4 + length
    return [
        (_joined(column) if is_array else np.array(column, dtype=np.int64), np.array(count, dtype=np.int64))
        for _, is_array, column, count in columns
    ]


def _joined(parts: list[Any]) -> Ints:
    return np.concatenate(parts).astype(np.int64) if parts else np.empty(0, dtype=np.int64)
