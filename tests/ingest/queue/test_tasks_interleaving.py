"""Any number of workers, in any interleaving, dying anywhere: the same tables, and every upload in them once.

Workers are threads with connections of their own. Each does what a worker does (stages a batch, merges, tries apart,
recovers, publishes) and lives to its end, dies before or after one of its parts or before any of its statements, or
halts at a part while others go on: past its lease, past a power cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from queue import SimpleQueue
from threading import Thread, local
from types import ModuleType
from typing import Any
from unittest import mock

import pytest
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone
from hypothesis import event, given, settings
from hypothesis import strategies as st

from ingest import lifecycle
from ingest.intake import spool
from ingest.merge import fold, hot_tables, ledger
from ingest.models import Upload
from ingest.queue import bisection, outcomes, quarantine, worker
from maps.publish.run import publish
from tests import independent, merged_tables
from tests.ingest.factories import Note, contents, notes
from tests.ingest.pipeline import LAW, RECEIVED, empty, rows, tables, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]

LOCALE, ALIAS = "deDE", "map_deDE"
SENDERS = ["player:1", "player:2", "network:a"]
#: Three deaths of its workers are enough for an upload to be tried apart; after some more it is set aside, rightly.
MAX_DEATHS = 4
#: Against hanging only.
PATIENCE_S = 120


class Died(BaseException):
    """A worker's process is gone: what it had begun is undone, and nothing of it goes on."""


VERBS: dict[str, Callable[[str], object]] = {
    "stage": lambda name: worker.stage_batch(LOCALE, name),
    "merge": lambda name: worker.fold_staged(LOCALE),
    "try apart": lambda name: bisection.merge_next_group(LOCALE, name),
    "recover": lambda name: worker.recover(LOCALE),
    "publish": lambda name: publish(ALIAS),
}
#: The parts of what workers do that lie between transactions, where others see what was done and what was not.
PARTS: dict[str, list[tuple[ModuleType, str]]] = {
    "stage": [(lifecycle, "claim"), (ledger, "find"), (worker, "read"), (worker, "stage")],
    "merge": [
        (hot_tables, "begin_try"),
        (fold, "_fold_set"),
        (outcomes, "record_merged"),
        (outcomes, "archive"),
        (spool, "move_to_archive"),
    ],
    "try apart": [(quarantine, "claim"), (bisection, "_merge"), (outcomes, "record_merged")],
    "recover": [(hot_tables, "staged")],
    "publish": [],
}
#: What happens to all at once, or to nobody.
EVENTS = ["an upload arrives", "time passes", "the power fails", "those that halt go on"]


@dataclass(frozen=True)
class Step:
    """What a worker does, and what becomes of it: at a part (`before stage`), or after so many statements."""

    worker: int
    verb: str
    fate: str = "lives"
    part: str = ""
    statements: int = 0


