"""Errors of databases, grouped by how callers must handle them."""

from __future__ import annotations

import psycopg
from django.db import Error

#: Django wraps what psycopg raises, but not in a COPY.
ERRORS = (Error, psycopg.Error)
#: What a database or a document store raises that is unavailable or broken: logged, and tried again later.
FAILURES = (*ERRORS, OSError)


def sqlstate(error: BaseException) -> str:
    """Return PostgreSQL's code for an error, such as `"42P01"`; empty if it does not come from the server."""
    return getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None) or ""
