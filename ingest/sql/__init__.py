"""The SQL files of `ingest.lifecycle`."""

from core.sql import loader

load = loader(__file__)
