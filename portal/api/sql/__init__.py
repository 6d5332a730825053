"""The SQL files of `portal.api`."""

from core.sql import loader

load = loader(__file__)
