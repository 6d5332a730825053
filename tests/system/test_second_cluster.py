"""A locale whose database is on a server of its own: its uploads land there, and its failing is its own affair."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from django.conf import settings
from psycopg import sql

from deploy.steps import folders as site_folders
from deploy.steps import postgres
from portal.env import BASE_DIR as CHECKOUT
from tests.ingest.factories import document, mob, zone
from tests.own_address import own_host, own_port
from tests.system.processes import PATIENCE_S

pytestmark = pytest.mark.broker

FIRST_DATABASES = ("mobmap_second_portal", "mobmap_second_enus")
SECOND_DATABASE = "mobmap_second_dede"


class Cluster:
    """A private PostgreSQL server beside the tests' own, made and started as ./deploy/run does it."""

    def __init__(self, folder: Path) -> None:
        self.folders = site_folders.SiteFolders(folder / "second", os.geteuid())
        token = site_folders.prepare(self.folders)
        postgres.prepare(self.folders, token, throwaway=True)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self.folders.logs / "postgres.log").open("ab") as log:
            self.process = subprocess.Popen(postgres.command(self.folders), cwd="/", stdout=log, stderr=log)
        postgres.wait(self.folders)

    def kill(self) -> None:
        """End the server as a loss of power would."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def make_database(self, user: str, password: str) -> None:
        """Make the locale's database, and the role by which all databases of the site are used."""
        if user != postgres.SUPERUSER:
            role = f"\\set role {user}\n\\set password {password}\n"
            psql = role + "CREATE ROLE :\"role\" LOGIN SUPERUSER PASSWORD :'password';"
            postgres.psql(self.folders, "postgres", sql=psql)
        postgres.psql(self.folders, "postgres", sql=f"CREATE DATABASE {SECOND_DATABASE}")

    def ask(self, question: str) -> str:
        return postgres.psql(self.folders, SECOND_DATABASE, sql=question)

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folders.runtime)
        if self.folders.is_root:
            site_folders.discard_state(self.folders)


@contextmanager
def databases_of_the_first_server() -> Iterator[dict[str, Any]]:
    """Make the other databases on the tests' own server; yields how to reach it."""
    tests = settings.DATABASES["default"]
    names = {"host": "HOST", "user": "USER", "password": "PASSWORD", "port": "PORT"}
    reach = {ours: tests[theirs] for ours, theirs in names.items() if tests.get(theirs)}
    with closing(psycopg.connect(dbname="postgres", autocommit=True, **reach)) as connection:
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        for name in FIRST_DATABASES:
            connection.execute(drop.format(sql.Identifier(name)))
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield reach
        finally:
            for name in FIRST_DATABASES:
                connection.execute(drop.format(sql.Identifier(name)))


