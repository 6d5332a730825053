"""Compile the Cython module for this machine's Python and put the result next to its source.

`.venv/bin/python -m deploy.steps.install.compiled` does it by hand. The result contains a line that says what it was
made of, its source's digest first. The line decides here whether to compile again, and at import whether the result
belongs to the source next to it. The file's name says for which Python it is.
"""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path

from deploy.steps.folders import CHECKOUT
from deploy.steps.install.venv import VENV
from deploy.steps.progress import run, step

NAME = "ingest.formats.mobmapdata.scan"
SOURCE = Path("ingest/formats/mobmapdata/scan.pyx")
#: The virtual environment uses Debian's Python, which also runs this module.
COMPILED = SOURCE.with_suffix(str(sysconfig.get_config_var("EXT_SUFFIX")))
LIBRARIES = ("b2",)
FLAGS = ("-O2", "-Wall")


def prepare() -> None:
    """Compile, unless the result of this source, compiler and flags exists already; raises `Failure`."""
    compiled = CHECKOUT / COMPILED
    if compiled.is_file() and f"{made_of()}\0".encode() in compiled.read_bytes():
        return
    with step(f"Compiling {SOURCE}"):
        run(
            [VENV / "bin" / "python", "-m", "deploy.steps.install.compiled"],
            doing=f"Compiling {SOURCE}",
            advice="It needs Debian's packages gcc, libc6-dev, libpython3-dev and libb2-dev (deploy/packages server), "
            f"and permission to write into {compiled.parent}.",
            cwd=CHECKOUT,
        )


def compile_into(folder: Path, flags: Sequence[str] = ()) -> Path:
    """Compile into a folder, with more flags for compiler and linker; returns the file."""
    # Only the environment has these packages, and Debian's own Python imports this module, too.
    from Cython.Build import cythonize
    from setuptools import Extension
    from setuptools.dist import Distribution

    extension = Extension(
        NAME,
        [str(SOURCE)],
        libraries=[*LIBRARIES],
        define_macros=[("MADE_OF", f'"{made_of(flags)}"')],
        extra_compile_args=[*FLAGS, *flags],
        extra_link_args=[*flags],
    )
    modules = cythonize([extension], build_dir=str(folder), language_level=3, quiet=True)
    command = Distribution({"name": "mobmap", "packages": [], "ext_modules": modules}).get_command_obj("build_ext")
    command.build_temp = command.build_lib = str(folder)
    command.ensure_finalized()
    command.run()
    return folder / COMPILED


def made_of(flags: Sequence[str] = ()) -> str:
    """Return the line that identifies the result: `3f0c… Cython 3.1.2 -O2 -Wall -lb2`."""
    digest = hashlib.sha256((CHECKOUT / SOURCE).read_bytes()).hexdigest()
    return " ".join([digest, "Cython", _cython(), *FLAGS, *flags, *(f"-l{name}" for name in LIBRARIES)])


def _cython() -> str:
    """Return the version of Cython in the environment; Debian's own Python, which may run this, has none or another."""
    packages = sysconfig.get_path("purelib", "venv", {"base": str(VENV)})
    return next(found.version for found in distributions(name="Cython", path=[packages, *sys.path]))


def main() -> None:
    """Compile and replace the older result atomically: a running site may start a process at any moment."""
    os.chdir(CHECKOUT)
    with tempfile.TemporaryDirectory(prefix=".compiling-", dir=SOURCE.parent) as scratch:
        made = compile_into(Path(scratch))
        made.replace(COMPILED)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # noqa: BLE001  (the compiler has printed the error, and a traceback would hide it)
        sys.exit(f"{type(error).__name__}: {error}")
