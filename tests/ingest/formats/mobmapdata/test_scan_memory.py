"""The C scan touches no memory but its own: compiled with sanitizers, it reads hostile documents."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from deploy.steps.folders import CHECKOUT
from deploy.steps.install.compiled import COMPILED
from deploy.steps.install.venv import VENV

SANITIZERS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]

COMPILE = """
import pathlib, sys
from deploy.steps.install.compiled import compile_into
compile_into(pathlib.Path(sys.argv[1]), sys.argv[2:])
"""

#: Runs with nothing of Python's own allocator, so that each document ends where its memory ends.
READ = """
import importlib.util, random, sys
spec = importlib.util.spec_from_file_location("ingest.formats.mobmapdata.scan", sys.argv[1])
scan = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scan)

class Known(dict):
    def __missing__(self, raw):
        if raw.startswith(b"refused"):
            raise ValueError(raw)
        return raw

class Numbers(dict):
    def __missing__(self, raw):
        if raw.startswith(b"refused"):
            raise ValueError(raw)
        return len(raw)

def read(document, longest=1 << 16):
    for version in (42, 44):
        try:
            scan.Digests(bytes(document), version, Known(), Known(), Known(), Known(), (b"</MobMapData",), longest)
        except ValueError:
            pass
        try:
            scan.Columns(bytes(document), version, 1, 2, Numbers(), Numbers(), Numbers(), Known())
        except ValueError:
            pass

LOOT = b'<Loot name="n0x1#21.6#100.0#Z#10">+5#1:0:0:1:54Z#+7:-1:-9999999999:0:z#7:0:0:1#64#++64#</Loot>'
LOOT_42 = b'<Loot name="nA#-1#-1#Z">+5#1:0:0:1#+7#</Loot>'
MOB = (b'<Mob name="A" blizzid="2147483647" min="-1" max="999" react="12" date="6659"><Zone name="Z" level="0"></Zone>'
       b'<Zone name="Y" level="10">1/1.0,-1/-1,100.0/0,</Zone></Mob>')
REFUSED = LOOT.replace(b"Z#10", b"refused#10")
LOOT_BEGIN, MOB_BEGIN = LOOT[: LOOT.index(b">") + 1], MOB[: MOB.index(b">") + 1]
WHOLE = b"<MobMapData>" + LOOT + LOOT_42 + b" " + MOB + REFUSED + b"</MobMapData>"

for element in (LOOT, LOOT_42, MOB, REFUSED, WHOLE):
    for end in range(len(element) + 1):  # nothing behind it
        for longest in (1, 8, 1 << 16):
            read(element[:end], longest)
        for start in range(0, end, 7):  # something left out
            read(element[:start] + element[end:])
PIECES = [bytes([byte]) for byte in b'<"#+/,-01\\0\\xff'] + [b"", b".0", b"<Zone", LOOT, MOB[:90]]
chance = random.Random(1)
for _ in range(30_000):
    document = bytearray(WHOLE)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(document))
        document[at : at + chance.choice((0, 0, 1, 1, 9))] = chance.choice(PIECES)
    read(document, chance.choice((1, 60, 1 << 16)))
PARTS = [b"+", b"+5#", b"5#", b"+5#6#", b"+1:0:0:0#", b"1:0:0:0#", b"10:0:0:0#11:0:0:0#12:0:0:0#", b"1/1,"]
PARTS += [b"10.0/10.0,", b'<Zone name="Z" level="0"></Zone>', LOOT, MOB]
for part in PARTS:
    for size in (1 << 16, 1 << 18):
        for over in (-1, 0, 1):
            text = part * (size // len(part) + over)
            read(LOOT_BEGIN + text + b"</Loot>")
            read(LOOT_BEGIN + b"+" + text + b"</Loot>")
            read(MOB_BEGIN + b'<Zone name="Z" level="0">' + text + b"</Zone></Mob>")
            read(MOB_BEGIN + text + b"</Mob>")
            read(text)
print("read")
"""

#: Against an endless loop: it takes a minute in all.
PATIENCE_S = 1800


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the module compiled with sanitizers."""
    folder = tmp_path_factory.mktemp("watched")
    command = [VENV / "bin" / "python", "-c", COMPILE, folder, *SANITIZERS]
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, timeout=PATIENCE_S)
    return folder / COMPILED


def test_no_document_makes_it_touch_other_memory(watched: Path) -> None:
    libraries = [
        subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    done = subprocess.run(
        [VENV / "bin" / "python", "-c", READ, watched],
        cwd=CHECKOUT,
        env=os.environ
        | {"LD_PRELOAD": " ".join(libraries), "PYTHONMALLOC": "malloc", "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "read\n"), done.stderr[-4_000:]
