"""From the endpoint to the map through real RabbitMQ and real workers that are killed on the way."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from celery import current_app
from django.conf import settings
from django.test import Client

from core import locales
from ingest import wake
from ingest.models import Upload
from ingest.queue import tasks
from portal import accounts
from portal.celery import QUEUES
from simulation.__main__ import main as simulate
from tests import independent, merged_tables
from tests.ingest.factories import WRAPPINGS, document, mob, zone
from tests.ingest.pipeline import rows
from tests.system.processes import children, environment, kill, running, wait_for, worker

pytestmark = [
    pytest.mark.broker,
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("empty_hot_tables"),
]

TIMES = {"MOBMAP_SWEEP_EVERY_S": "1", "MOBMAP_CLAIM_LEASE_S": "5", "MOBMAP_BATCH_MAX_UPLOADS": "4"}


@pytest.fixture(autouse=True)
def broker() -> Iterator[None]:
    """Begin with empty queues; skip where no RabbitMQ answers."""
    with current_app.connection_for_write() as connection:
        try:
            connection.ensure_connection(max_retries=1, timeout=3)
        except OSError as error:
            pytest.skip(f"no RabbitMQ answers at {settings.BROKER_URL.rpartition('@')[2]}: {error}")
        purge()
        yield


def purge() -> None:
    with current_app.connection_for_write() as connection:
        for queue in QUEUES:
            bound = queue(connection.default_channel)
            bound.declare()
            bound.purge()


def pool(group: subprocess.Popen[bytes]) -> list[int]:
    """Return the pool's processes as the worker tells them: its scheduler, and what its start runs, are none."""
    told = current_app.control.inspect(timeout=1).stats() or {}
    pids = {pid for node in told.values() for pid in node["pool"]["processes"]}
    return [pid for pid in children(group) if pid in pids]


def simulated(folder: Path) -> dict[str, list[tuple[str, bytes]]]:
    """Return simulated documents of versions 44 and 42 by locale, each with its player's name."""
    by_locale: dict[str, list[tuple[str, bytes]]] = {locale: [] for locale in locales.hosted()}
    for version in (44, 42):
        target = folder / f"v{version}"
        options = ("--uploads", "30", "--seed", "7", "--size-kb", "8", "--format-version", str(version))
        assert simulate([str(target), *options]) == 0
        for number, path in enumerate(sorted(target.glob("*.xml"))):
            by_locale[path.name[:4]].append((f"Player {number % 7}", path.read_bytes()))
    assert all(by_locale.values())
    return by_locale


def test_every_202_is_merged_once_whatever_is_killed_lost_or_doubled(own_spool: Path, client: Client) -> None:
    documents = simulated(own_spool / "simulated")
    tokens = accounts.issue_many(f"Player {number}" for number in range(7))
    shuffle = random.Random(11)
    sent = [(locale, *item) for locale, items in documents.items() for item in items]
    shuffle.shuffle(sent)
    accepted: list[str] = []

    def post(player: str, body: bytes) -> int:
        headers = {"Authorization": f"Bearer {tokens[player]}"}
        answer = client.post("/api/v1/uploads", body, content_type="application/octet-stream", headers=headers)
        assert answer.status_code in {200, 202}, answer.content
        if answer.status_code == 202:
            accepted.append(answer.json()["id"])
        return answer.status_code

    log = own_spool / "worker.log"
    env = environment(own_spool, **TIMES)
    with ExitStack() as stack:

        def start() -> subprocess.Popen[bytes]:
            return stack.enter_context(running(worker(own_spool), env, log))

        def worked_on() -> int:
            return Upload.objects.exclude(status="queued").count()

        group, before = start(), 0
        for number, (_, player, xml) in enumerate(sent):
            assert post(player, xml) == 202
            if number % 12 == 5:  # all of it, without a word
                wait_for(lambda before=before: worked_on() > before, "Working on the first uploads", log)
                kill(group)
                group, before = start(), worked_on()
            elif number % 12 == 11:  # one child of the pool, in the middle of its work
                wait_for(lambda group=group: pool(group), "Starting the pool", log)
                for pid in pool(group)[:1]:
                    os.kill(pid, signal.SIGKILL)
            if number % 10 == 3:
                purge()
            if number % 10 == 7:
                for locale in locales.hosted():
                    wake.send(locale)
                    wake.send(locale)
            time.sleep(0.05)
        # The same again, by others and in other wrappings, while workers are busy.
        for _, _, xml in sent:
            assert post(shuffle.choice(sorted(tokens)), WRAPPINGS[shuffle.choice(sorted(WRAPPINGS))](xml)) == 200
        purge()
        unfinished = Upload.objects.exclude(status="merged")
        wait_for(lambda: not unfinished.exists(), "Merging all uploads", log)

    assert Upload.objects.count() == len(sent) == len(accepted)
    tasks.clean_up()
    assert set(Upload.objects.values_list("archived", flat=True)) == {True}
    for locale, alias in locales.aliases().items():
        expected = independent.merged(independent.count(documents[locale]))
        assert merged_tables.read(alias) == expected


def test_an_upload_comes_onto_the_map_of_an_idle_system_without_waiting_for_a_sweep(
    own_spool: Path, client: Client
) -> None:
    log = own_spool / "worker.log"
    with running(worker(own_spool), environment(own_spool, MOBMAP_SWEEP_EVERY_S="86400"), log):
        wait_for(lambda: log.exists() and " ready." in log.read_text(), "Starting the workers", log)
        answer = client.post("/api/v1/uploads", document(mob(zone("1/1,"))), content_type="text/xml").json()
        spawns = "/api/v1/deDE/mobs/10636/spawns"

        def is_on_the_map() -> bool:
            [(place,)] = rows("SELECT coalesce(min(id), 0) FROM zone")
            return bool(client.get(f"{spawns}?zone={place}").json().get("features"))

        wait_for(is_on_the_map, "Bringing one upload onto the map", log)
        assert client.get(answer["url"]).json()["status"] == "merged"
