"""Documents made when something changes, so that to read one is to read a file: maps, creatures, items, pictures.

`kinds` says which there are and what makes them, `marks` which are older than the tables, `making` brings them up to
date, `files` keeps them on the disk, `reading` hands them out. nginx does so itself in production (`deploy/nginx`).
Where a document isn't there (yet), the same answer is made from the database.
"""

from maps.documents.kinds import (
    BY_NAME,
    ITEM,
    KINDS,
    MOB,
    MOB_PLACES,
    SOURCE,
    SOURCE_PLACES,
    ZONE_MAP,
    ZONE_PICTURES,
    ZONE_SOURCES,
    Kind,
)
from maps.documents.making import make_stale
from maps.documents.marks import are_stale, hurry_all, mark, mark_all, spread
from maps.documents.reading import answer, excerpt, found, version

__all__ = [
    "BY_NAME",
    "ITEM",
    "KINDS",
    "MOB",
    "MOB_PLACES",
    "SOURCE",
    "SOURCE_PLACES",
    "ZONE_MAP",
    "ZONE_PICTURES",
    "ZONE_SOURCES",
    "Kind",
    "answer",
    "are_stale",
    "excerpt",
    "found",
    "hurry_all",
    "make_stale",
    "mark",
    "mark_all",
    "spread",
    "version",
]
