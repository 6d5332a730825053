"""The largest and worst-shaped documents that the limits let through, valid ones and refused ones, in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat

MIB = 1 << 20
#: Just below the 32 MiB that a document may have, and the 10 MB that one text may have.
DOCUMENT_BYTES = 32 * MIB - 100_000
TEXT_BYTES = 9_900_000

HEAD = b'<MobMapData language="deDE" version="44" gameversion="12.7.3|play.lantern-isles.example">'
TAIL = b"</MobMapData>"
MOB = b'<Mob name="x" blizzid="1" min="1" max="1" react="0" date="1">'
LOOT = b'<Loot name="n0x1#1#1#y#0">'

Body = Iterator[bytes]


def _repeat(piece: bytes, size_bytes: int) -> Body:
    """Yield a piece again and again, in chunks, not more than `size_bytes` in all."""
    pieces = size_bytes // len(piece)
    per_chunk = max(1, 100_000 // len(piece))
    yield from repeat(piece * per_chunk, pieces // per_chunk)
    yield piece * (pieces % per_chunk)


def _numbered(template: bytes, size_bytes: int) -> Body:
    """Yield a template with its `%d` counted up, in chunks of a thousand, up to `size_bytes`."""
    number = 0
    while size_bytes > 0:
        chunk = b"".join(template % number for number in range(number, number + 1000))
        number += 1000
        size_bytes -= len(chunk)
        yield chunk


def tiny_loots() -> Body:
    yield HEAD.replace(b'"44"', b'"42"')
    yield from _repeat(b'<Loot name="FISH#1#1#y"/>', DOCUMENT_BYTES)
    yield TAIL


def mob_of_a_million_zones() -> Body:
    yield HEAD + MOB
    yield from _repeat(b'<Zone name="y" level="0"/>', 26_000_000)
    yield b"</Mob>" + TAIL


def zone_of_short_coordinates() -> Body:
    yield HEAD + MOB + b'<Zone name="y" level="0">'
    yield from _repeat(b"1/1,", TEXT_BYTES)
    yield b"</Zone></Mob>" + TAIL


def three_zones_of_all_bytes_allowed() -> Body:
    yield HEAD + MOB
    for _ in range(3):
        yield b'<Zone name="y" level="0">'
        yield from _repeat(b"100.0/100.0,1/1,1/2.0,", TEXT_BYTES)
        yield b"</Zone>"
    yield b"</Mob>" + TAIL


def loot_of_plus_signs() -> Body:
    yield HEAD + LOOT
    yield from _repeat(b"+", TEXT_BYTES)
    yield b"</Loot>" + TAIL


def loot_of_copper() -> Body:
    yield HEAD + LOOT
    yield from _repeat(b"+1#", TEXT_BYTES)
    yield b"</Loot>" + TAIL


def loot_of_one_looting() -> Body:
    yield HEAD + LOOT + b"+"
    yield from _repeat(b"10#", TEXT_BYTES)
    yield b"</Loot>" + TAIL


def three_loots_of_items() -> Body:
    yield HEAD
    for _ in range(3):
        yield LOOT
        yield from _repeat(b"+3651:0:0:1#", TEXT_BYTES)
        yield b"</Loot>"
    yield TAIL


def texts_that_only_the_slow_path_reads() -> Body:
    """Written with other quotes than the addon's."""
    yield HEAD
    for text in (b"1000#", b"+1#"):
        yield LOOT.replace(b'"', b"'") + b"+"
        yield from _repeat(text, 7_900_000)
        yield b"</Loot>"
    yield LOOT.replace(b'"', b"'") + b"+"
    yield from _numbered(b"1%06d:0:0:1#", 7_900_000)
    yield b"</Loot>" + MOB.replace(b'"', b"'") + b"<Zone name='y' level='0'>"
    yield from _repeat(b"1/1,", 7_900_000)
    yield b"</Zone></Mob>" + TAIL


def long_quest_comments() -> Body:
    yield HEAD
    texts = ["ß=".encode() * 2000] * 4
    comment = b'<Questcomment timestamp="1" title="%b" author="%b" objective="%b" text="%b"/>' % tuple(texts)
    yield from _repeat(comment, DOCUMENT_BYTES)
    yield TAIL


