"""The door's question to a document: is all of it valid, what does it hold, is it the same as another?"""

from __future__ import annotations

from typing import BinaryIO

from lxml import etree

from ingest.formats.mobmapdata.locate import locate
from ingest.formats.mobmapdata.reading import Contents, Tally, drop, events, new_parser
from ingest.formats.mobmapdata.records import Fault

CHUNK = 1 << 16


def validate(document: BinaryIO) -> Contents:
    """Read a document (XML that has passed `guard`) and return what it holds.

    This reading is fast and stops at the first fault; only then a second one finds the places.
    Raises `InvalidDocument` with up to 20 of them, `NotWellFormed` or `TooLarge`.
    """
    document.seek(0)
    try:
        return _read(document)
    except (Fault, _SchemaFault, etree.XMLSyntaxError):
        document.seek(0)
        raise locate(document) from None


class _SchemaFault(Exception):
    """The schema found something; what and where is for the second reading to say."""


def _read(document: BinaryIO) -> Contents:
    parser = new_parser("end")
    tally = Tally()
    while chunk := document.read(CHUNK):
        parser.feed(chunk)
        if len(parser.feed_error_log):
            raise _SchemaFault
        for _, element in events(parser):
            if element.getparent() is not None:
                tally.add(element)
                drop(element)
    return tally.finish(parser.close())
