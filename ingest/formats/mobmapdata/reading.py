"""The slow path of validation: one pass that checks, counts and digests every element.

Memory is bounded by the digests, 16 bytes per record: elements of large documents are dropped as they are read.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from lxml import etree

from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.fast_path import Extract
from ingest.formats.mobmapdata.records import CHILDREN, DIGEST, RECORDS, Fault, sort_digests

_schema = etree.XMLSchema(file=str(Path(__file__).with_name("mobmapdata.xsd")))
#: Different names of creatures, sources and zones in one document: several times what the game has. Workers hold
#: each of them in memory, and the tables of names keep them forever.
MAX_NAMES = 200_000
_locale = re.compile("[a-z]{2}[A-Z]{2}").fullmatch


@dataclass
class Contents:
    """What a valid document holds.

    `content_hash` is SHA-256 over the sorted digests of the document's records, each in its canonical form: equal for
    equal sets of records, in whatever order and form they are written.
    """

    language: str
    version: int
    game_version: str
    mobs: int = 0
    positions: int = 0
    lootings: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    content_hash: bytes = b""


def new_parser(*events: Literal["start", "end"]) -> etree.XMLPullParser:
    """Return a parser that checks the schema while it reads and fetches nothing.

    There are no entities to expand, as the precheck refuses every DOCTYPE. Don't add `resolve_entities=False`: with a
    schema, lxml 6 then ignores every error of well-formedness, truncation included.
    """
    return etree.XMLPullParser(events=events, schema=_schema, no_network=True, huge_tree=False)


def parse_whole(document: bytes) -> etree._Element:
    """Parse a small document at once, by the schema; raises `etree.XMLSyntaxError` for any fault."""
    return etree.fromstring(document, etree.XMLParser(schema=_schema, no_network=True, huge_tree=False))


def events(parser: etree.XMLPullParser) -> Iterator[tuple[str, etree._Element]]:
    """Return the parser's events so far, `("end", element)`; only elements are asked for."""
    return cast("Iterator[tuple[str, etree._Element]]", parser.read_events())


def read_root(root: etree._Element) -> Contents:
    """Return the root's attributes as `Contents` with nothing counted yet; raises `Fault`."""
    if len(root.attrib) != 3:  # the schema lets xsi:… pass everywhere
        raise Fault("unknown-attribute", "MobMapData has the attributes language, version and gameversion only")
    language = root.get("language", "")
    version = root.get("version", "")
    game_version = root.get("gameversion", "")
    if not _locale(language):
        raise Fault("bad-locale", f"language {language[:40]!r} is no locale such as enUS or deDE")
    if version not in {str(number) for number in grammar.VERSIONS}:
        raise Fault("unknown-version", f"version {version[:40]!r} is not known here; 42, 43 and 44 are")
    if len(game_version) > grammar.MAX_TEXT:
        raise Fault("bad-text", f"gameversion has {len(game_version):,} characters; {grammar.MAX_TEXT:,} are allowed")
    return Contents(language, int(version), game_version)


class Tally:
    """Sums over the elements of a document."""

    def __init__(self) -> None:
        self.contents: Contents | None = None
        self._records = bytearray()
        self._children = bytearray()
        self._names: set[int] = set()

    def begin(self, root: etree._Element) -> Contents:
        """Read the root's attributes, the first time."""
        if self.contents is None:
            self.contents = read_root(root)
        return self.contents

    def add(self, element: etree._Element) -> None:
        """Check one complete element below the root and count it; raises `Fault`."""
        contents = self.contents or self.begin(element.getroottree().getroot())
        tag = element.tag
        check = CHILDREN.get(tag)
        if check:
            checked = check(element, contents.version)
            self._remember_names(element, contents.version)
            self._children += hashlib.blake2b(checked.canonical, digest_size=DIGEST).digest()
            parent = element.getparent()
            if parent is not None and parent.tag == "Mob":
                contents.positions += checked.amount
            return
        checked = RECORDS[tag](element, contents.version)
        self._remember_names(element, contents.version)
        digest = hashlib.blake2b(checked.canonical, digest_size=DIGEST)
        digest.update(sort_digests(self._children))
        self._children.clear()
        self._records += digest.digest()
        if tag == "Mob":
            contents.mobs += 1
        elif tag == "Loot":
            contents.lootings += checked.amount
        else:
            contents.ignored[tag] += 1

    def _remember_names(self, element: etree._Element, version: int) -> None:
        """Count the different names of a document, by their hashes; raises `Fault`."""
        name = element.get("name", "")
        if element.tag == "Loot":
            source, _, _, *location = name.rsplit("#", 3 if version == grammar.BY_NAME else 4)
            self._names.update((hash(source), hash("#".join(location))))
        elif element.tag == "Zone":
            self._names.add(hash(f"{name}#{element.get('level', '0')}"))
        elif element.tag == "Mob":
            self._names.add(hash(name))
        if len(self._names) > MAX_NAMES:
            raise Fault(
                "too-many-names",
                f"the document names more than {MAX_NAMES:,} creatures, sources of loot and locations; "
                "send it in several parts",
            )

    def add_all(self, root: etree._Element) -> None:
        """Check all elements of a whole tree and count them; raises `Fault`."""
        for record in root:
            for child in record:
                self.add(child)
            self.add(record)

    def add_extract(self, extract: Extract) -> None:
        """Count the elements that were extracted from the document."""
        contents = cast("Contents", self.contents)
        contents.mobs += extract.mobs
        contents.positions += extract.positions
        contents.lootings += extract.lootings
        self._records += extract.digests

    def finish(self, root: etree._Element) -> Contents:
        """Return the whole document's contents."""
        contents = self.begin(root)
        contents.content_hash = hashlib.sha256(sort_digests(self._records)).digest()
        return contents
