"""The second reading of a document that broke a rule: where each of up to 20 faults is.

The parser is fed tag by tag, so that whatever it reports belongs to the tag it just got.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from lxml import etree

from ingest.formats.mobmapdata.elements import drop
from ingest.formats.mobmapdata.reading import Tally, events, new_parser
from ingest.formats.mobmapdata.records import CHILDREN, RECORDS, Fault
from ingest.problems import InvalidDocument, NotWellFormed, TooLarge

MAX_ERRORS = 20
#: The format is three levels deep.
MAX_DEPTH = 16
#: The format has some 60 names of elements and attributes, and the parser remembers every one it meets.
MAX_NAMES = 1_000
CHUNK = 1 << 16

#: libxml2's names of schema faults, as codes of ours.
_CODES = {
    "SCHEMAV_CVC_ELT_1": "unknown-root",
    "SCHEMAV_ELEMENT_CONTENT": "unknown-element",
    "SCHEMAV_CVC_COMPLEX_TYPE_2_1": "unexpected-text",
    "SCHEMAV_CVC_COMPLEX_TYPE_2_2": "unknown-element",
    "SCHEMAV_CVC_COMPLEX_TYPE_2_3": "unexpected-text",
    "SCHEMAV_CVC_COMPLEX_TYPE_3_2_1": "unknown-attribute",
    "SCHEMAV_CVC_COMPLEX_TYPE_3_2_2": "unknown-attribute",
    "SCHEMAV_CVC_COMPLEX_TYPE_4": "missing-attribute",
}


class _Enough(Exception):
    """Nothing more is worth reporting."""


def locate(document: BinaryIO) -> InvalidDocument | NotWellFormed | TooLarge:
    """Return the problem of a document that is known to have one.

    A parser without the schema first checks that it is XML at all: one with the schema mixes up the two kinds of
    errors. Raises `RuntimeError` if no fault is found: the two readings disagree.
    """
    problem = _syntax_problem(document)
    if problem:
        return problem
    document.seek(0)
    search = _Search()
    with suppress(_Enough):
        search.run(document)
    if not search.errors:
        raise RuntimeError("the first reading of a document found a fault that the second did not")
    count = len(search.errors)
    places = "1 place" if count == 1 else f"{count} places"
    more = "; there may be more" if count >= MAX_ERRORS else ""
    return InvalidDocument(
        f"Nothing was taken: the document breaks the format's rules in {places}{more}.", errors=search.errors
    )


def _syntax_problem(document: BinaryIO) -> InvalidDocument | NotWellFormed | TooLarge | None:
    document.seek(0)
    parser = etree.XMLPullParser(events=("start", "end"), no_network=True)
    path: list[str] = []
    names: set[str] = set()
    try:
        while chunk := document.read(CHUNK):
            parser.feed(chunk)
            for event, element in events(parser):
                if event == "start":
                    path.append(element.tag)
                    if len(path) > MAX_DEPTH:
                        return _too_deep(path)
                    names.update((element.tag, *map(str, element.keys())))
                    if len(names) > MAX_NAMES:
                        return _too_many_names(path)
                else:
                    path.pop()
                    if path:
                        drop(element)
        parser.close()
    except etree.XMLSyntaxError as error:
        line, column = error.position
        where = f"/{'/'.join(path)} (line {line}, column {column})"
        message = str(error.msg).rpartition(", line ")[0] or str(error.msg)
        if "depth" in message.lower():
            return _too_deep(path)
        if "huge" in message.lower() or "too long" in message.lower():
            return TooLarge(
                "A single text or attribute of the document is longer than 10,000,000 bytes.",
                errors=[{"where": where, "code": "text-too-long", "message": message}],
            )
        return NotWellFormed(
            f"The XML breaks off or is damaged at line {line}, column {column}: {message}. "
            "The file may have been cut off; export it again and send all of it.",
            errors=[{"where": where, "code": "not-well-formed", "message": message}],
        )
    return None


def _too_deep(path: list[str]) -> InvalidDocument:
    message = f"elements within elements, more than {MAX_DEPTH} deep; the format has 3 levels"
    return InvalidDocument(
        "Nothing was taken: the document is nested too deeply.",
        errors=[{"where": f"/{'/'.join(path[:4])}/…", "code": "too-deep", "message": message}],
    )


def _too_many_names(path: list[str]) -> InvalidDocument:
    message = f"more than {MAX_NAMES:,} different names of elements and attributes; most are unknown to the format"
    return InvalidDocument(
        "Nothing was taken: the document is full of elements and attributes that the format does not know.",
        errors=[{"where": f"/{'/'.join(path)}", "code": "unknown-element", "message": message}],
    )


class _Search:
    """The state of the second reading: open elements, line and column, faults so far."""

    def __init__(self) -> None:
        self.errors: list[dict[str, str]] = []
        self._parser = new_parser("start", "end")
        self._tally = Tally()
        self._path: list[str] = []
        self._siblings: list[Counter[str]] = [Counter()]
        #: Per open element whether it can be checked: neither it nor one around it was refused by the schema.
        self._sound: list[bool] = []
        self._reported = 0
        self._line = self._column = 1

    def run(self, document: BinaryIO) -> None:
        for piece in _tags(document):
            self._parser.feed(piece)
            schema_faults = self._new_schema_faults()
            for event, element in events(self._parser):
                if event == "start":
                    self._open(element)
                self._note_schema(schema_faults)
                schema_faults = []
                if event == "start" and len(self._path) == 1 and self._sound[-1]:
                    self._begin(element)
                elif event == "end":
                    self._close(element)
            self._note_schema(schema_faults)
            self._advance(piece)

    def _open(self, element: etree._Element) -> None:
        self._siblings[-1][element.tag] += 1
        number = self._siblings[-1][element.tag]
        self._path.append(f"{element.tag}[{number}]" if self._path else element.tag)
        self._siblings.append(Counter())
        self._sound.append(self._sound[-1] if self._sound else True)

    def _begin(self, root: etree._Element) -> None:
        try:
            self._tally.begin(root)
        except Fault as fault:
            self._note(fault.code, str(fault))
            raise _Enough from None  # without a version nothing else can be judged

    def _close(self, element: etree._Element) -> None:
        if self._sound.pop() and self._sound and self._tally.contents:
            try:
                self._tally.add(element)
            except Fault as fault:
                self._note(fault.code, str(fault))
            except KeyError as missing:
                # After an unknown element the schema checks none of its siblings.
                if element.tag in RECORDS or element.tag in CHILDREN:
                    self._note("missing-attribute", f"{element.tag} lacks the attribute {missing}")
                else:
                    self._note("unknown-element", f"{element.tag[:60]!r} is no element of this format")
        if self._sound:
            drop(element)
        self._path.pop()
        self._siblings.pop()

    def _new_schema_faults(self) -> list[etree._LogEntry]:
        log = self._parser.feed_error_log
        if len(log) == self._reported:
            return []
        fresh = list(log)[self._reported :]
        self._reported = len(log)
        return fresh

    def _note_schema(self, faults: list[etree._LogEntry]) -> None:
        for fault in faults:
            if self._sound:
                self._sound[-1] = False
            code = _CODES.get(fault.type_name, "unknown-element")
            message = fault.message
            if code == "unknown-root":
                message = f"the document's element is {''.join(self._path[:1])!r}; it must be MobMapData"
            self._note(code, message)

    def _note(self, code: str, message: str) -> None:
        self.errors.append({"where": self._where(), "code": code, "message": message})
        if len(self.errors) >= MAX_ERRORS:
            raise _Enough

    def _where(self) -> str:
        return f"/{'/'.join(self._path[:4])} (line {self._line}, column {self._column})"

    def _advance(self, piece: bytes) -> None:
        newlines = piece.count(b"\n")
        last_line = piece[piece.rfind(b"\n") + 1 :] if newlines else piece
        self._line += newlines
        self._column = (1 if newlines else self._column) + len(last_line.decode("utf-8", "ignore"))


def _tags(document: BinaryIO) -> Iterator[bytes]:
    """Cut a well-formed document before every `<`: texts may be full of `>`. A long text comes in several pieces."""
    while chunk := document.read(CHUNK):
        start = 0
        while (end := chunk.find(b"<", start + 1)) > 0:
            yield chunk[start:end]
            start = end
        yield chunk[start:]
