"""The SQL files of `ingest.intake`."""

from core.sql import loader

load = loader(__file__)
