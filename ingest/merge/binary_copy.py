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
_COUNT = struct.Struct(">i")
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


@dataclass(frozen=True)
class Blobs:
    """A column of bytes: row i holds the elements from `end[i - 1]` to `end[i]`.

    An element is one integer of each of the columns, one after the other, `size` bytes each (4 or 8), the
    highest first, as PostgreSQL's `int4send` and `int8send` write them.
    """

    columns: Sequence[Ints]
    end: Ints
    size: int = 4


def encode(columns: Sequence[Scalars | Arrays | Blobs]) -> Iterator[bytes]:
    """Yield what COPY FROM STDIN (FORMAT BINARY) takes, in chunks of some 256 KiB."""
    fields = [_fields(column) for column in columns]
    head = struct.pack(">h", len(columns))
    chunk, size = [_SIGNATURE], 0
    for row in zip(*fields, strict=True):
        chunk += (head, *row)
        size += sum(map(len, row))
        if size > _CHUNK_BYTES:
            yield b"".join(chunk)
            chunk, size = [], 0
    yield b"".join([*chunk, _END])


def _fields(column: Scalars | Arrays | Blobs) -> Iterator[bytes]:
    if isinstance(column, Scalars):
        return _scalar_fields(column)
    return _array_fields(column) if isinstance(column, Arrays) else _blob_fields(column)


def _blob_fields(column: Blobs) -> Iterator[bytes]:
    elements = np.empty((len(column.columns[0]), len(column.columns)), dtype=_integer(column.size))
    for at, values in enumerate(column.columns):
        elements[:, at] = values
    whole, width = elements.tobytes(), elements.itemsize * elements.shape[1]
    start = 0
    for end in (column.end * width).tolist():
        yield _COUNT.pack(end - start) + whole[start:end]
        start = end


def blobs(column: tuple[Ints, Ints], width: int) -> tuple[Ints, Ints]:
    """Return the columns of the elements, `width` integers each, that blobs hold, and how many each blob has."""
    values, counts = column
    return values.reshape(-1, width).T, counts // width


def _integer(size: int) -> str:
    return f">i{size}"


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


def decode(data: Iterable[Any], columns: Sequence[tuple[type, int]]) -> list[tuple[Ints, Ints]]:
    """Read what COPY TO STDOUT (FORMAT BINARY) gives, without nulls.

    `columns` are the kind of each (`Scalars`, `Arrays` or `Blobs`), and how many bytes its integers have.
    Returns for each column its values end to end, and how many each row has.
    """
    (whole,) = decode_in_parts([b"".join(data)], columns)
    return whole


def decode_in_parts(
    data: Iterable[Any], columns: Sequence[tuple[type, int]], part_bytes: int = 0
) -> Iterator[list[tuple[Ints, Ints]]]:
    """Yield the same in parts of so many bytes and a row; `data` must come in whole rows, as from the server."""
    parts: list[bytes] = []
    size, start = 0, len(_SIGNATURE)
    for rows in data:
        parts.append(rows)
        size += len(rows)
        if size > part_bytes:
            yield _decode_rows(b"".join(parts), start, columns)
            parts, size, start = [], 0, 0
    if parts:
        yield _decode_rows(b"".join(parts), start, columns)


def _decode_rows(buffer: bytes, at: int, columns: Sequence[tuple[type, int]]) -> list[tuple[Ints, Ints]]:
    values: list[list[Any]] = [[] for _ in columns]
    counts: list[list[int]] = [[] for _ in columns]
    fields = [
        (kind, size, *lists) for (kind, size), lists in zip(columns, zip(values, counts, strict=True), strict=True)
    ]
    while at < len(buffer) and buffer[at : at + 2] != _END:
        at += 2
        for kind, size, column, count in fields:
            length = int.from_bytes(buffer[at : at + 4], "big")
            if kind is Scalars:
                column.append(int.from_bytes(buffer[at + 4 : at + 4 + size], "big", signed=True))
                count.append(1)
            elif kind is Blobs:
                column.append(np.frombuffer(buffer, _integer(size), length // size, at + 4))
                count.append(length // size)
            elif length > len(_EMPTY_ARRAY[size]) - 4:
                (elements,) = _COUNT.unpack_from(buffer, at + 16)
                column.append(np.frombuffer(buffer, _ELEMENT[size], elements, at + 24)["value"])
                count.append(elements)
            else:
                count.append(0)
            at += 4 + length
    return [
        (np.array(column, dtype=np.int64) if kind is Scalars else _joined(column), np.array(count, dtype=np.int64))
        for kind, _, column, count in fields
    ]


def _joined(parts: list[Any]) -> Ints:
    return np.concatenate(parts).astype(np.int64) if parts else np.empty(0, dtype=np.int64)
