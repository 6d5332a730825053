"""The web server: two processes with threads, bounded in every direction."""

import os
import time

from gunicorn.workers.gthread import ThreadWorker


class Worker(ThreadWorker):
    """A process with threads that stops at once when its main process has died.

    Gunicorn's own then serves connections that are kept alive as if nothing had happened, and meanwhile holds the port,
    where no new server can listen, until `graceful_timeout` cuts off whatever it is just answering.
    """

    def is_parent_alive(self) -> bool:
        self.alive = self.alive and super().is_parent_alive()
        return self.alive


bind = os.environ.get("MOBMAP_WEB_BIND", "127.0.0.1:8000")
worker_class = Worker
workers = int(os.environ.get("MOBMAP_WEB_WORKERS", "2"))
threads = int(os.environ.get("MOBMAP_WEB_THREADS", "4"))

#: A large upload over a slow line is read in a thread; what counts is that the process still beats.
timeout = 60
graceful_timeout = 30
keepalive = 5
#: Recycled now and then, never both at once: large documents fragment memory.
max_requests = int(os.environ.get("MOBMAP_WEB_MAX_REQUESTS", "20000"))
max_requests_jitter = max_requests // 5

limit_request_line = 4_094
limit_request_fields = 60
limit_request_field_size = 8_190

#: Heartbeats on a disk that is busy with fsync would make healthy workers look dead.
worker_tmp_dir = "/dev/shm"  # noqa: S108  (a file without a name)
proc_name = "mobmap-web"
accesslog = None
errorlog = "-"
control_socket_disable = True

#: For the queue page (portal/operations/health.py).
#: This file is read before the server makes its processes, which are younger.
os.environ["WEB_SERVER_STARTED_S"] = str(time.monotonic())
