"""The SQL files of `ingest.maintenance`."""

from core.sql import loader

load = loader(__file__)
