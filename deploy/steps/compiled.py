"""The module that is written in Cython, compiled for this machine's Python and put beside its source.

`.venv/bin/python -m deploy.steps.compiled` does it by hand. What is compiled carries what it was made of, its source's
digest first: here it tells whether there is anything to do, and where it is imported, whether it fits what it stands
beside. Which Python it is for is in the file's name.
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

from deploy.steps.place import CHECKOUT
from deploy.steps.progress import run, step
from deploy.steps.venv import VENV

NAME = "ingest.formats.mobmapdata.scan"
SOURCE = Path("ingest/formats/mobmapdata/scan.pyx")
#: The virtual environment's Python is Debian's, as is the one that runs this.
COMPILED = SOURCE.with_suffix(str(sysconfig.get_config_var("EXT_SUFFIX")))
LIBRARIES = ("b2",)
FLAGS = ("-O2", "-Wall")


def prepare() -> None:
    """Compile unless what is there was made of this very source, in this very way; raises `Failure`."""
    compiled = CHECKOUT / COMPILED
    if compiled.is_file() and f"{made_of()}\0".encode() in compiled.read_bytes():
        return
    with step(f"Compiling {SOURCE}"):
        run(
            [VENV / "bin" / "python", "-m", "deploy.steps.compiled"],
            doing=f"Compiling {SOURCE}",
            advice="It needs Debian's packages gcc, libc6-dev, libpython3-dev and libb2-dev (deploy/packages server), "
            f"and to write into {compiled.parent}.",
            cwd=CHECKOUT,
        )


def compile_into(folder: Path, flags: Sequence[str] = ()) -> Path:
    """Compile into a folder, with flags for compiler and linker besides; returns the file."""
    # Only the environment has them, and Debian's own Python reads this module, too.
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
    """Return what the result is known by: `3f0c… Cython 3.1.2 -O2 -Wall -lb2`."""
    digest = hashlib.sha256((CHECKOUT / SOURCE).read_bytes()).hexdigest()
    return " ".join([digest, "Cython", _cython(), *FLAGS, *flags, *(f"-l{name}" for name in LIBRARIES)])


def _cython() -> str:
    """Return the environment's version of Cython, for Debian's own Python as well, which has none or another."""
    packages = sysconfig.get_path("purelib", "venv", {"base": str(VENV)})
    return next(found.version for found in distributions(name="Cython", path=[packages, *sys.path]))


def main() -> None:
    """Compile, and put the result in the place of an older one at once: a running site may start a process now."""
    os.chdir(CHECKOUT)
    with tempfile.TemporaryDirectory(prefix=".compiling-", dir=SOURCE.parent) as scratch:
        made = compile_into(Path(scratch))
        made.replace(COMPILED)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # noqa: BLE001  (what was wrong has been printed, and a traceback would hide it)
        sys.exit(f"{type(error).__name__}: {error}")
