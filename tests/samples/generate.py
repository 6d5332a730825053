"""Bad bodies too large to be kept as files: named functions that yield them in chunks.

`GENERATED` holds them by the name that `invalid/manifest.json` uses; none needs much memory.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterator
from itertools import repeat

import zstandard

MB = 1_000_000
HEAD = b'<MobMapData language="deDE" version="44" gameversion="12.7.3|play.lantern-isles.example">'
TAIL = b"</MobMapData>"
LOOT = b'<Loot name="n0x0BE2#12.5#80#Weidenmark#0">'

Body = Iterator[bytes]


def _repeat(piece: bytes, size_bytes: int) -> Body:
    """Yield a piece again and again, in chunks, `size_bytes` in all or a little more."""
    chunk = piece * max(1, 100_000 // len(piece))
    yield from repeat(chunk, -(-size_bytes // len(chunk)))


def quadratic_blow_up() -> Body:
    """One entity of 100 kB, used 50,000 times."""
    yield b'<!DOCTYPE MobMapData [<!ENTITY a "' + b"a" * 100_000 + b'">]>' + HEAD + LOOT
    yield b"&a;" * 50_000 + b"</Loot>" + TAIL


def nesting_of_a_million() -> Body:
    """Elements within elements, a million deep."""
    yield HEAD
    yield from _repeat(b"<Mob>", 5 * MB)
    yield from _repeat(b"</Mob>", 6 * MB)
    yield TAIL


def million_attributes() -> Body:
    """A Mob with a million attributes."""
    yield HEAD + b"<Mob"
    for start in range(0, MB, 10_000):
        yield b"".join(b' a%d="1"' % number for number in range(start, start + 10_000))
    yield b"/>" + TAIL


def text_of_40_mb() -> Body:
    """A list of positions past the limit of a document."""
    yield HEAD + b'<Mob name="x" blizzid="1" min="1" max="1" react="0" date="1"><Zone name="y" level="0">'
    yield from _repeat(b"12.5/80,", 40 * MB)
    yield b"</Zone></Mob>" + TAIL


def text_of_11_mb() -> Body:
    """A list of positions longer than any one text may be."""
    yield HEAD + b'<Mob name="x" blizzid="1" min="1" max="1" react="0" date="1"><Zone name="y" level="0">'
    yield from _repeat(b"12.5/80,", 11 * MB)
    yield b"</Zone></Mob>" + TAIL


def attribute_of_11_mb() -> Body:
    """An attribute longer than any one text may be."""
    yield HEAD + b'<Merchant name="'
    yield from _repeat(b"x", 11 * MB)
    yield b'"/>' + TAIL


def body_of_50_mb() -> Body:
    """Blanks, past the limit of a body."""
    yield HEAD
    yield from _repeat(b" ", 50 * MB)
    yield TAIL


def base64_of_40_mb() -> Body:
    """Base64 whose document is past the limit while the body may just be within."""
    whole = b"".join(text_of_40_mb())
    for start in range(0, len(whole), 3 * 100_000):
        yield base64.b64encode(whole[start : start + 3 * 100_000])


def _gzipped(body: Body) -> Body:
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    for chunk in body:
        yield packer.compress(chunk)
    yield packer.flush()


def gzip_bomb() -> Body:
    """Half a gigabyte of blanks in some 500 kB."""
    yield from _gzipped(_repeat(b" ", 500 * MB))


def zstd_bomb() -> Body:
    """Four gigabytes of blanks in some 400 kB: frames of 10 MB one after the other."""
    yield from repeat(zstandard.ZstdCompressor(level=3).compress(b" " * 10 * MB), 400)


def zstd_huge_window() -> Body:
    """A frame that asks its reader for a window of two gigabytes."""
    # Magic number, a descriptor without a content size, and the window: exponent 21 of 2^(10+x).
    yield b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([21 << 3]) + b"\x01\x00\x00"


def text_of_4001_characters() -> Body:
    """A quest comment one character too long."""
    text = "ß".encode() * 4001
    yield HEAD + b'<Questcomment timestamp="1" title="a" objective="b" text="' + text + b'"/>' + TAIL


def loot_of_a_million_broken_slots() -> Body:
    """A loot text that only turns out to be broken at its end, for patterns that backtrack."""
    yield HEAD + LOOT + b"+"
    yield from _repeat(b"45#+", 4 * MB)
    yield b"x</Loot>" + TAIL


def million_faults() -> Body:
    """So many faults that telling all of them would be a bomb of its own."""
    yield HEAD
    yield from _repeat(b'<MobSpell name="x"><Spell id="0" count="1"/></MobSpell>', 20 * MB)
    yield TAIL


GENERATED: dict[str, Callable[[], Body]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        quadratic_blow_up,
        nesting_of_a_million,
        million_attributes,
        text_of_40_mb,
        text_of_11_mb,
        attribute_of_11_mb,
        body_of_50_mb,
        base64_of_40_mb,
        gzip_bomb,
        zstd_bomb,
        zstd_huge_window,
        text_of_4001_characters,
        loot_of_a_million_broken_slots,
        million_faults,
    )
} | {"gzip-bomb-without-header": gzip_bomb}
