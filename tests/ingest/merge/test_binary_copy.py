"""Columns through COPY into a real table and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.merge.binary_copy import Arrays, Blobs, Scalars, Shape, blobs, read, read_in_parts, write

pytestmark = pytest.mark.django_db

TABLE = "CREATE TEMP TABLE copied (a bigint, b integer, c integer[], d bigint[], e bytea, f bytea) ON COMMIT DROP"
SHAPES: list[Shape] = [(Scalars, 8), (Scalars, 4), (Arrays, 4), (Arrays, 8), (Blobs, 4), (Blobs, 8)]
_ints, _longs = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
_rows = st.lists(st.tuples(_longs, _ints, st.lists(_ints, max_size=4), st.lists(_longs, max_size=4)), max_size=6)


@pytest.fixture
def copied() -> Any:
    with connection.cursor() as cursor:
        cursor.execute(TABLE)
        yield cursor


def array(lists: Sequence[Sequence[int]], size: int) -> Arrays:
    flat = np.array([value for values in lists for value in values], dtype=np.int64)
    return Arrays(flat, np.cumsum(np.array([len(values) for values in lists], dtype=np.int64)), size)


def fill(cursor: Any, rows: Sequence[tuple[int, int, list[int], list[int]]]) -> None:
    """Write rows; the blobs are made of the same lists as the arrays, the first of each integer twice."""
    longs, ints, int_lists, long_lists = ([row[column] for row in rows] for column in range(4))
    int_array, long_array = array(int_lists, 4), array(long_lists, 8)
    cursor.execute("TRUNCATE copied")
    with cursor.copy("COPY copied FROM STDIN (FORMAT binary)") as copy:
        write(
            copy,
            [
                Scalars(np.array(longs, dtype=np.int64), 8),
                Scalars(np.array(ints, dtype=np.int64)),
                int_array,
                long_array,
                Blobs([int_array.values] * 2, int_array.end),
                Blobs([long_array.values], long_array.end, 8),
            ],
        )


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_rows)
def test_rows_are_read_as_they_were_written(copied, rows) -> None:
    longs, ints, int_lists, long_lists = ([row[column] for row in rows] for column in range(4))
    fill(copied, rows)
    with copied.copy("COPY copied TO STDOUT (FORMAT binary)") as copy:
        found = read(copy, SHAPES)
    assert [values.tolist() for values, _ in found[:2]] == [longs, ints]
    assert [counts.tolist() for _, counts in found[:2]] == [[1] * len(rows)] * 2
    twice, counts = blobs(found[4], 2)
    assert counts.tolist() == [len(values) for values in int_lists]
    assert twice.tolist() == [[value for values in int_lists for value in values]] * 2
    for (values, counts), lists in zip((*found[2:4], found[5]), (int_lists, long_lists, long_lists), strict=True):
        assert counts.tolist() == [len(values) for values in lists]
        assert values.tolist() == [value for values in lists for value in values]


def test_postgresql_reads_the_same_numbers(copied) -> None:
    fill(copied, [(2**40, -1, [1, -2], [-(2**63)]), (0, 7, [], [])])
    copied.execute("SELECT a, b, c, d, encode(e, 'hex'), encode(f, 'hex') FROM copied ORDER BY b")
    assert copied.fetchall() == [
        (2**40, -1, [1, -2], [-(2**63)], "0000000100000001fffffffefffffffe", "8000000000000000"),
        (0, 7, [], [], "", ""),
    ]


def test_parts_end_with_the_row_that_exceeds_their_size(copied) -> None:
    fill(copied, [(number, number, [number] * 3, []) for number in range(5)])
    with copied.copy("COPY (SELECT b, e FROM copied ORDER BY b) TO STDOUT (FORMAT binary)") as copy:
        parts = list(read_in_parts(copy, [(Scalars, 4), (Blobs, 4)], 30))
    assert [number.tolist() for (number, _), _ in parts] == [[0, 1], [2, 3], [4]]
    assert [values.tolist() for _, (values, _) in parts] == [[0] * 6 + [1] * 6, [2] * 6 + [3] * 6, [4] * 6]


def test_nothing_is_one_part_without_rows(copied) -> None:
    with copied.copy("COPY (SELECT b, e FROM copied) TO STDOUT (FORMAT binary)") as copy:
        (part,) = read_in_parts(copy, [(Scalars, 4), (Blobs, 4)], 30)
    assert [(len(values), len(counts)) for values, counts in part] == [(0, 0), (0, 0)]
