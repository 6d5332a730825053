"""A PostgreSQL server for one test, made and started as ./deploy/run does it, but also on a loopback address."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.steps import folders as site_folders
from deploy.steps import postgres
from deploy.steps.folders import CHECKOUT, SiteFolders
from tests.own_address import own_host

ROLES = ("mobmap_owner", "mobmap_web", "mobmap_ingest")


def password(role: str) -> str:
    return f"password of {role}"


@contextmanager
def running(folder: Path, access: str) -> Iterator[SiteFolders]:
    """Run a cluster with these lines in pg_hba.conf behind the superuser's, and with the site's roles.

    It listens on the usual port of this process's own address.
    """
    folders = SiteFolders(folder / "cluster", os.geteuid())
    postgres.prepare(folders, site_folders.prepare(folders), throwaway=True)
    superusers = postgres.ACCESS.splitlines()[0]
    (folders.cluster / "pg_hba.conf").write_text(f"{superusers}\n{access}")
    (folders.cluster / "own.conf").write_text(f"listen_addresses = '{own_host()}'\n")
    with (folders.logs / "postgres.log").open("ab") as log:
        server = subprocess.Popen(postgres.command(folders), cwd="/", stdout=log, stderr=log)
    try:
        postgres.wait(folders)
        variables = "".join(f"\\set {role.removeprefix('mobmap_')}_password '{password(role)}'\n" for role in ROLES)
        postgres.psql(folders, "postgres", sql=variables + (CHECKOUT / "deploy" / "roles.sql").read_text())
        yield folders
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(folders.runtime)
        if folders.is_root:
            site_folders.discard_state(folders)
