"""The endpoint behind the real web server: bodies without a length, senders who leave, a broker that is away."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import orjson
import psutil
import pytest

from ingest.models import Upload
from tests.ingest.factories import document, mob, zone
from tests.system.processes import free_port, listens, wait_for, web_server

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)

PATH = "/api/v1/uploads"


@pytest.fixture
def port(own_spool: Path) -> Iterator[int]:
    with web_server(own_spool, MOBMAP_BROKER_URL=f"amqp://nobody@127.0.0.1:{free_port()}//") as number:
        yield number


def ask(port: int, body: bytes | Iterator[bytes], **headers: str) -> tuple[int, dict]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        chunked = not isinstance(body, bytes)
        connection.request("POST", PATH, body, {"Content-Type": "application/xml", **named}, encode_chunked=chunked)
        answer = connection.getresponse()
        return answer.status, orjson.loads(answer.read())
    finally:
        connection.close()


def test_the_server_takes_uploads_of_every_kind_while_the_broker_is_away(port, own_spool):
    began = time.monotonic()
    xml = document(mob(zone("1/1," * 100_000)))

    # A broker that is away delays nobody.
    waits = []
    for number in range(5):
        asked = time.monotonic()
        status, shown = ask(port, document(mob(max=40 + number)))
        waits.append(time.monotonic() - asked)
        assert (status, shown["status"]) == (202, "queued")
    assert max(waits[1:]) < 1

    # Transfer-Encoding: chunked, a body whose length nobody knows before its end.
    pieces = (xml[start : start + 10_000] for start in range(0, len(xml), 10_000))
    status, shown = ask(port, pieces, Transfer_Encoding="chunked")
    assert (status, shown["positions"]) == (202, 100_000)
    assert ask(port, xml)[0] == 200

    # A refusal arrives although the body was not read to its end.
    status, problem = ask(port, b"<MobMapData" + b" " * 8_000_000, Content_Type="image/png")
    assert (status, problem["status"]) == (415, 415)

    # A sender who leaves in the middle leaves nothing behind, and the server goes on.
    for head in (b"Content-Length: 100000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\nffff\r\n"):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as leaving:
            leaving.sendall(b"POST /api/v1/uploads HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n" + head)
            leaving.sendall(xml[:1000])
    assert ask(port, document(mob(name="Danach")))[0] == 202
    wait_for(lambda: Upload.objects.count() == 7, 5, "Counting what was accepted")
    assert len(list((own_spool / "spool").rglob("*.zst"))) == 7
    assert list((own_spool / "spool").rglob(".*")) == []
    assert time.monotonic() - began < 30


def test_a_server_whose_main_process_dies_soon_leaves_its_port_to_a_new_one(port):
    kept = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    kept.request("GET", "/healthz")
    assert kept.getresponse().read() == b"ok\n"
    kept.auto_open = 0
    [main] = [child for child in psutil.Process().children() if "gunicorn" in child.cmdline()]
    main.kill()
    began = time.monotonic()
    statuses = set()
    while listens(port):
        with suppress(OSError, http.client.HTTPException):  # it may be closed, and nothing is cut off in the middle
            kept.request("GET", "/healthz")
            answer = kept.getresponse()
            answer.read()
            statuses.add(answer.status)
        assert time.monotonic() - began < 10, "A connection that is kept alive must not hold the port."
        time.sleep(0.05)
    assert statuses == {200}
