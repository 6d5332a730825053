"""The SQL files of `maps.queries`."""

from core.sql import loader

load = loader(__file__)
