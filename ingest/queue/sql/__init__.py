"""The SQL files of `ingest.queue`."""

from core.sql import loader

load = loader(__file__)
