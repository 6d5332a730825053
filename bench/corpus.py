"""Simulated uploads, kept outside the checkout between runs, and put into a site's spool."""

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

#: Mean size of a simulated upload, as `python -m simulation` writes it.
MEAN_KB = 65.0
#: Players of every corpus: a fixed number, so that a longer corpus begins like a shorter one.
PLAYERS = 3000
SEED = 7


_UNKNOWN_SOURCE = re.compile(rb'<Loot name="UNKN[^"]*">([^<]*)<')


@dataclass(frozen=True)
class Entry:
    """A file of a corpus with its player and counts, as the corpus' book gives them."""

    path: Path
    player: str
    positions: int
    lootings: int

    def lootings_of_unknown(self) -> int:
        """Return the number of lootings without a known source: they are accepted but not counted."""
        return sum(text.count(b"+") for text in _UNKNOWN_SOURCE.findall(self.path.read_bytes()))


@dataclass(frozen=True)
class Corpus:
    """Simulated uploads, alternating between the locales."""

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
        """Return a corpus of the first uploads of this one."""
        return Corpus(self.folder, self.entries[:uploads])


def cache() -> Path:
    """Return the folder of all corpora, in the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mobmap-bench"


def make(site: Site, uploads: int, *, seed: int = SEED, mix: bool = False, size_kb: float = MEAN_KB) -> Corpus:
    """Return a corpus; simulate it unless an earlier run has kept it."""
    name = f"{uploads}-{seed}-{size_kb:g}kb-{'mix' if mix else 'v44'}-{PLAYERS}"
    folder = cache() / name
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        say(f"· Simulating {uploads:,} uploads (kept in {folder})")
        done = subprocess.run(
            [
                *(sys.executable, "-B", "-m", "simulation", folder, "--uploads", str(uploads), "--seed", str(seed)),
                *("--players", str(PLAYERS), "--size-kb", f"{size_kb:g}", "--force", *(["--mix"] if mix else [])),
            ],
            cwd=CHECKOUT,
            check=False,
        )
        if done.returncode:
            raise Failure(f"python -m simulation failed (exit status {done.returncode}); the reason is above.")
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
    """A corpus as accepted uploads: spooled documents and their rows, to be restored before each run."""

    folder: Path

    def restore(self, site: Site) -> None:
        """Put documents and rows into a site; documents as hard links, because they are only renamed later."""
        subprocess.run(["cp", "--archive", "--link", f"{self.folder}/spool/.", site.spool], check=True)
        with (
            site.connect() as connection,
            (self.folder / "rows").open("rb") as rows,
            connection.cursor().copy(f"COPY ingest_upload ({self._columns()}) FROM STDIN") as copy,
        ):
            while data := rows.read(1 << 20):
                copy.write(data)

    def warm(self) -> None:
        """Read every document once: just accepted documents would be in the page cache."""
        for document in (self.folder / "spool").rglob("*"):
            if document.is_file():
                document.read_bytes()

    def _columns(self) -> str:
        return (self.folder / "columns").read_text()


def spool(site: Site, corpus: Corpus, name: str) -> Prepared:
    """Accept a corpus as the web server would (two processes, not timed); return the result for `restore`."""
    folder = site.folders.var / "prepared" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    site.empty()
    site.spool.mkdir(exist_ok=True)
    with step(f"Spooling {len(corpus.entries):,} uploads, {corpus.size_bytes / 1e6:,.0f} MB"):
        # Each process accepts every other pair: both locales, in the order of the corpus.
        parts = [corpus.entries[start::4] + corpus.entries[start + 1 :: 4] for start in (0, 2)]
        running = [
            subprocess.Popen(
                [sys.executable, "-B", "-m", "bench.spooling"],
                cwd=CHECKOUT,
                env=site.environment(),
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
    with site.connect() as connection:
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
    site.spool.rename(folder / "spool")
    return Prepared(folder)
