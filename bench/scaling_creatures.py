"""The creatures of `bench/run scaling`: computed from their ids, so that every answer can be checked."""

from __future__ import annotations

from simulation import words

#: First words of names.
FIRST_WORDS = [f"{prefix} {beast[0]}" for prefix, _ in words.PREFIXES for beast in words.BEASTS]
#: Distributes the names of consecutive ids over the whole index, as with real names.
_STRIDE = 7919
#: The bytes of a published record; with a fixed length, the id gives the offset.
RECORD_BYTES = 128

INSERT_CREATURES = """
INSERT INTO creature (id, level_min, level_max, boss, reactions, uploads, first_seen, last_seen, reports, report_counts)
SELECT
    id, 1 + id %% 60, 3 + id %% 60, false, ARRAY[id %% 9, 0, 0, 0, 0, id %% 7], 1 + id %% 40,
    date '2024-01-01' + id %% 300, date '2025-01-01' + id %% 300, ARRAY[id, id + 1, id + 2]::bigint[], ARRAY[1, 1, 1]
FROM generate_series(%(first)s::int, %(last)s::int) AS id
"""
INSERT_NAMES = f"""
INSERT INTO creature_name (creature, name, uploads)
SELECT id, (%(words)s::text[])[1 + (id::bigint * {_STRIDE} %% %(count)s)::int] || ' ' || id, 1 + id %% 40
FROM generate_series(%(first)s::int, %(last)s::int) AS id
"""
SELECT_CREATURE = """
SELECT c.id, n.name, c.level_min, c.level_max, c.uploads
FROM creature c JOIN creature_name n ON n.creature = c.id WHERE c.id = %s
"""
SELECT_BY_NAME = "SELECT creature FROM creature_name WHERE name = %s"
UPDATE_CREATURES = """
UPDATE creature SET uploads = uploads + 1, last_seen = last_seen + 1 WHERE id = ANY (%s) RETURNING id, uploads
"""


def name_of(creature: int) -> str:
    """Return a creature's name: `name_of(7)` → `"Gravel Newt 7"`."""
    return f"{FIRST_WORDS[creature * _STRIDE % len(FIRST_WORDS)]} {creature}"


def first_uploads(creature: int) -> int:
    """Return the number of uploads of a creature before updates."""
    return 1 + creature % 40


def answer(creature: int, uploads: int) -> bytes:
    """Return a creature as JSON; only the number of uploads ever changes."""
    return (
        f'{{"id":{creature},"name":"{name_of(creature)}","min":{1 + creature % 60},"max":{3 + creature % 60},'
        f'"uploads":{uploads}}}'
    ).encode("ascii")


def record(creature: int, uploads: int) -> bytes:
    """Return a creature's answer, padded to the length of a record."""
    return answer(creature, uploads).ljust(RECORD_BYTES - 1) + b"\n"
