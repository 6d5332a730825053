"""The door's question to a document: is all of it valid, what does it hold, is it the same as another?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import SEEK_END
from typing import BinaryIO

from lxml import etree

from ingest.formats.mobmapdata.locate import locate
from ingest.formats.mobmapdata.reading import Contents, Tally, drop, events, new_parser, parse_whole
from ingest.formats.mobmapdata.records import Fault

CHUNK = 1 << 16
#: Up to this size a document is parsed at once, into a tree of some 25 times as much at the worst.
WHOLE_TREE_BYTES = 1 << 18


def validate(document: BinaryIO) -> Contents:
    """Read a document (XML that has passed `guard`) and return what it holds.

    Raises `InvalidDocument` with up to 20 places, `NotWellFormed` or `TooLarge`.
    """
    # lxml keeps every name it has met in a dictionary that lives as long as its thread. In one of the
    # document's own it goes with the document, and no sender can fill the server's memory with names.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="validate") as thread:
        return thread.submit(_validate, document).result()


def _validate(document: BinaryIO) -> Contents:
    """Read fast and up to the first fault; only if there is one, read again to find the places."""
    try:
        return _read(document)
    except FAULTS:
        document.seek(0)
        raise locate(document) from None


class _SchemaFault(Exception):
    """The schema found something; what and where is for the second reading to say."""


#: What reading fast raises for a document that breaks a rule.
FAULTS = (Fault, _SchemaFault, etree.XMLSyntaxError)


def _read(document: BinaryIO) -> Contents:
    size_bytes = document.seek(0, SEEK_END)
    document.seek(0)
    return _read_whole(document.read()) if size_bytes <= WHOLE_TREE_BYTES else _read_in_chunks(document)


def _read_whole(document: bytes) -> Contents:
    tally = Tally()
    root = parse_whole(document)
    tally.add_all(root, in_columns=b"xmlns" not in document)
    return tally.finish(root)


def _read_in_chunks(document: BinaryIO) -> Contents:
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
