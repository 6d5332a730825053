"""Validation: counts of valid documents, places of faults, nothing in between."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.problems import Problem
from ingest.formats.mobmapdata import validate as validation
from ingest.formats.mobmapdata.validate import validate
from ingest.intake import accept
from ingest.problems import InvalidDocument, NotWellFormed, TooLarge
from portal.env import BASE_DIR as CHECKOUT
from tests.ingest.factories import (
    OTHERS,
    WRAPPINGS,
    Note,
    contents,
    document,
    element,
    loot,
    mob,
    notes,
    open_body,
    zone,
)

WHOLE = document(mob(zone("21.6/33,-1/-1,")), loot("+3651:0:0:1:54Z#117#+64#"), *OTHERS)


def refusal(*records: str, version: int = 44) -> list[tuple[str, str]]:
    """Return code and place (without line and column) of each fault of a document."""
    with pytest.raises(InvalidDocument) as refused:
        contents(document(*records, version=version))
    return [(error["code"], error["where"].partition(" ")[0]) for error in refused.value.errors or []]


def test_a_document_is_counted() -> None:
    found = contents(WHOLE)
    assert (found.language, found.version, found.game_version) == ("deDE", 44, "3.3.5|test")
    assert (found.mobs, found.positions, found.lootings) == (1, 2, 2)
    names = ["Questcomment", "Merchant", "Recipe", "Trainer", "EventObjective", "MobSpell"]
    assert found.ignored == dict.fromkeys(names, 1)


def test_an_empty_document_is_valid_and_holds_nothing() -> None:
    found = contents(document())
    assert (found.mobs, found.positions, found.lootings, found.ignored) == (0, 0, 0, {})


@settings(max_examples=150, deadline=None)
@given(notes())
def test_coordinates_and_lootings_are_counted_as_they_are_written(note: Note) -> None:
    found = contents(note.xml())
    mobs = [record for record in note.records if hasattr(record, "zones")]
    loots = [record for record in note.records if hasattr(record, "lootings")]
    assert found.mobs == len(mobs)
    assert found.positions == sum(len(entries) for record in mobs for _, _, entries in record.zones)
    assert found.lootings == sum(len(record.lootings) for record in loots)


def test_version_43_is_what_is_valid_as_42_or_as_44() -> None:
    as_44, as_42 = mob(zone("1/1,")), mob(zone("1/1,", level=None), id=None)
    assert contents(document(as_44, as_42, version=43)).mobs == 2
    assert refusal(as_42, version=44)[0] == ("missing-attribute", "/MobMapData/Mob[1]/Zone[1]")
    assert refusal(as_44, version=42)[0] == ("unknown-attribute", "/MobMapData/Mob[1]/Zone[1]")


# --- no document cut short is taken -----------------------------------------------------------------
@pytest.mark.parametrize("wrapping", sorted(WRAPPINGS))
def test_a_document_cut_anywhere_is_refused(wrapping: str) -> None:
    body = WRAPPINGS[wrapping](WHOLE)
    whole = contents(body)
    taken = []
    for end in range(len(body)):
        try:
            taken.append((end, contents(body[:end])))
        except Problem as problem:
            assert problem.status in {400, 422}
    # Only blanks, a byte-order mark and Base64's own padding may be missing at the end.
    assert all(found == whole for _, found in taken)
    assert all(body[end:].strip(b" \t\r\n=\xef\xbb\xbf") == b"" for end, _ in taken)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_a_damaged_document_is_accepted_or_refused_and_never_breaks_validation(seed: int) -> None:
    damage = random.Random(seed)
    body = bytearray(WHOLE)
    for _ in range(damage.randint(1, 4)):
        start = damage.randrange(len(body))
        kind = damage.choice(["drop", "swap", "repeat", "letter"])
        length = damage.choice([1, 2, 10, 60])
        piece = bytes(body[start : start + length])
        if kind == "drop":
            del body[start : start + length]
        elif kind == "swap":
            other = damage.randrange(len(body))
            body[other:other] = piece
        elif kind == "repeat":
            body[start:start] = piece
        else:
            body[start] = damage.choice(b"<>&;\"'=/x0-#+,: \x00\xff")
    try:
        contents(bytes(body))
    except Problem as problem:
        assert problem.status in {400, 413, 422}
        assert len(problem.errors or []) <= 20


# --- faults and their places ------------------------------------------------------------------------
def test_what_follows_an_unknown_element_is_looked_at_too() -> None:
    faults = refusal("<Npc/>", "<Npc/>", mob(zone("1/1")), "<Mob/>", "<Npc/>")
    assert faults == [
        ("unknown-element", "/MobMapData/Npc[1]"),
        ("unknown-element", "/MobMapData/Npc[2]"),
        ("bad-coordinate", "/MobMapData/Mob[1]/Zone[1]"),
        ("missing-attribute", "/MobMapData/Mob[2]"),
        ("unknown-element", "/MobMapData/Npc[3]"),
    ]


def test_every_fault_is_reported_at_its_place() -> None:
    faults = refusal(
        mob(zone("1/1,100.1/5,"), id=0),
        loot("+x#"),
        loot(source="n0x1#1#-1#Z#0"),
        '<Mob name="x" blizzid="1" min="1" max="1" react="3" date="1"/>',
        mob(name="x" * 101),
        element("Merchant", {"name": "ok"}, element("MItem", {"id": 1, "qty": 1, "ltd": 0, "cost": 1, "tip": 1})),
    )
    assert faults == [
        ("coordinate-out-of-range", "/MobMapData/Mob[1]/Zone[1]"),
        ("bad-id", "/MobMapData/Mob[1]"),
        ("bad-loot-text", "/MobMapData/Loot[1]"),
        ("bad-loot-name", "/MobMapData/Loot[2]"),
        ("bad-react", "/MobMapData/Mob[2]"),
        ("bad-name", "/MobMapData/Mob[3]"),
        ("unknown-attribute", "/MobMapData/Merchant[1]/MItem[1]"),
    ]


def test_a_fault_is_reported_with_its_line_and_column() -> None:
    body = document("\n", mob(), "\n  ", mob(id=0))
    with pytest.raises(InvalidDocument) as refused:
        contents(body)
    [error] = refused.value.errors or []
    column = len(body.splitlines()[2]) - len("</Mob></MobMapData>") + 1
    assert error["where"].startswith("/MobMapData/Mob[2] (line 3, column ")
    assert abs(int(error["where"].rstrip(")").rpartition(" ")[2]) - column) <= len("</Mob>")


def test_of_many_faults_twenty_are_reported() -> None:
    assert len(refusal(*[mob(id=0)] * 50)) == 20


def test_a_document_of_a_thousand_unknown_names_is_not_read_to_its_end() -> None:
    [fault] = refusal(*[f"<name{number}/>" for number in range(2_000)])
    assert fault == ("unknown-element", "/MobMapData/name996")


#: Prints by how many MB a process grows, once it has settled.
REFUSING = """
import django
django.setup()
from tests.ingest.formats.mobmapdata.test_validate import refusal

