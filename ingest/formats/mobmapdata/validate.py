"""Validation at the upload endpoint: whether all of a document is valid, what it holds, and its content hash."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import SEEK_END
from threading import Lock
from typing import BinaryIO, TypeVar

from lxml import etree

from ingest.formats.mobmapdata.elements import drop
from ingest.formats.mobmapdata.fast_path import Extract, NotExtractable, extract
from ingest.formats.mobmapdata.locate import locate
from ingest.formats.mobmapdata.reading import Contents, Tally, events, new_parser, parse_whole
from ingest.formats.mobmapdata.records import Fault
from ingest.problems import InvalidDocument, NotWellFormed, TooLarge

T = TypeVar("T")

CHUNK = 1 << 16
#: Up to this size a document is parsed at once, into a tree of up to 25 times its size.
WHOLE_TREE_BYTES = 1 << 18
#: A thread reads so much of valid documents. Their names are the format's own, so its dictionary hardly grows.
THREAD_READS_BYTES = 8 << 20


def validate(document: BinaryIO) -> Contents:
    """Read a document (XML that has passed the precheck) and return what it holds.

    Raises `InvalidDocument` with up to 20 errors, `NotWellFormed` or `TooLarge`.
    """
    # lxml keeps every name it has read in a dictionary that lives as long as its thread. A large document has a
    # thread of its own, small ones share one for a while: no sender can fill the server's memory with names.
    size_bytes = document.seek(0, SEEK_END)
    document.seek(0)
    if size_bytes > WHOLE_TREE_BYTES:
        return _in_own_thread(_read_large, document)
    try:
        return small_documents.read(document.read())
    except FAULTS:
        raise _in_own_thread(_problem, document) from None


class _SchemaFault(Exception):
    """The schema found a fault; `locate` says which and where."""


#: What the first reading raises for a document that breaks a rule.
FAULTS = (Fault, _SchemaFault, etree.XMLSyntaxError)


class SmallDocuments:
    """One thread of this process reads small documents, first come, first served.

    Several threads would only compete for the interpreter, and starting one per document costs more than handing over.
    The thread is replaced after a fault and after `THREAD_READS_BYTES`, and lxml's dictionary of names ends with it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._left_bytes = 0

    def reset_after_fork(self) -> None:
        """Forget the thread, in a process that was just forked: threads don't survive a fork."""
        self._lock = Lock()
        self._thread = None

    def read(self, document: bytes) -> Contents:
        """Read a whole document; raises one of `FAULTS`."""
        with self._lock:
            thread = self._usable(len(document))
            read = thread.submit(_read_whole, document)
        try:
            return read.result()
        except FAULTS:
            with self._lock:
                if self._thread is thread:
                    self._end()
            raise

    def _usable(self, size_bytes: int) -> ThreadPoolExecutor:
        self._left_bytes -= size_bytes
        if self._thread and self._left_bytes < 0:
            self._end()
        if self._thread is None:
            self._thread = _new_thread()
            self._left_bytes = THREAD_READS_BYTES
        return self._thread

    def _end(self) -> None:
        """End the thread once it has read what it was given."""
        if self._thread:
            self._thread.shutdown(wait=False)
            self._thread = None


small_documents = SmallDocuments()


def _new_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="validate")


def _read_large(document: BinaryIO) -> Contents:
    try:
        return _read_in_chunks(document)
    except FAULTS:
        raise _problem(document) from None


def _problem(document: BinaryIO) -> InvalidDocument | NotWellFormed | TooLarge:
    document.seek(0)
    return locate(document)


def _in_own_thread(work: Callable[[BinaryIO], T], document: BinaryIO) -> T:
    with _new_thread() as thread:
        return thread.submit(work, document).result()


def _read_whole(document: bytes) -> Contents:
    try:
        return _read_extract(extract(document))
    except (NotExtractable, *FAULTS):
        tally = Tally()
        root = parse_whole(document)
        tally.add_all(root)
        return tally.finish(root)


def _read_extract(extract: Extract) -> Contents:
    tally = Tally()
    root = parse_whole(extract.remainder)
    if tally.begin(root).version != extract.version:
        raise NotExtractable
    tally.add_all(root)
    tally.add_extract(extract)
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
