"""The folders of one site: `var/`, and those that must lie elsewhere.

The cluster: PostgreSQL refuses to run as root, and its own user can't enter a checkout under a home
of mode 0700. When root starts the site, the cluster lies under /var/lib/mobmap. The sockets: the path
of a Unix socket has at most 107 bytes, so they lie in /run (root), in var/run, or in /tmp where
var/run is too long.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import secrets
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deploy.steps.progress import Failure

CHECKOUT = Path(__file__).resolve().parents[2]
ROOTS_STATE = Path("/var/lib/mobmap")
RAM_DISK = Path("/dev/shm")  # noqa: S108  (PostgreSQL takes only a folder of its own user)
#: 107 bytes less the longest name PostgreSQL or the supervisor appends to a socket's folder.
LONGEST_SOCKET_FOLDER = 107 - len("/postgres/.s.PGSQL.5432.lock") - len(".65535")


@dataclass(frozen=True)
class SiteFolders:
    """The folders of one site. `var` is absolute and determines all others."""

    var: Path
    user_id: int

    @property
    def is_root(self) -> bool:
        return self.user_id == 0

    @cached_property
    def key(self) -> str:
        """Return a short name for this site, unique on this machine: `3f2a90b1c4de`."""
        return hashlib.sha256(str(self.var).encode()).hexdigest()[:12]

    @property
    def state(self) -> Path:
        """Return the folder of the cluster: `var`, or one outside of it for root."""
        return ROOTS_STATE / self.key if self.is_root else self.var

    @property
    def cluster(self) -> Path:
        return self.state / "postgres"

    @property
    def database_user(self) -> str:
        """Return the system user that runs PostgreSQL."""
        return "postgres" if self.is_root else pwd.getpwuid(self.user_id).pw_name

    @property
    def runtime(self) -> Path:
        """Return the folder of the sockets. A reboot may delete it; every start makes it again."""
        if self.is_root:
            return Path("/run") / f"mobmap-{self.key}"
        inside = self.var / "run"
        if len(os.fsencode(inside)) <= LONGEST_SOCKET_FOLDER:
            return inside
        return Path("/tmp") / f"mobmap-{self.user_id}-{self.key}"  # noqa: S108  (ownership is checked)

    @property
    def sockets(self) -> Path:
        return self.runtime / "postgres"

    @property
    def ram(self) -> Path:
        """Return the folder of the RAM tablespace. A reboot or the end of a login session may delete it."""
        return RAM_DISK / f"mobmap-{self.key}"

    @property
    def logs(self) -> Path:
        return self.var / "log"

    @property
    def token_file(self) -> Path:
        return self.var / "site-id"


def from_environment(environ: Mapping[str, str], part: str = "") -> SiteFolders:
    """Return the folders that `MOBMAP_VAR` names (default: var/ in the checkout), or a `part` of it."""
    return SiteFolders((CHECKOUT / (environ.get("MOBMAP_VAR") or "var") / part).resolve(), os.geteuid())


def prepare(folders: SiteFolders) -> str:
    """Make the folders and return the site's token, which distinguishes its state from an earlier site's.

    A checkout may be deleted and cloned again at the same path. The state that the earlier site left
    outside of `var` then carries another token, or the new `var` has none yet.
    """
    folders.var.mkdir(parents=True, exist_ok=True, mode=0o755)
    owner = folders.var.stat().st_uid
    if owner != folders.user_id:
        raise Failure(
            f"{folders.var} belongs to {_user_name(owner)}, and you are {_user_name(folders.user_id)}. "
            "Start the site as that user, or set MOBMAP_VAR to a folder of your own."
        )
    for name in ("log", "tmp", "run", "scheduler"):
        (folders.var / name).mkdir(exist_ok=True, mode=0o750)
    if not folders.token_file.exists():
        write_secret(folders.token_file, secrets.token_hex(16) + "\n")
    _own_folder(folders.runtime, folders.user_id)
    return folders.token_file.read_text().strip()


def claim_state(folders: SiteFolders, token: str) -> bool:
    """Mark root's state folder as this site's; return False if it still holds another site's data."""
    if not folders.is_root:
        return True
    folders.state.mkdir(parents=True, exist_ok=True, mode=0o755)
    site_id = folders.state / "site-id"
    if folders.cluster.exists() and (not site_id.exists() or site_id.read_text().strip() != token):
        return False
    write_secret(site_id, token + "\n")
    (folders.state / "path").write_text(f"{folders.var}\n")
    link = folders.var / "postgres"
    if not link.is_symlink():
        link.symlink_to(folders.cluster)
    return True


def discard_state(folders: SiteFolders) -> None:
    """Delete what a deleted checkout left in root's state folder and on the RAM disk."""
    shutil.rmtree(folders.state)
    shutil.rmtree(folders.ram, ignore_errors=True)


def give_to_database_user(folders: SiteFolders, folder: Path, mode: int = 0o700) -> None:
    """Make a folder that PostgreSQL's user owns."""
    folder.mkdir(exist_ok=True, mode=mode)
    if folders.is_root:
        user = pwd.getpwnam(folders.database_user)
        os.chown(folder, user.pw_uid, user.pw_gid)


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner can read, atomically."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)


def _own_folder(folder: Path, user_id: int) -> None:
    """Make a folder; raises `Failure` if another user has prepared it: everybody may write to /tmp."""
    # PostgreSQL's user must pass through root's folder to the sockets in it.
    folder.mkdir(exist_ok=True, mode=0o755 if user_id == 0 else 0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user_id or found.st_mode & 0o022:
        raise Failure(f"{folder} should be a folder that only you can write to, and is not. Remove it, start again.")


def _user_name(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return f"user {user_id}"
