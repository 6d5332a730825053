"""The SQL files of `maps.publish`."""

from core.sql import loader

load = loader(__file__)
