"""Wake-ups are sent by a thread of their own: whoever asks for one never waits for the broker."""

from __future__ import annotations

import time
from threading import Event

import pytest

from ingest import wake


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """Collect wake-ups instead of sending them; the broker's client is where this meets the world."""
    collected: list[str] = []
    monkeypatch.setattr(wake, "send", lambda task, locale: collected.append(f"{task} {locale}"))
    return collected


def wait_for(condition) -> None:
    deadline = time.monotonic() + 5
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def test_a_wake_up_is_sent_soon(sent):
    wake.Waker().wake("deDE")
    wait_for(lambda: sent == ["ingest.work deDE"])


def test_many_uploads_within_a_moment_share_a_wake_up(sent):
    waker = wake.Waker()
    for _ in range(1_000):
        waker.wake("deDE")
        waker.wake("enUS")
    wait_for(lambda: {"ingest.work deDE", "ingest.work enUS"} <= set(sent))
    time.sleep(3 * wake.MIN_GAP_S)
    assert 2 <= len(sent) <= 40


def test_an_upload_during_the_sending_is_not_forgotten(monkeypatch):
    collected: list[str] = []
    sending, go_on = Event(), Event()

    def send(task: str, locale: str) -> None:
        collected.append(locale)
        sending.set()
        go_on.wait(5)

    monkeypatch.setattr(wake, "send", send)
    waker = wake.Waker()
    waker.wake("deDE")
    assert sending.wait(5)
    waker.wake("deDE")
    go_on.set()
    wait_for(lambda: collected == ["deDE", "deDE"])


def test_a_broker_that_is_away_delays_nobody_and_is_told_in_the_log(monkeypatch, caplog):
    monkeypatch.setattr(wake, "RETRY_GAP_S", 0.01)
    came_back = Event()
    collected: list[str] = []

    def send(task: str, locale: str) -> None:
        if not came_back.is_set():
            raise ConnectionRefusedError("Connection refused")
        collected.append(locale)

    monkeypatch.setattr(wake, "send", send)
    waker = wake.Waker()
    began = time.monotonic()
    for _ in range(100):
        waker.wake("deDE")
    assert time.monotonic() - began < 1
    wait_for(lambda: "Its uploads are safe" in caplog.text)
    came_back.set()
    waker.wake("deDE")
    wait_for(lambda: collected[-1:] == ["deDE"])


def test_a_wake_up_for_later_is_sent_then_and_once(sent):
    waker = wake.Waker()
    began = time.monotonic()
    for _ in range(10):
        waker.wake_later("deDE", 0.2)
    wait_for(lambda: sent == ["ingest.work deDE"])
    assert time.monotonic() - began >= 0.2
    waker.wake_later("deDE", 0.01)
    wait_for(lambda: sent == ["ingest.work deDE"] * 2)
