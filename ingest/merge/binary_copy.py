"""Columns of integers, arrays and packed integers: from and to numpy, over psycopg's binary COPY.

Whole columns are converted at once; psycopg moves slices of them, a row at a time. So a packed row of thousands of
coordinates costs little more than one of two.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import Copy

Ints = NDArray[np.int64]

#: PostgreSQL's types of integers by their size in bytes, and their object ids.
_TYPE, _OID = {4: "int4", 8: "int8"}, {4: 23, 8: 20}
#: Each element of an array comes after its size in bytes.
_ELEMENT = {4: np.dtype([("size", ">i4"), ("value", ">i4")]), 8: np.dtype([("size", ">i4"), ("value", ">i8")])}
_ARRAY = struct.Struct(">iiIii")  # dimensions, has nulls, type of the elements, elements, first subscript
#: An array without elements has no dimension, so it ends after the type.
_EMPTY_ARRAY = {size: struct.pack(">iiI", 0, 0, oid) for size, oid in _OID.items()}


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


Column = Scalars | Arrays | Blobs
#: A kind of column, and how many bytes its integers have.
Shape = tuple[type[Column], int]


def write(copy: Copy, columns: Sequence[Column]) -> None:
    """Write all rows of the columns to a COPY FROM STDIN (FORMAT BINARY)."""
    copy.set_types(_types([(type(column), column.size) for column in columns]))
    for row in zip(*map(_fields, columns), strict=True):
        copy.write_row(row)


def read(copy: Copy, shapes: Sequence[Shape]) -> list[tuple[Ints, Ints]]:
    """Read all rows of a COPY TO STDOUT (FORMAT BINARY), which must not hold nulls.

    Returns for each column its values, row after row, and how many each row has.
    """
    copy.set_types(_types(shapes))
    return _columns(list(copy.rows()), shapes)


def read_in_parts(copy: Copy, shapes: Sequence[Shape], part_bytes: int) -> Iterator[list[tuple[Ints, Ints]]]:
    """Yield the same in parts, at least one. A part ends with the row that makes its arrays and blobs exceed a size."""
    packed = [at for at, (kind, _) in enumerate(shapes) if kind is not Scalars]
    copy.set_types(_types(shapes))
    rows, size = [], 0
    for row in copy.rows():
        rows.append(row)
        size += sum(len(row[at]) for at in packed)
        if size > part_bytes:
            yield _columns(rows, shapes)
            rows, size = [], 0
    yield _columns(rows, shapes)


def blobs(column: tuple[Ints, Ints], width: int) -> tuple[Ints, Ints]:
    """Return the columns of the elements, `width` integers each, that blobs hold, and how many each blob has."""
    values, counts = column
    return values.reshape(-1, width).T, counts // width


def _types(shapes: Sequence[Shape]) -> list[str]:
    """Return the types to convert as. Arrays pass as they are on the wire: psycopg would make a list of each."""
    return [_TYPE[size] if kind is Scalars else "bytea" for kind, size in shapes]


def _fields(column: Column) -> Iterable[int] | Iterator[bytes]:
    if isinstance(column, Scalars):
        return column.values.tolist()  # type: ignore[no-any-return]  # numpy's type is Any
    return _array_fields(column) if isinstance(column, Arrays) else _blob_fields(column)


def _array_fields(column: Arrays) -> Iterator[bytes]:
    elements = np.empty(len(column.values), dtype=_ELEMENT[column.size])
    elements["size"] = column.size
    elements["value"] = column.values
    whole, width, oid = elements.tobytes(), elements.itemsize, _OID[column.size]
    start = 0
    for end in column.end.tolist():
        if end > start:
            yield _ARRAY.pack(1, 0, oid, end - start, 1) + whole[start * width : end * width]
        else:
            yield _EMPTY_ARRAY[column.size]
        start = end


def _blob_fields(column: Blobs) -> Iterator[bytes]:
    elements = np.empty((len(column.columns[0]), len(column.columns)), dtype=f">i{column.size}")
    for at, values in enumerate(column.columns):
        elements[:, at] = values
    whole, width = elements.tobytes(), elements.itemsize * elements.shape[1]
    start = 0
    for end in (column.end * width).tolist():
        yield whole[start:end]
        start = end


def _columns(rows: list[tuple[Any, ...]], shapes: Sequence[Shape]) -> list[tuple[Ints, Ints]]:
    columns: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else [()] * len(shapes)
    return [_values(fields, *shape) for fields, shape in zip(columns, shapes, strict=True)]


def _values(fields: Sequence[Any], kind: type, size: int) -> tuple[Ints, Ints]:
    """Return a column's values, row after row, and how many each row has."""
    if kind is Scalars:
        return np.array(fields, dtype=np.int64), np.ones(len(fields), dtype=np.int64)
    if kind is Blobs:
        elements, dtype = fields, np.dtype(f">i{size}")
    else:
        elements, dtype = [field[_ARRAY.size :] for field in fields], _ELEMENT[size]
    values = np.frombuffer(b"".join(elements), dtype)
    counts = np.fromiter(map(len, elements), np.int64, len(elements)) // dtype.itemsize
    return (values if kind is Blobs else values["value"]).astype(np.int64), counts
