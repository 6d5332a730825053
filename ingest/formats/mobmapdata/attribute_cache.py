"""A cache of parsed attribute values by their raw bytes: most values occur many times in a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from lxml import etree

T = TypeVar("T")


class AttributeCache(dict[bytes, T]):
    """Maps XML within the quotes of an attribute `name`, as written, to what `read` makes of the attributes.

    A key may hold more attributes behind the name, such as `Z" level="0`. One attribute may be written in endless
    ways, so at most `size` are remembered. A missing key raises what `read` raises, or `etree.XMLSyntaxError`.
    """

    def __init__(self, read: Callable[[Mapping[str, str]], T], size: int) -> None:
        self._read = read
        self.size = size

    def __missing__(self, raw: bytes) -> T:
        attributes = etree.fromstring(b'<Element name="%b"/>' % raw).attrib
        if len(self) >= self.size:
            self.clear()
        value = self[raw] = self._read(cast("Mapping[str, str]", attributes))
        return value
