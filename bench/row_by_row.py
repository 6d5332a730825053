"""Load uploads as a parser of 2008 did: one statement per observation, one commit per upload.

python -m bench.row_by_row < JSON      → JSON: {"seconds": 12.3, "observations": 456789}

JSON in: `conninfo`, `files`. Simple but not slow on purpose: lxml reads the tree, statements are prepared once, keys
are numbers, only counts are kept. `MAKE` creates the tables, in the tablespace that its caller chose.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
from lxml import etree

MAKE = """
DROP TABLE IF EXISTS zone_2008, sighting_2008, looting_2008, drop_2008;
CREATE {kind} TABLE zone_2008 (id serial PRIMARY KEY, name text UNIQUE NOT NULL);
CREATE {kind} TABLE sighting_2008 (mob int, zone int, floor int, x real, y real, seen int NOT NULL,
    PRIMARY KEY (mob, zone, floor, x, y));
CREATE {kind} TABLE looting_2008 (source text, zone int, lootings int NOT NULL, PRIMARY KEY (source, zone));
CREATE {kind} TABLE drop_2008 (source text, zone int, item int, drops int NOT NULL,
    PRIMARY KEY (source, zone, item));
"""
_ZONE = """INSERT INTO zone_2008 (name) VALUES (%s) ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name
    RETURNING id"""
_SIGHTING = """INSERT INTO sighting_2008 VALUES (%s, %s, %s, %s, %s, 1)
    ON CONFLICT (mob, zone, floor, x, y) DO UPDATE SET seen = sighting_2008.seen + 1"""
_LOOTING = """INSERT INTO looting_2008 VALUES (%s, %s, 1)
    ON CONFLICT (source, zone) DO UPDATE SET lootings = looting_2008.lootings + 1"""
_DROP = """INSERT INTO drop_2008 VALUES (%s, %s, %s, 1)
    ON CONFLICT (source, zone, item) DO UPDATE SET drops = drop_2008.drops + 1"""


class Loader:
    """One process that loads row by row."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection, self.cursor = connection, connection.cursor()
        self.zones: dict[str, int] = {}
        self.observations = 0

    def load(self, document: bytes) -> None:
        """Load an upload and commit."""
        for record in etree.fromstring(document):
            if record.tag == "Mob" and record.get("blizzid"):
                self._mob(record)
            elif record.tag == "Loot":
                self._loot(record)
        self.connection.commit()

    def _mob(self, record: etree._Element) -> None:
        for element in record:
            zone, floor = self._zone(element.get("name", "")), int(element.get("level", "0"))
            for x, y in _coordinates(element.text or ""):
                self.cursor.execute(_SIGHTING, [int(record.get("blizzid", "0")), zone, floor, x, y], prepare=True)
                self.observations += 1

    def _loot(self, record: etree._Element) -> None:
        source, _x, _y, name, _floor = record.get("name", "").rsplit("#", 4)
        zone = self._zone(name)
        for looting in (record.text or "").split("+")[1:]:
            self.cursor.execute(_LOOTING, [source, zone], prepare=True)
            self.observations += 1
            for item in {int(slot.split(":")[0]) for slot in looting.split("#") if ":" in slot}:
                self.cursor.execute(_DROP, [source, zone, item], prepare=True)

    def _zone(self, name: str) -> int:
        if name not in self.zones:
            self.cursor.execute(_ZONE, [name])
            row = self.cursor.fetchone()
            assert row is not None
            self.zones[name] = int(row[0])
        return self.zones[name]


def _coordinates(text: str) -> Iterator[tuple[float, float]]:
    for pair in filter(None, text.split(",")):
        x, y = pair.split("/")
        if x != "-1":
            yield float(x), float(y)


def main() -> int:
    """Load all files and print the time."""
    wanted = json.load(sys.stdin)
    with psycopg.connect(wanted["conninfo"]) as connection:
        loader = Loader(connection)
        began = time.monotonic()
        for file in wanted["files"]:
            loader.load(Path(file).read_bytes())
        seconds = time.monotonic() - began
    print(json.dumps({"seconds": seconds, "observations": loader.observations}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
