"""Elements of lxml: free them while a document is read."""

from __future__ import annotations

from lxml import etree


def drop(element: etree._Element) -> None:
    """Free an element after it was read, and the empty element before it."""
    element.clear()
    previous = element.getprevious()
    parent = element.getparent()
    if previous is not None and parent is not None:
        parent.remove(previous)
