"""Simulated uploads, kept outside the checkout between runs, and the same put into a site's spool."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.servers import Site
from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure, say, step

#: Mean size of a simulated upload, as `./manage.py simulate` writes it.
MEAN_KB = 65.0
#: Players of every corpus: the same number, so that a longer corpus begins like a shorter one.
PLAYERS = 3000
SEED = 7


_UNKNOWN_SOURCE = re.compile(rb'<Loot name="UNKN[^"]*">([^<]*)<')


@dataclass(frozen=True)
class Entry:
    """A file of a corpus with what its book says of it."""

    path: Path
    player: str
    positions: int
    lootings: int

    def lootings_of_unknown(self) -> int:
        """Return how many lootings have no known source: those are accepted and count for none."""
        return sum(text.count(b"+") for text in _UNKNOWN_SOURCE.findall(self.path.read_bytes()))


@dataclass(frozen=True)
class Corpus:
    """Simulated uploads, dealt to the locales in turn."""

    folder: Path
    entries: list[Entry]

    @property
    def size_bytes(self) -> int:
        return sum(entry.path.stat().st_size for entry in self.entries)

    @property
    def positions(self) -> int:
        return sum(entry.positions for entry in self.entries)

    @property
    def lootings(self) -> int:
        return sum(entry.lootings for entry in self.entries)

    def first(self, uploads: int) -> Corpus:
        """Return the corpus of fewer uploads that this one begins with."""
        return Corpus(self.folder, self.entries[:uploads])


def cache() -> Path:
    """Return where corpora are kept: the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mobmap-bench"


def make(made: Site, uploads: int, *, seed: int = SEED, mix: bool = False, size_kb: float = MEAN_KB) -> Corpus:
    """Return a corpus, simulating it if it is not kept from an earlier run."""
    name = f"{uploads}-{seed}-{size_kb:g}kb-{'mix' if mix else 'v44'}-{PLAYERS}"
    folder = cache() / name
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        say(f"· Simulating {uploads:,} uploads (kept in {folder})")
        done = subprocess.run(
            [
                *(sys.executable, "manage.py", "simulate", folder, "--uploads", str(uploads), "--seed", str(seed)),
                *("--players", str(PLAYERS), "--size-kb", f"{size_kb:g}", "--force", *(["--mix"] if mix else [])),
            ],
            cwd=CHECKOUT,
            env=made.environment(),
            check=False,
        )
        if done.returncode:
            raise Failure(f"./manage.py simulate failed (exit status {done.returncode}); the reason is above.")
        (folder / "complete").write_text("")
    books = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("book-*.json"))]
    entries = [
        Entry(folder / row["file"], row["player"], row["positions"], row["lootings"])
        for rows in zip(*books, strict=True)
        for row in rows
    ]
    return Corpus(folder, entries)


@dataclass(frozen=True)
class Prepared:
    """A corpus as accepted uploads: spooled documents and the rows for them, to be put back for each run."""

    folder: Path

    def restore(self, made: Site) -> None:
        """Put documents and rows into a site; documents as hard links, which are only ever renamed."""
        subprocess.run(["cp", "--archive", "--link", f"{self.folder}/spool/.", made.spool], check=True)
        with (
            made.connect() as connection,
            (self.folder / "rows").open("rb") as rows,
            connection.cursor().copy(f"COPY ingest_upload ({self._columns()}) FROM STDIN") as copy,
        ):
            while data := rows.read(1 << 20):
                copy.write(data)

    def warm(self) -> None:
        """Read every document once: what was just accepted lies in the page cache, however much it is."""
        for document in (self.folder / "spool").rglob("*"):
            if document.is_file():
                document.read_bytes()

    def _columns(self) -> str:
        return (self.folder / "columns").read_text()


def spool(made: Site, corpus: Corpus, name: str) -> Prepared:
    """Accept a corpus as the web server would (two processes, not timed) and keep the outcome aside."""
    folder = made.folders.var / "prepared" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made.empty()
    made.spool.mkdir(exist_ok=True)
    with step(f"Spooling {len(corpus.entries):,} uploads, {corpus.size_bytes / 1e6:,.0f} MB"):
        # Each process takes every other pair: both locales, in the order of the corpus.
        parts = [corpus.entries[start::4] + corpus.entries[start + 1 :: 4] for start in (0, 2)]
        running = [
            subprocess.Popen(
                [sys.executable, "-B", "-m", "bench.spooling"],
                cwd=CHECKOUT,
                env=made.environment(),
                stdin=subprocess.PIPE,
                text=True,
            )
            for _ in parts
        ]
        for process, part in zip(running, parts, strict=True):
            assert process.stdin is not None
            process.stdin.write("".join(f"{entry.path}\t{entry.player}\n" for entry in part))
            process.stdin.close()
        statuses = [process.wait() for process in running]
        if any(statuses):
            raise Failure("Spooling the uploads failed; the reason is above.")
    with made.connect() as connection:
        names = connection.execute(
            "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = 'ingest_upload'::regclass"
            " AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"
        ).fetchall()
        columns = ", ".join(name for (name,) in names)
        (folder / "columns").write_text(columns)
        with (
            (folder / "rows").open("wb") as rows,
            connection.cursor().copy(f"COPY ingest_upload ({columns}) TO STDOUT") as copy,
        ):
            for data in copy:
                rows.write(data)
    made.spool.rename(folder / "spool")
    return Prepared(folder)
