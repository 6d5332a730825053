"""Values of the coordinate lists and loot texts that lxml read: one plain loop for each.

`scan.pyx` reads the same in C for elements in the addon's own form, which are nearly all.
"""

from __future__ import annotations

import re
from array import array

from ingest.formats.mobmapdata import grammar

#: Of a slot in a valid loot text: the last `+` before it, an item's id or the copper, and the `:` behind an item's id.
_slots = re.compile(r"(\+?)([0-9]+)(:?)[^#]*#").findall


def coordinates(text: str) -> array[int]:
    """Return the packed coordinates of a list `x/y,x/y,` as int32; raises `ValueError` for another text."""
    if not grammar.is_coordinate_list(text):
        raise ValueError(grammar.coordinate_fault(text)[1])
    packed = array("i")
    for piece in grammar.pieces(text, ","):
        packed.extend(grammar.pack(*entry.split("/")) for entry in piece.split(",") if entry)
    return packed


def lootings(text: str, version: int) -> grammar.Lootings:
    """Count the lootings, money and drops of a text `+slot#slot#+slot#`; raises `ValueError` for another text.

    `"+3651:0:0:2#117#+3651:0:0:1#64#"` → 2 lootings, 2 with money, 181 copper, items [3651, 3651].
    """
    if not grammar.is_loot_text(text, version):
        raise ValueError(grammar.loot_text_fault(text, version))
    money_lootings = copper = 0
    items = array("i")
    has_money = False
    dropped: set[int] = set()
    for piece in grammar.pieces(text, "#"):
        for begins, number, is_item in _slots(piece):
            if begins:
                has_money = False
                dropped.clear()
            if not is_item:
                copper += int(number)
                money_lootings += not has_money
                has_money = True
            elif (item := int(number)) not in dropped:
                dropped.add(item)
                items.append(item)
    return grammar.Lootings(text.count("+"), money_lootings, copper, items)
