"""The fixtures of the pipeline's tests, for those with real processes."""

from tests.ingest.conftest import empty_hot_tables, sent, wakes

__all__ = ["empty_hot_tables", "sent", "wakes"]
