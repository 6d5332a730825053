"""Spool and archive in an object store: the same promises as on disk, whatever becomes of the store."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from core import time_limited
from ingest.batch.columns import parse
from ingest.batch.observations import Document
from ingest.intake import object_store, spool
from ingest.intake.object_store import ObjectStorage, ObjectStoreFault
from ingest.maintenance import cleanup, retention
from ingest.models import Upload
from ingest.queue import tasks
from ingest.queue.worker import fold_staged, stage_batch
from maps.models import Ledger
from portal.env import BASE_DIR as CHECKOUT
from portal.operations import health
from tests.conftest import ALL_DATABASES
from tests.ingest.factories import document, loot, mob, zone
from tests.ingest.s3_server import PAGE, S3Server

pytestmark = [ALL_DATABASES, pytest.mark.usefixtures("wakes")]

#: For tests with threads, or with times that pass: within one transaction they stand still.
REAL_COMMITS = pytest.mark.django_db(databases="__all__", transaction=True)
BUCKET = "mobmap-tests"
KEYS = {"access_key": "tester", "secret_key": "not checked"}
NAME = "3f/3f00.xml.zst"
XML = document(mob(zone("21.6/33,46.1/40.7,")), loot("+117#"))


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[S3Server]:
    server = S3Server(tmp_path_factory.mktemp("s3"))
    server.start()
    options = {"endpoint_url": server.endpoint, "region_name": "us-east-1", **KEYS}
    ObjectStorage(bucket_name=BUCKET, **options).connection.meta.client.create_bucket(Bucket=BUCKET)
    yield server
    server.kill()


def settings_of(server_endpoint: str, prefix: str) -> dict[str, dict[str, object]]:
    options = {"bucket_name": BUCKET, "endpoint_url": server_endpoint, "region_name": "us-east-1", **KEYS}
    return {
        name: {
            "BACKEND": "ingest.intake.object_store.ObjectStorage",
            "OPTIONS": {**options, "location": f"{prefix}/{name}"},
        }
        for name in ("spool", "archive")
    }


@pytest.fixture(autouse=True)
def store(server: S3Server, own_spool, settings, monkeypatch) -> Iterator[S3Server]:
    """Give every test a prefix of its own in the bucket of a server that runs."""
    server.start()
    monkeypatch.setattr(object_store, "PAUSE_S", 0.0)
    settings.STORAGES = {**settings.STORAGES, **settings_of(server.endpoint, f"test/{uuid.uuid4()}")}
    yield server
    server.thaw()


def stored() -> dict[str, list[str]]:
    """Return the names of all documents in spool and archive."""
    return {
        place: sorted(f"{folder}/{name}" for folder in storage.listdir("")[0] for name in storage.listdir(folder)[1])
        for place, storage in (("spool", spool.spool()), ("archive", spool.archive()))
    }


def read(storage, name: str) -> bytes:
    with spool.opened(storage, name) as opened:
        return opened.read()


def send(client, xml: bytes = XML):
    return client.generic("POST", "/api/v1/uploads", xml, content_type="application/xml")


def work_until_merged(within_s: float = 120) -> None:
    """Do what the sweep and the workers do until nothing waits any more."""
    deadline = time.monotonic() + within_s
    while Upload.objects.filter(status__in=["queued", "staged"]).exists():
        assert time.monotonic() < deadline, "The uploads were not merged in time."
        if not stage_batch("deDE", str(uuid.uuid4())) and not fold_staged("deDE"):
            time.sleep(0.2)


def ledger() -> int:
    return Ledger.objects.using("map_deDE").count()


def test_an_upload_goes_through_the_store_onto_the_map_and_into_the_archive(client):
    answer = send(client)
    assert answer.status_code == 202
    name = Upload.objects.get().document_name
    assert stored() == {"spool": [name], "archive": []}
    work_until_merged()
    assert stored() == {"spool": [], "archive": [name]}
    upload = Upload.objects.get()
    assert (upload.status, upload.archived, ledger()) == ("merged", True, 1)
    assert read(spool.archive(), name) == XML


def test_the_same_content_again_leaves_no_second_document(client):
    assert send(client).status_code == 202
    assert send(client).status_code == 200
    assert len(stored()["spool"]) == 1
    work_until_merged()
    assert send(client).status_code == 200
    assert (len(stored()["spool"]), len(stored()["archive"])) == (0, 1)


def test_an_object_store_has_no_figure_for_free_space():
    assert spool.free_bytes() is None


# --- the store is away ----------------------------------------------------------------------------
def test_while_the_store_is_away_senders_are_told_to_come_again_and_nothing_is_kept(client, store, caplog):
    store.kill()
    answer = send(client)
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    assert int(answer["Retry-After"]) > 0
    body = answer.json()
    assert body["may_retry"] is True
    assert "the object store does not answer" in body["detail"]
    assert str(store.port) not in str(body)
    assert not Upload.objects.exists()
    store.start()
    assert send(client).status_code == 202
    work_until_merged()
    assert (len(stored()["archive"]), ledger()) == (1, 1)


def test_a_silent_store_is_given_up_after_a_while_and_then_at_once(client, store, monkeypatch):
    monkeypatch.setattr(object_store, "READ_TIMEOUT_S", 0.5)
    monkeypatch.setattr(object_store, "PAUSE_S", 60.0)
    object_store._resource.cache_clear()
    asked: list[object] = []
    try:
        spool.spool().connection.meta.client.meta.events.register("before-send.s3", lambda **of: asked.append(of))
        store.freeze()
        began = time.monotonic()
        assert send(client).status_code == 503
        assert time.monotonic() - began < 60, "boto's own patience"
        assert len(asked) == 2, "it is tried twice"
        answer = send(client)
        assert (answer.status_code, len(asked)) == (503, 2)
        assert "a moment ago" in answer.json()["detail"]
    finally:
        object_store._resource.cache_clear()


def readiness(client) -> tuple[int, str]:
    """Return the status of `/readyz` and what it says of the spool, as of now."""
    time_limited.clear_all()
    answer = client.get("/readyz")
    [part] = [part for part in answer.json()["parts"] if part["name"] == "spool"]
    return answer.status_code, part["reason"]


def test_a_site_whose_store_is_away_is_not_ready(client, store, settings, monkeypatch):
    settings.BROKER_URL = "amqp://someone:secret@127.0.0.1:1//"
    monkeypatch.setattr(object_store, "PAUSE_S", 0.0)
    assert readiness(client) == (200, "")
    store.kill()
    status, reason = readiness(client)
    assert (status, "the object store does not answer" in reason) == (503, True)
    assert str(store.port) not in reason
    store.start()
    assert readiness(client) == (200, "")


def test_a_site_whose_store_is_silent_is_not_ready_and_says_so_soon(client, store, settings, monkeypatch):
    settings.BROKER_URL = "amqp://someone:secret@127.0.0.1:1//"
    monkeypatch.setattr(health, "STORE_TIMEOUT_S", 0.2)
    assert readiness(client) == (200, "")
    store.freeze()
    assert readiness(client) == (503, "It can't be written (the object store did not answer within 0.2 s).")


def test_a_site_whose_bucket_is_missing_is_not_ready(client, settings, store):
    settings.BROKER_URL = "amqp://someone:secret@127.0.0.1:1//"
    wrong = settings_of(store.endpoint, "test")
    for storage in wrong.values():
        storage["OPTIONS"]["bucket_name"] = "mobmap-elsewhere"
    settings.STORAGES = {**settings.STORAGES, **wrong}
    assert readiness(client) == (503, "It can't be written (the object store refused it: NoSuchBucket).")


def test_a_bucket_that_is_missing_is_no_missing_document(client, settings, store):
    wrong = settings_of(store.endpoint, "test")
    for storage in wrong.values():
        storage["OPTIONS"]["bucket_name"] = "mobmap-elsewhere"
    settings.STORAGES = {**settings.STORAGES, **wrong}
    answer = send(client)
    assert answer.status_code == 503
    assert "refused it: NoSuchBucket" in answer.json()["detail"]
    with pytest.raises(ObjectStoreFault, match="NoSuchBucket"):
        spool.spool().open(NAME)


def test_a_document_whose_storing_was_not_confirmed_is_no_upload_and_is_dropped_later(client, store, monkeypatch):
    put = ObjectStorage._put

    def put_and_lose_the_answer(*arguments: object) -> None:
        put(*arguments)
        store.kill()
        raise ObjectStoreFault("the object store does not answer: lost")

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStorage, "_put", put_and_lose_the_answer)
        assert send(client).status_code == 503
    assert not Upload.objects.exists()
    store.start()
    [orphan] = stored()["spool"]
    assert send(client).status_code == 202
    monkeypatch.setattr(cleanup, "ORPHAN_AGE", timedelta(seconds=-60))
    tasks.clean_up()
    assert stored()["spool"] == [Upload.objects.get().document_name] != [orphan]


@REAL_COMMITS
def test_workers_try_again_until_the_store_is_back(client, store, caplog):
    assert send(client).status_code == 202
    store.kill()
    assert stage_batch("deDE", "first") == 1
    upload = Upload.objects.get()
    assert (upload.status, upload.attempts) == ("queued", 1)
    assert upload.retry_at is not None
    assert "the object store does not answer" in upload.reason
    assert ledger() == 0
    store.start()
    work_until_merged()
    assert (ledger(), len(stored()["archive"])) == (1, 1)


# --- moving to the archive ------------------------------------------------------------------------
@pytest.mark.parametrize("moment", ["_copy", "delete"])
def test_a_move_cut_short_by_the_store_is_finished_later(client, store, monkeypatch, caplog, moment):
    send(client)
    name = Upload.objects.get().document_name
    step = getattr(ObjectStorage, moment)

    def kill_first(*arguments: object) -> None:
        store.kill()
        step(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStorage, moment, kill_first)
        stage_batch("deDE", "first")
        fold_staged("deDE")
    upload = Upload.objects.get()
    assert (upload.status, upload.archived) == ("merged", False)
    store.start()
    assert stored() == {"spool": [name], "archive": [] if moment == "_copy" else [name]}
    tasks.clean_up()
    assert stored() == {"spool": [], "archive": [name]}
    assert Upload.objects.get().archived
    assert read(spool.archive(), name) == XML


def test_a_move_whose_row_was_not_written_any_more_is_only_noted(client):
    send(client)
    name = Upload.objects.get().document_name
    assert spool.move_to_archive([name]) == {}
    Upload.objects.update(status="merged")
    tasks.clean_up()
    assert stored() == {"spool": [], "archive": [name]}
    assert Upload.objects.get().archived


@REAL_COMMITS
def test_documents_expire_from_the_store_once_it_is_back(client, store, caplog, empty_base):
    assert send(client).status_code == 202
    work_until_merged()
    tomorrow = timezone.now() + timedelta(days=1)
    store.kill()
    assert retention.expire("deDE", tomorrow) == 0
    assert "the object store does not answer" in caplog.text
    store.start()
    assert retention.expire("deDE", tomorrow) == 1
    assert stored()["archive"] == []
    assert Upload.objects.get().document_name == ""
    assert retention.expire("deDE", tomorrow) == 0


def test_a_store_that_goes_away_between_reading_and_deleting_is_asked_again(client, store):
    assert send(client).status_code == 202
    work_until_merged()
    [name] = stored()["archive"]
    store.kill()
    assert isinstance(spool.drop_from_archive([name])[name], ObjectStoreFault)
    store.start()
    assert spool.drop_from_archive([name]) == {}
    assert spool.drop_from_archive([name]) == {}, "what is not there is as good as deleted"
    assert stored()["archive"] == []


def test_a_document_that_is_nowhere_is_missed():
    error = spool.move_to_archive([NAME])[NAME]
    assert isinstance(error, FileNotFoundError)
    assert "neither in the spool nor in the archive" in str(error)


# --- many at once ---------------------------------------------------------------------------------
@REAL_COMMITS
def test_many_senders_and_workers_at_once_merge_everything_once():
    xmls = [document(mob(zone(f"{number}/{number},"))) for number in range(12)]

    def sender(xml: bytes) -> int:
        try:
            return send(Client(), xml).status_code
        finally:
            connections.close_all()

    def worker(until: threading.Event) -> None:
        try:
            while stage_batch("deDE", str(uuid.uuid4())) or fold_staged("deDE") or not until.is_set():
                pass
        finally:
            connections.close_all()

    all_sent = threading.Event()
    with ThreadPoolExecutor(6) as senders, ThreadPoolExecutor(2) as workers:
        working = [workers.submit(worker, all_sent) for _ in range(2)]
        codes = list(senders.map(sender, [*xmls, *xmls]))
        all_sent.set()
        for one in working:
            one.result(timeout=60)
    work_until_merged()
    assert sorted(codes) == [200] * 12 + [202] * 12
    assert set(Upload.objects.values_list("status", "archived")) == {("merged", True)}
    assert stored() == {"spool": [], "archive": sorted(Upload.objects.values_list("document_name", flat=True))}
    assert ledger() == 12


def test_two_workers_may_archive_the_same_document():
    spool.put(spool.spool(), NAME, BytesIO(XML))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(spool.move_to_archive, [[NAME]] * 8)) == [{}] * 8
    assert stored() == {"spool": [], "archive": [NAME]}
    assert read(spool.archive(), NAME) == XML


def test_orphans_are_found_beyond_the_first_page_of_a_listing(client, monkeypatch):
    send(client)
    storage = spool.spool()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: spool.put(storage, f"3f/{number}", BytesIO(b"<x/>")), range(4 * PAGE + 1)))
    monkeypatch.setattr(cleanup, "ORPHAN_AGE", timedelta(seconds=-60))
    first = storage.connection.meta.client.list_objects(Bucket=BUCKET, Prefix=f"{storage.location}/3f/")
    assert (len(first["Contents"]), first["IsTruncated"]) == (PAGE, True)
    assert cleanup.drop_orphans() == 4 * PAGE + 1
    assert stored()["spool"] == [Upload.objects.get().document_name]


# --- reading and writing as streams ---------------------------------------------------------------
STREAMING = """
import os, sys, tempfile
import django
django.setup()
from ingest.intake import spool

