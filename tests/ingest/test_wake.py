"""Wake-ups are sent by a thread of their own: whoever asks for one never waits for the broker."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from threading import Event

import pytest
from celery import current_app
from kombu import Exchange, Queue

from ingest import wake

BROKER = pytest.mark.broker


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """Collect what the thread asks for instead of sending it."""
    collected: list[str] = []
    monkeypatch.setattr(wake, "send_if_none_waits", collected.append)
    return collected


@pytest.fixture
def queue() -> Iterator[Queue]:
    """A locale's queue that no worker listens to, at the real broker."""
    with current_app.connection_for_write() as connection, connection.channel() as channel:
        exchange = Exchange("ingest", type="direct")
        found = Queue("ingest.xxAA", exchange, "ingest.xxAA", durable=False, auto_delete=False)(channel)
        found.declare()
        yield found
        found.delete()


def wait_for(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def test_a_wake_up_is_sent_soon(sent):
    wake.Waker().wake("deDE")
    wait_for(lambda: sent == ["deDE"])


def test_many_uploads_within_a_moment_share_a_wake_up(sent):
    waker = wake.Waker()
    for _ in range(1_000):
        waker.wake("deDE")
        waker.wake("enUS")
    wait_for(lambda: {"deDE", "enUS"} <= set(sent))
    time.sleep(3 * wake.MIN_GAP_S)
    assert 2 <= len(sent) <= 40


def test_an_upload_during_the_sending_is_not_forgotten(monkeypatch):
    collected: list[str] = []
    sending, go_on = Event(), Event()

    def send(locale: str) -> None:
        collected.append(locale)
        sending.set()
        go_on.wait(60)

    monkeypatch.setattr(wake, "send_if_none_waits", send)
    waker = wake.Waker()
    waker.wake("deDE")
    assert sending.wait(60)
    waker.wake("deDE")
    go_on.set()
    wait_for(lambda: collected == ["deDE", "deDE"])


def test_a_broker_that_is_away_delays_nobody_and_is_told_in_the_log(monkeypatch, caplog):
    monkeypatch.setattr(wake, "RETRY_GAP_S", 0.01)
    all_asked, came_back = Event(), Event()
    collected: list[str] = []
    waited: list[bool] = []

    def send(locale: str) -> None:
        if not came_back.is_set():
            if not waited:
                waited.append(all_asked.wait(60))
            raise ConnectionRefusedError("Connection refused")
        collected.append(locale)

    monkeypatch.setattr(wake, "send_if_none_waits", send)
    waker = wake.Waker()
    for _ in range(100):
        waker.wake("deDE")
    assert waited == [], "nobody who asks waits until the broker is given up"
    all_asked.set()
    wait_for(lambda: "Its uploads are safe" in caplog.text)
    came_back.set()
    waker.wake("deDE")
    wait_for(lambda: collected[-1:] == ["deDE"])


def test_a_wake_up_for_later_is_sent_then_and_once(sent):
    waker = wake.Waker()
    began = time.monotonic()
    for _ in range(10):
        waker.wake_later("deDE", 0.2)
    wait_for(lambda: sent == ["deDE"])
    assert time.monotonic() - began >= 0.2
    waker.wake_later("deDE", 0.01)
    wait_for(lambda: sent == ["deDE"] * 2)


@BROKER
def test_a_wake_up_is_sent_only_if_none_waits(queue):
    for _ in range(3):
        wake.send_if_none_waits("xxAA")
    assert wake.look(queue.channel.connection.client, "ingest.xxAA") == wake.Queue(messages=1, consumers=0)


@BROKER
def test_a_wake_up_that_a_worker_has_taken_does_not_count(queue):
    wake.send_if_none_waits("xxAA")
    taken = queue.get()
    wake.send_if_none_waits("xxAA")
    waiting = queue.get()
    assert taken and waiting and taken.delivery_tag != waiting.delivery_tag
    assert queue.get() is None


@BROKER
def test_a_wake_up_for_a_queue_that_no_worker_made_yet_is_no_fault():
    for _ in range(3):  # asking for it closes a channel each time
        wake.send_if_none_waits("xxBB")


@BROKER
def test_a_connection_that_the_broker_dropped_costs_one_wake_up_at_most(queue):
    wake.send_if_none_waits("xxAA")
    with current_app.pool.acquire(block=True) as connection:
        connection.connection.transport.sock.shutdown(socket.SHUT_RDWR)
    queue.purge()
    with suppress(*queue.channel.connection.client.connection_errors):
        wake.send_if_none_waits("xxAA")
    wake.send_if_none_waits("xxAA")
    assert queue.get() is not None
    assert queue.get() is None
