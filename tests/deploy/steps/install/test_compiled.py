"""The Cython module: compiled only when needed, replaced atomically, identified by what it was made of."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.steps.install import compiled
from deploy.steps.install.venv import VENV
from deploy.steps.progress import Failure

#: Files that other processes write there meanwhile and soon rename or remove.
NOT_OF_THE_CHECKOUT = shutil.ignore_patterns("__pycache__", ".compiling-*")


#: A module of a few lines, which takes a second to compile: ./deploy/test itself compiles the real one.
SMALL = """
cdef extern from *:
    const char *MADE_OF

made_of = MADE_OF.decode()
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout that holds a small module under the real one's name, and what compiles it."""
    shutil.copytree(compiled.CHECKOUT / "deploy", tmp_path / "deploy", ignore=NOT_OF_THE_CHECKOUT)
    source = tmp_path / compiled.SOURCE
    source.parent.mkdir(parents=True)
    source.write_text(SMALL)
    monkeypatch.setattr(compiled, "CHECKOUT", tmp_path)
    return tmp_path


def test_it_is_compiled_once_for_each_source(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, made = checkout / compiled.SOURCE, checkout / compiled.COMPILED

    def compilations() -> int:
        compiled.prepare()
        assert {path.name for path in made.parent.iterdir()} == {made.name, source.name}
        assert compiled.made_of().encode() in made.read_bytes()
        return capsys.readouterr().out.count("Compiling")

    assert compilations() == 1
    first = made.stat().st_ino
    assert compilations() == 0
    source.write_text(source.read_text() + "\n# another word\n")
    assert compilations() == 1
    assert made.stat().st_ino != first, "a process that has the older one keeps it whole"
    made.unlink()
    assert compilations() == 1


@pytest.mark.parametrize(("of", "other"), [("FLAGS", ("-O3",)), ("LIBRARIES", ()), ("_cython", lambda: "3.0")])
def test_it_is_compiled_again_when_flags_libraries_or_cython_change(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], of: str, other: object
) -> None:
    (checkout / compiled.COMPILED).write_bytes(b"before" + compiled.made_of().encode() + b"\0behind")
    monkeypatch.setattr(compiled, "run", lambda *_, **__: None)
    compiled.prepare()
    assert "Compiling" not in capsys.readouterr().out
    monkeypatch.setattr(compiled, of, other)
    compiled.prepare()
    assert "Compiling" in capsys.readouterr().out


def test_a_source_that_cannot_be_compiled_leaves_the_older_result_and_says_what_is_needed(checkout: Path) -> None:
    made = checkout / compiled.COMPILED
    made.write_bytes(b"of an older source")
    (checkout / compiled.SOURCE).write_text("cdef int broken(\n")
    with pytest.raises(
        Failure, match=r"Compiling .*scan\.pyx failed[\s\S]*broken\([\s\S]*gcc, libc6-dev, libpython3-dev"
    ):
        compiled.prepare()
    assert made.read_bytes() == b"of an older source"


def test_a_module_that_does_not_fit_its_source_is_not_imported_and_says_what_to_do(tmp_path: Path) -> None:
    """For example when a process starts after the code was updated and before it was compiled."""
    shutil.copytree(compiled.CHECKOUT / "ingest", tmp_path / "ingest", ignore=NOT_OF_THE_CHECKOUT)
    (tmp_path / "maps").symlink_to(compiled.CHECKOUT / "maps")

    def imported() -> subprocess.CompletedProcess[str]:
        command = [VENV / "bin" / "python", "-c", "import ingest.formats.mobmapdata.fast_path"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)

    assert imported().returncode == 0
    made = tmp_path / compiled.COMPILED
    whole = made.read_bytes()
    made.unlink()
    made.write_bytes(whole.replace(b"libb2.so.1", b"libb2.so.0"))
    assert "libb2.so.0: cannot open shared object file" in (printed := imported().stderr)
    assert "Debian's package libb2-1" in printed and "scan.*.so, so that it is compiled again" in printed
    digest = compiled.made_of().partition(" ")[0].encode()
    made.write_bytes(whole.replace(digest, b"0" * len(digest)))
    assert "scan.pyx has changed since it was compiled. Stop the site" in imported().stderr, "of older code"
    made.write_bytes(whole)
    with (tmp_path / compiled.SOURCE).open("a") as source:
        source.write("\n# newer\n")
    printed = imported().stderr
    assert "scan.pyx has changed since it was compiled. Stop the site and start it again: ./deploy/stop" in printed
    assert ".venv/bin/python -m deploy.steps.install.compiled" in printed
    made.unlink()
    assert "scan.pyx has to be compiled for this Python" in imported().stderr