def peak_bytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

storage = spool.spool()
storage.exists("nothing")
with tempfile.TemporaryFile() as document:
    for _ in range(32):
        document.write(os.urandom(1 << 20))
    before = peak_bytes()
    spool.put(storage, "3f/large", document)
    size = 0
    with spool.opened(storage, "3f/large") as stream:
        while chunk := stream.read(1 << 16):
            size += len(chunk)
assert size == 32 << 20
assert spool.move_to_archive(["3f/large"]) == {}
print(peak_bytes() - before)
"""


def test_the_largest_document_passes_in_both_directions_in_little_memory(store):
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "MOBMAP_SPOOL_S3_BUCKET": BUCKET,
        "MOBMAP_SPOOL_S3_PREFIX": f"/test/{uuid.uuid4()}/",
        "MOBMAP_SPOOL_S3_ENDPOINT": store.endpoint,
        "MOBMAP_SPOOL_S3_REGION": "us-east-1",
        "MOBMAP_SPOOL_S3_ACCESS_KEY": KEYS["access_key"],
        "MOBMAP_SPOOL_S3_SECRET_KEY": KEYS["secret_key"],
    }
    done = subprocess.run(
        [sys.executable, "-c", STREAMING], cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 8 << 20


class CutShort(BaseHTTPRequestHandler):
    """Answers with half of what it announces."""

    whole = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.whole)))
        self.end_headers()
        self.wfile.write(self.whole[: len(self.whole) // 2])

    def log_message(self, format: str, *args: object) -> None:
        logging.getLogger(__name__).debug(format, *args)


def test_a_document_cut_short_on_its_way_is_a_fault_of_the_store_and_not_of_the_document(settings):
    spool.put(spool.spool(), NAME, BytesIO(document(mob(zone("".join(f"{n % 100}/{n % 97}," for n in range(50_000)))))))
    with spool.spool().open(NAME) as packed:
        CutShort.whole = packed.file.read()
    with ThreadingHTTPServer(("127.0.0.1", 0), CutShort) as half_server:
        threading.Thread(target=half_server.serve_forever, daemon=True).start()
        settings.STORAGES = {**settings.STORAGES, **settings_of(f"http://127.0.0.1:{half_server.server_port}", "test")}
        half = Document(0, 44, 0, partial(spool.opened, spool.spool(), NAME))
        with pytest.raises(ObjectStoreFault, match="does not answer"):
            parse([half])
        half_server.shutdown()


def test_without_a_bucket_nothing_of_boto_is_loaded():
    program = "import django, sys; django.setup(); from ingest.intake import spool; from ingest.queue import worker;"
    program += "spool.spool(), spool.archive();"
    program += "print([name for name in sys.modules if name.partition('.')[0] in {'boto3', 'botocore', 'storages'}])"
    env = {name: value for name, value in os.environ.items() if not name.startswith("MOBMAP_SPOOL_S3_")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=CHECKOUT,
        env={**env, "DJANGO_SETTINGS_MODULE": "portal.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