WORKERS = 2
lives = [Step(worker, verb) for verb in VERBS for worker in range(WORKERS)]
meets = [
    Step(worker, verb, fate, f"{side} {name}")
    for verb, parts in PARTS.items()
    for _, name in parts
    for side in ("before", "after")
    for fate in ("dies", "halts")
    for worker in range(WORKERS)
]
#: As many go well as do not, so that there is something to lose.
steps = st.sampled_from(lives * (len(meets) // len(lives)) + meets)
dies_within = st.builds(
    Step,
    st.integers(0, WORKERS - 1),
    st.sampled_from(list(VERBS)),
    st.just("dies within"),
    statements=st.integers(0, 40),
)


class Process:
    """A worker's process while it takes a step."""

    #: The process that a thread is; the test's own thread is none.
    of_thread = local()

    def __init__(self, step: Step) -> None:
        """Let it go as far as it goes."""
        self._step = step
        self._statements_left = step.statements
        self._is_dead = self._has_halted = False
        self._halts: SimpleQueue[bool] = SimpleQueue()
        self._orders: SimpleQueue[bool] = SimpleQueue()
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        self.halted = self._wait()

    def go_on(self, *, alive: bool) -> None:
        """Let it go on to its end, or die where it is."""
        self._orders.put(alive)
        self.halted = self._wait()

    def reach(self, part: str) -> None:
        """Halt or die here, if this is the part."""
        if part == self._step.part and not self._has_halted:
            if self._step.fate == "halts":
                self._has_halted = True
                self._halts.put(True)
                self._is_dead = not self._orders.get(timeout=PATIENCE_S)
            else:
                self._is_dead = True
        if self._is_dead:
            raise Died

    def _wait(self) -> bool:
        halted = self._halts.get(timeout=PATIENCE_S)
        if not halted:
            self._thread.join(PATIENCE_S)
            if self._error:
                raise self._error
        return halted

    def _run(self) -> None:
        self.of_thread.process = self
        try:
            with ExitStack() as watched:
                for alias in (DEFAULT_DB_ALIAS, ALIAS):
                    watched.enter_context(connections[alias].execute_wrapper(self._before_statement))
                VERBS[self._step.verb](f"wake-up {self._step.worker}")
        except Died:
            pass
        except BaseException as error:  # noqa: BLE001  (the test's own thread raises it)
            self._error = error
        finally:
            connections.close_all()
            self._halts.put(False)

    def _before_statement(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        self._statements_left -= 1
        if self._is_dead or (self._step.fate == "dies within" and self._statements_left < 0):
            self._is_dead = True
            raise Died
        return execute(sql, params, many, context)


@pytest.fixture
def _parts_are_seen() -> Iterator[None]:
    """Tell a thread's process of each part that it comes to, and when it is through with it."""

    def told(name: str, part: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            process = getattr(Process.of_thread, "process", None)
            if process is None:
                return part(*args, **kwargs)
            process.reach(f"before {name}")
            result = part(*args, **kwargs)
            process.reach(f"after {name}")
            return result

        return wrapped

    with ExitStack() as patched:
        for module, name in {part for parts in PARTS.values() for part in parts}:
            patched.enter_context(mock.patch.object(module, name, told(name, getattr(module, name))))
        yield


def time_passes() -> None:
    """Let every lease and every waiting time run out."""
    past = timezone.now() - timedelta(minutes=1)
    Upload.objects.filter(status=Upload.Status.QUEUED, lease_until__isnull=False).update(lease_until=past)
    Upload.objects.filter(status=Upload.Status.QUEUED).update(retry_at=None)
    Upload.objects.filter(status=Upload.Status.STAGED).update(staged_at=past)


def power_fails() -> None:
    """Empty the hot tables, as PostgreSQL does when it starts after a crash."""
    with connections[ALIAS].cursor() as cursor:
        for number in hot_tables.SETS:
            staged = [
                f"{hot_tables.schema(number)}.staged_{what}"
                for what in ("upload", "creature", "position", "loot", "drop")
            ]
            cursor.execute(f"TRUNCATE {', '.join(staged)}")


class Site:
    """A locale's players, workers, and what befalls them."""

    def __init__(self, sent: Sequence[tuple[str, datetime, bytes]]) -> None:
        self._to_come = iter(sent)
        self._halted: list[Process] = []
        self._deaths = 0

    def arrive(self) -> bool:
        """Accept the next upload; False when all have come."""
        for sender, when, xml in self._to_come:
            take(xml, sender, when)
            return True
        return False

    def follow(self, step: Step) -> None:
        """Let a worker take a step."""
        if step.fate.startswith("dies"):
            self._deaths += 1
            if self._deaths > MAX_DEATHS:
                return
        process = Process(step)
        event(f"{step.verb} {step.fate} {step.part}")
        if process.halted:
            self._halted.append(process)

    def befall(self, what: str) -> None:
        """Let something happen to all."""
        if what == "an upload arrives":
            self.arrive()
        elif what == "time passes":
            time_passes()
        elif what == "those that halt go on":
            self.go_on(alive=True)
        else:
            self.go_on(alive=False)
            power_fails()

    def go_on(self, *, alive: bool) -> None:
        """Let workers that halt go on to their end, or die."""
        while self._halted:
            self._halted.pop(0).go_on(alive=alive)

    def come_to_rest(self, workers: int) -> None:
        """Let all arrive and be worked off, by some workers at once."""
        while self.arrive():
            pass
        self.go_on(alive=True)
        time_passes()
        worker.recover(LOCALE)
        threads = [Thread(target=work_to_the_end, args=(f"wake-up {number}",)) for number in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time_passes()
        work_off()


def work_to_the_end(name: str) -> None:
    try:
        while (
            worker.stage_batch(LOCALE, name) or worker.fold_staged(LOCALE) or bisection.merge_next_group(LOCALE, name)
        ):
            pass
    finally:
        connections.close_all()


@pytest.mark.usefixtures("_parts_are_seen")
@settings(LAW, max_examples=40)
@given(
    st.lists(notes(), min_size=2, max_size=7, unique_by=lambda note: contents(note.xml()).content_hash),
    st.lists(steps | steps | dies_within | st.sampled_from(EVENTS), min_size=16, max_size=32),
    st.integers(1, 4),
)
def test_any_interleaving_of_workers_folds_and_crashes_gives_the_same_tables(
    batch: Sequence[Note], plan: Sequence[Step | str], workers: int
) -> None:
    sent = [(SENDERS[no % 3], RECEIVED + timedelta(days=no % 2), note.xml()) for no, note in enumerate(batch)]
    empty()
    for sender, when, xml in sent:
        take(xml, sender, when)
    work_off()
    at_once = tables()
    assert merged_tables.read(ALIAS) == independent.merged(independent.count((sender, xml) for sender, _, xml in sent))

    empty()
    site = Site(sent)
    for _ in range(len(sent) // 2):
        site.arrive()
    for step in plan:
        if isinstance(step, Step):
            site.follow(step)
        else:
            site.befall(step)
    site.come_to_rest(workers)

    assert set(Upload.objects.values_list("status", flat=True)) == {Upload.Status.MERGED}
    assert rows("SELECT count(*) FROM ledger") == [(len(sent),)]
    assert tables() == at_once
