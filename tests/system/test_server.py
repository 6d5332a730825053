"""The endpoint behind the real web server: bodies without a length, senders who leave, a broker that is away."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import orjson
import psutil
import pytest

from ingest.models import Upload
from tests.ingest.factories import document, mob, zone
from tests.own_address import listens
from tests.system.processes import PATIENCE_S, wait_for, web_server

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)

PATH = "/api/v1/uploads"


@pytest.fixture
def server(own_spool: Path) -> Iterator[tuple[str, int]]:
    """A web server whose broker takes connections and never says a word: given up after two seconds, each time."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        broker = f"amqp://nobody@127.0.0.1:{silent.getsockname()[1]}//"
        with web_server(own_spool, MOBMAP_BROKER_URL=broker) as address:
            yield address


def ask(server: tuple[str, int], body: bytes | Iterator[bytes], **headers: str) -> tuple[int, dict]:
    connection = http.client.HTTPConnection(*server, timeout=PATIENCE_S)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        chunked = not isinstance(body, bytes)
        connection.request("POST", PATH, body, {"Content-Type": "application/xml", **named}, encode_chunked=chunked)
        answer = connection.getresponse()
        return answer.status, orjson.loads(answer.read())
    finally:
        connection.close()


def test_the_server_takes_uploads_of_every_kind_while_the_broker_is_away(server, own_spool):
    xml = document(mob(zone("1/1," * 100_000)))

    # A broker that is away delays nobody: what is new takes little longer than what was there, which wakes nobody.
    waits: dict[int, list[float]] = {202: [], 200: []}
    for number in range(5):
        for expected, took in waits.items():
            asked = time.monotonic()
            assert ask(server, document(mob(max=40 + number)))[0] == expected
            took.append(time.monotonic() - asked)
    assert min(waits[202]) < min(waits[200]) + 1

    # Transfer-Encoding: chunked, a body whose length nobody knows before its end.
    pieces = (xml[start : start + 10_000] for start in range(0, len(xml), 10_000))
    status, shown = ask(server, pieces, Transfer_Encoding="chunked")
    assert (status, shown["positions"]) == (202, 100_000)
    assert ask(server, xml)[0] == 200

    # A refusal arrives although the body was not read to its end.
    status, problem = ask(server, b"<MobMapData" + b" " * 8_000_000, Content_Type="image/png")
    assert (status, problem["status"]) == (415, 415)

    # A sender who leaves in the middle leaves nothing behind, and the server goes on.
    for head in (b"Content-Length: 100000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\nffff\r\n"):
        with socket.create_connection(server, timeout=PATIENCE_S) as leaving:
            leaving.sendall(b"POST /api/v1/uploads HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n" + head)
            leaving.sendall(xml[:1000])
    assert ask(server, document(mob(name="Danach")))[0] == 202
    wait_for(lambda: Upload.objects.count() == 7, "Counting what was accepted")
    assert len(list((own_spool / "spool").rglob("*.zst"))) == 7
    assert list((own_spool / "spool").rglob(".*")) == []


def test_a_server_whose_main_process_dies_soon_leaves_its_port_to_a_new_one(server):
    with closing(http.client.HTTPConnection(*server, timeout=PATIENCE_S)) as kept:
        kept.request("GET", "/healthz")
        assert kept.getresponse().read() == b"ok\n"
        kept.auto_open = 0
        [main] = [child for child in psutil.Process().children() if "gunicorn" in child.cmdline()]
        main.kill()
        began = time.monotonic()
        statuses = {200}
        while listens(server):
            with suppress(OSError, http.client.HTTPException):  # it may be closed, and nothing is cut off in the middle
                kept.request("GET", "/healthz")
                answer = kept.getresponse()
                answer.read()
                statuses.add(answer.status)
            assert time.monotonic() - began < PATIENCE_S, "A connection that is kept alive must not hold the port."
            time.sleep(0.05)
        assert statuses == {200}
