"""The SQL files of `ingest.merge`."""

from core.sql import loader

load = loader(__file__)
