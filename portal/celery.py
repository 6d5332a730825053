"""Celery: queues, schedule and settings of workers.

A message is a wake-up: it names a locale, and the work itself is in PostgreSQL. So messages may be lost or doubled.
"""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_ready
from celery.worker.consumer import Consumer as CeleryConsumer
from kombu import Exchange, Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

from django.conf import settings

DEAD_LETTERS = "ingest.dead"
#: Deliveries of one wake-up before it becomes a dead letter; the sweep sends new ones while there is work.
DELIVERY_LIMIT = 20
#: Wake-ups per locale beyond this number are redundant; the oldest become dead letters.
QUEUE_LIMIT = 1_000
#: A sweep expires after this time; later ones do its work. Busy workers take a sweep between two turns of some seconds
#: each, of half a minute on an overloaded machine. If all sweeps expired meanwhile, uploads lost from the hot tables by
#: a crash would wait until the surge is over.
SWEEP_EXPIRES_S = 60


def queue_name(locale: str) -> str:
    """Return the name of a locale's queue: `ingest.deDE`."""
    return f"ingest.{locale}"


def _queue(name: str, **arguments: object) -> Queue:
    return Queue(
        name,
        Exchange("ingest", type="direct"),
        routing_key=name,
        queue_arguments={"x-queue-type": "quorum", **arguments},
    )


DEAD_QUEUE = _queue(DEAD_LETTERS, **{"x-max-length": QUEUE_LIMIT})
QUEUES = [
    _queue(
        queue_name(locale),
        **{
            "x-delivery-limit": DELIVERY_LIMIT,
            "x-max-length": QUEUE_LIMIT,
            "x-dead-letter-exchange": "ingest",
            "x-dead-letter-routing-key": DEAD_LETTERS,
        },
    )
    for locale in settings.MOBMAP_LOCALES
]
MAINTENANCE = _queue("ingest.maintenance", **{"x-max-length": QUEUE_LIMIT})


class Consumer(CeleryConsumer):
    """Consumer without Celery's delayed delivery, which declares 28 queues of its own on quorum queues.

    No message is sent with a delay: the times of retries are in PostgreSQL.
    """

    class Blueprint(CeleryConsumer.Blueprint):
        default_steps = [step for step in CeleryConsumer.Blueprint.default_steps if "DelayedDelivery" not in step]


app = Celery("mobmap")
app.conf.update(
    broker_url=settings.BROKER_URL,
    broker_connection_timeout=2,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={"confirm_publish": True, "read_timeout": 5, "write_timeout": 5},
    task_queues=[*QUEUES, MAINTENANCE],
    task_default_queue="ingest.maintenance",
    task_default_exchange="ingest",
    task_default_queue_type="quorum",
    task_create_missing_queues=False,
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    # A wake-up is acknowledged after its work is done, and returned to the queue when its worker dies.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_acks_on_failure_or_timeout=False,
    worker_prefetch_multiplier=1,
    # A process that has grown beyond this, as after the largest accepted document, is replaced.
    worker_max_memory_per_child=512 * 1024,
    worker_consumer=f"{__name__}:Consumer",
    worker_hijack_root_logger=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_enable_remote_control=True,
    worker_send_task_events=False,
    event_queue_exclusive=True,
    control_queue_exclusive=True,
    beat_scheduler="portal.scheduler:Scheduler",
    beat_schedule={
        "sweep": {
            "task": "ingest.sweep",
            "schedule": settings.SWEEP_EVERY,
            "options": {"queue": MAINTENANCE.name, "expires": SWEEP_EXPIRES_S},
        },
        "cleanup": {
            "task": "ingest.cleanup",
            "schedule": 3600,
            "options": {"queue": MAINTENANCE.name, "expires": 3600},
        },
    },
    timezone="UTC",
)
app.autodiscover_tasks(["ingest.queue"])


@worker_ready.connect
def declare_dead_letters(sender: CeleryConsumer, **kwargs: object) -> None:
    """Declare the queue of dead letters: it has no consumer that would declare it."""
    with sender.app.connection_for_write() as connection:
        DEAD_QUEUE(connection.default_channel).declare()