def tiny_mobs() -> Body:
    yield HEAD.replace(b'"44"', b'"42"')
    yield from _numbered(b'<Mob name="name %d" min="1" max="1"/>', DOCUMENT_BYTES)
    yield TAIL


def as_many_objects_as_may_be_named() -> Body:
    yield HEAD
    yield from _numbered(b'<Loot name="OPENo%d#1#1#y#0">+</Loot>', 7_000_000)
    yield from _repeat(b'<Loot name="OPENo1#1#1#y#0">+</Loot>', DOCUMENT_BYTES - 7_100_000)
    yield TAIL


def as_many_waters_as_may_be_named() -> Body:
    yield HEAD
    yield from _numbered(b'<Loot name="FISH#1#1#y%d#0">+</Loot>', 7_000_000)
    yield from _repeat(b"<Loot name='FISH#1#1#y1#0'>+</Loot>", DOCUMENT_BYTES - 7_100_000)
    yield TAIL


def more_sources_than_may_be_named() -> Body:
    yield HEAD
    yield from _numbered(b'<Loot name="OPENo%d#1#1#y#0">+</Loot>', 10_000_000)
    yield TAIL


def mob_in_as_many_places_as_may_be_named() -> Body:
    yield HEAD + MOB
    yield from _numbered(b'<Zone name="y%d" level="0">1/1,</Zone>', 7_000_000)
    yield from _repeat(b'<Zone name="y1" level="0">1/1,</Zone>', DOCUMENT_BYTES - 7_100_000)
    yield b"</Mob>" + TAIL


def unknown_elements() -> Body:
    yield HEAD
    yield from _numbered(b"<e%d/>", DOCUMENT_BYTES)
    yield TAIL


def unknown_attributes() -> Body:
    yield HEAD
    yield from _numbered(b'<Mob a%d=""/>', DOCUMENT_BYTES)
    yield TAIL


def unknown_attributes_behind_an_unknown_element() -> Body:
    yield HEAD + b"<e/>"
    yield from _numbered(b'<Merchant name="x" a%d=""/>', DOCUMENT_BYTES)
    yield TAIL


def not_closed() -> Body:
    yield HEAD
    yield from _repeat(b'<Mob name="x" min="1" max="1"/>', DOCUMENT_BYTES)


def one_endless_tag() -> Body:
    yield HEAD + b'<Merchant name="x" '
    yield from _repeat(b" ", DOCUMENT_BYTES)


def text_between_elements() -> Body:
    yield HEAD
    yield from _repeat(b"x", DOCUMENT_BYTES)
    yield TAIL


def text_within_a_mob() -> Body:
    yield HEAD + MOB
    yield from _repeat(b"x<Zone name='y' level='0'/>", DOCUMENT_BYTES)
    yield b"</Mob>" + TAIL


def wide_tags() -> Body:
    """Attributes up to what one tag may have, again and again."""
    yield HEAD
    tag = b"<Mob " + b"".join(b'a%d="" ' % number for number in range(19_000)) + b"/>"
    yield from _repeat(tag, DOCUMENT_BYTES)
    yield TAIL


def namespaces() -> Body:
    yield HEAD
    yield from _numbered(b'<Mob xmlns:n%d="urn:x"/>', DOCUMENT_BYTES)
    yield TAIL


SHAPES: dict[str, Callable[[], Body]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        tiny_mobs,
        tiny_loots,
        as_many_objects_as_may_be_named,
        as_many_waters_as_may_be_named,
        mob_in_as_many_places_as_may_be_named,
        more_sources_than_may_be_named,
        mob_of_a_million_zones,
        zone_of_short_coordinates,
        three_zones_of_all_bytes_allowed,
        loot_of_plus_signs,
        loot_of_copper,
        loot_of_one_looting,
        three_loots_of_items,
        texts_that_only_the_slow_path_reads,
        long_quest_comments,
        unknown_elements,
        unknown_attributes,
        unknown_attributes_behind_an_unknown_element,
        not_closed,
        one_endless_tag,
        text_between_elements,
        text_within_a_mob,
        wide_tags,
        namespaces,
    )
}