class Site:
    """Web server, worker and scheduler of a site of its own, and how to talk to it."""

    def __init__(self, folder: Path, first: dict[str, Any], second: Cluster) -> None:
        self.address = f"{own_host()}:{own_port()}"
        self.var = folder / "site"
        (self.var / "tmp").mkdir(parents=True)
        (self.var / "static").mkdir()
        server = f"postgres://{quote(str(first['host']), safe='')}"
        kept = {name: text for name, text in os.environ.items() if not name.startswith("MOBMAP_")}
        self.environment = {
            **kept,
            "MOBMAP_VAR": str(self.var),
            "MOBMAP_SECRET_KEY": "a key for the tests' own second site, nothing else",
            # The one on the second server first: its failing must not hinder those behind it.
            "MOBMAP_LOCALES": "deDE,enUS",
            "MOBMAP_DATABASE_URL": f"{server}/{FIRST_DATABASES[0]}",
            "MOBMAP_LOCALE_DATABASE_URL": f"{server}/mobmap_second_{{locale}}",
            "MOBMAP_DATABASE_URL_DEDE": f"postgres://{quote(str(second.folders.sockets), safe='')}/{SECOND_DATABASE}",
            "MOBMAP_DATABASE_USER": first.get("user", ""),
            "MOBMAP_DATABASE_PASSWORD": first.get("password", ""),
            "MOBMAP_BROKER_URL": settings.BROKER_URL,
            "MOBMAP_SWEEP_EVERY_S": "1",
            "MOBMAP_WEB_BIND": self.address,
            "MOBMAP_ALLOWED_HOSTS": own_host(),
            "MOBMAP_WEB_WORKERS": "1",
        }
        for alias in ("default", "map_deDE", "map_enUS"):
            command = [sys.executable, "manage.py", "migrate", "--database", alias, "--verbosity", "0"]
            subprocess.run(command, cwd=CHECKOUT, env=self.environment, check=True)

    @contextmanager
    def running(self) -> Iterator[Site]:
        celery = [sys.executable, "-m", "celery", "--app", "portal.celery", "worker", "--beat", "--concurrency", "1"]
        celery += ["--hostname", f"second-{os.getpid()}@%h", "--schedule", str(self.var / "schedule")]
        celery += ["--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
        web = [sys.executable, "-m", "gunicorn", "--config", "deploy/gunicorn.conf.py", "portal.wsgi"]
        with ExitStack() as stack:
            for name, command in (("worker", celery), ("web", web)):
                log = stack.enter_context((self.var / f"{name}.log").open("wb"))
                process = subprocess.Popen(command, cwd=CHECKOUT, env=self.environment, stdout=log, stderr=log)
                stack.callback(process.wait)
                stack.callback(process.terminate)
            eventually(lambda: self.get("/healthz")[0] == 200)
            yield self

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        return self._ask(urllib.request.Request(f"http://{self.address}{path}"))

    def send(self, language: str, number: int) -> str:
        """Upload a document that nobody has sent before; returns the address of its receipt."""
        body = document(mob(zone(f"{number}/{number},"), id=number), language=language)
        headers = {"Content-Type": "application/xml"}
        status, _, answer = self._ask(urllib.request.Request(f"http://{self.address}/api/v1/uploads", body, headers))
        assert status == 202, answer
        return f"/api/v1/uploads/{json.loads(answer)['id']}"

    def status(self, receipt: str) -> str:
        return str(json.loads(self.get(receipt)[2])["status"])

    def is_merged(self, receipt: str) -> bool:
        return self.status(receipt) == "merged"

    def _ask(self, request: urllib.request.Request) -> tuple[int, dict[str, str], bytes]:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, dict(answer.headers), answer.read()
        except OSError as error:
            return 0, {}, str(error).encode()


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, f"This did not come true within {PATIENCE_S} s."
        time.sleep(0.2)


@pytest.fixture(scope="module")
def second(tmp_path_factory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.remove()


@pytest.fixture(scope="module")
def site(tmp_path_factory, second: Cluster) -> Iterator[Site]:
    with databases_of_the_first_server() as first:
        second.make_database(first.get("user", ""), first.get("password", ""))
        with Site(tmp_path_factory.mktemp("site"), first, second).running() as site:
            yield site


def test_the_uploads_of_a_locale_land_on_the_server_of_its_setting(site: Site, second: Cluster):
    german, english = site.send("deDE", 1), site.send("enUS", 2)
    eventually(lambda: site.is_merged(german) and site.is_merged(english))
    assert second.ask("SELECT count(*) FROM ledger") == "1"
    assert second.ask("SELECT id FROM creature") == "1"
    [zone_of_german] = json.loads(site.get("/api/v1/deDE/zones")[2])["zones"]
    assert zone_of_german["positions"] == 1


def test_while_a_locale_s_server_is_down_the_others_go_on_and_its_work_waits_for_it(site: Site, second: Cluster):
    second.kill()
    waiting = [site.send("deDE", number) for number in (11, 12)]
    for number in (13, 14):
        english = site.send("enUS", number)
        eventually(lambda english=english: site.is_merged(english))

    status, headers, body = site.get("/api/v1/deDE/zones")
    assert (status, headers["Content-Type"]) == (503, "application/problem+json")
    assert int(headers["Retry-After"]) > 0
    assert "database of deDE" in json.loads(body)["detail"]
    assert site.get("/api/v1/enUS/zones")[0] == 200

    status, _, body = site.get("/readyz")
    parts = {part["name"]: part["status"] for part in json.loads(body)["parts"]}
    assert (status, parts["database deDE"], parts["database enUS"]) == (200, "failed", "ok")
    assert [site.status(receipt) for receipt in waiting] == ["queued", "queued"]

    second.start()
    eventually(lambda: all(site.is_merged(receipt) for receipt in waiting))
    assert second.ask("SELECT count(*) FROM ledger") == "3"
    assert site.get("/api/v1/deDE/zones")[0] == 200


def test_the_sweep_goes_past_a_locale_whose_server_is_down(site: Site, second: Cluster):
    second.kill()
    try:
        for number in (31, 32, 33):  # one close after the other: the last ones are left to the sweep
            english = site.send("enUS", number)
            eventually(lambda english=english: site.status(english) != "queued")
        eventually(lambda: site.is_merged(english))
    finally:
        second.start()
