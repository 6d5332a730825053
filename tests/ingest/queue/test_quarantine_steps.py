"""Whose fault a failure is, and how uploads that failed together are singled out step by step."""

from __future__ import annotations

import psycopg
import pytest
from django.db import DataError, InterfaceError, OperationalError
from hypothesis import given
from hypothesis import strategies as st

from ingest.batch.observations import Unreadable
from ingest.queue import quarantine
from ingest.queue.quarantine import ALONE, GIVEN_UP, GROUP_SIZES, is_content, next_step


def refused_with(code: str) -> Exception:
    error = OperationalError("wrapped by Django")
    error.__cause__ = psycopg.errors.lookup(code)("says PostgreSQL")
    return error


@pytest.mark.parametrize(
    "error",
    [
        *map(refused_with, ["22003", "22021", "23505", "23514", "21000", "54000", "XX000", "53200"]),
        psycopg.errors.lookup("22P02")(),
        psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"),
        DataError("the same by way of Django"),
        OverflowError(),
        KeyError("a bug"),
        MemoryError(),
        Unreadable(0, "damaged"),
        quarantine.PanicException("polars"),
    ],
    ids=lambda error: type(error.__cause__ or error).__name__,
)
def test_values_refused_and_bugs_may_be_an_uploads_content(error):
    assert is_content(error)


@pytest.mark.parametrize(
    "error",
    [
        *map(refused_with, ["08006", "53100", "53300", "57P01", "57014", "58P01", "58030", "40001", "40P01", "55P03"]),
        *map(refused_with, ["42P01", "42703", "42501", "25006", "XX001", "22P04"]),
        psycopg.errors.lookup("53100")(),
        OperationalError("connection refused"),
        InterfaceError("connection already closed"),
        psycopg.OperationalError("the connection is lost"),
        FileNotFoundError("a document"),
        PermissionError("the archive"),
        OSError(28, "no space left"),
        TimeoutError(),
    ],
    ids=lambda error: type(error.__cause__ or error).__name__,
)
def test_what_work_is_done_with_is_nobodys_content(error):
    assert not is_content(error)


@given(st.integers(0, GIVEN_UP), st.integers(1, 100_000))
def test_every_step_is_further_on_and_its_group_smaller(faults, together):
    step = next_step(faults, together)
    assert step > faults
    assert together == 1 or GROUP_SIZES[min(step, ALONE) - 1] < together
    assert together > 1 or step > ALONE
