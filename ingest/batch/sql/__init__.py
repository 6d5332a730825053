"""The SQL files of `ingest.batch`."""

from core.sql import loader

load = loader(__file__)