def resident_mb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024

for time in range(150):
    if time == 20:
        settled = resident_mb()
    assert refusal(*[f"<n{number:06x}/>" for number in range(time * 6_000, (time + 1) * 6_000)])
print(resident_mb() - settled)
"""


def test_names_of_refused_documents_are_not_kept() -> None:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "portal.settings"}
    command = [sys.executable, "-c", REFUSING]
    done = subprocess.run(command, cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 12


def test_a_text_past_libxml2s_limit_is_too_large() -> None:
    with pytest.raises(TooLarge, match="10,000,000 bytes"):
        contents(document(mob(zone("1/1," * 2_600_000))))


def test_a_second_root_is_not_well_formed() -> None:
    with pytest.raises(NotWellFormed):
        contents(document() + document())


def test_validation_leaves_the_document_open() -> None:
    stream = BytesIO(open_body(WHOLE))
    assert validate(stream) == validate(stream)
    assert not stream.closed


# --- the thread of the small documents ------------------------------------------------------------
def reader() -> object:
    """Return the thread that read the last small document, None after it ended."""
    return validation.small_documents._thread


def test_small_documents_share_a_thread_until_it_has_read_enough(monkeypatch) -> None:
    contents(document())
    first = reader()
    contents(document(mob()))
    assert first is not None and reader() is first
    monkeypatch.setattr(validation, "THREAD_READS_BYTES", 1000)
    validation.small_documents._left_bytes = 0
    contents(document())
    second = reader()
    assert second is not first
    contents(document(*[mob()] * 20))
    assert reader() not in {None, second}


def test_a_fault_ends_its_thread() -> None:
    contents(document())
    with pytest.raises(InvalidDocument):
        contents(document("<Strange/>"))
    assert reader() is None
    assert contents(document(mob())).mobs == 1


def test_a_process_forked_off_reads_with_a_thread_of_its_own() -> None:
    assert accept.validate is validate  # imported, so its hook for forks is registered
    contents(document())
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(0 if contents(document(mob())).mobs == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_documents_sent_at_once_get_their_own_answers() -> None:
    good, bad = document(mob()), document(mob(), "<Strange/>")

    def outcome(body: bytes) -> str:
        try:
            return str(contents(body).mobs)
        except InvalidDocument as problem:
            return problem.code

    with ThreadPoolExecutor(8) as senders:
        assert list(senders.map(outcome, [good, bad] * 60)) == ["1", InvalidDocument.code] * 60
