"""Configuration of the web server: two processes with threads, and limits on time and size of requests."""

import os
import runpy
import time
from pathlib import Path

from gunicorn.workers.gthread import ThreadWorker

#: The readers of settings. Not imported: the main process would keep old code of `portal` over a reload.
env = runpy.run_path(str(Path(__file__).parents[1] / "portal" / "env.py"))


class Worker(ThreadWorker):
    """A process with threads that stops as soon as its main process has died.

    Gunicorn's own worker goes on serving kept-alive connections and keeps the port, so that no new server can listen
    there until `graceful_timeout` ends it together with the requests it is answering.
    """

    alive: bool

    def is_parent_alive(self) -> bool:
        self.alive = self.alive and super().is_parent_alive()
        return self.alive


bind = env["text"]("MOBMAP_WEB_BIND", "127.0.0.1:8000")
worker_class = Worker
workers = env["integer"]("MOBMAP_WEB_WORKERS", 2, at_least=1)
threads = env["integer"]("MOBMAP_WEB_THREADS", 4, at_least=1)

#: Seconds without a heartbeat. A large upload over a slow line is no problem: a thread reads it.
timeout = 60
graceful_timeout = 30
keepalive = 5
#: Processes are replaced after this many requests, not both at once: large documents fragment memory.
max_requests = env["integer"]("MOBMAP_WEB_MAX_REQUESTS", 20_000)
max_requests_jitter = max_requests // 5

limit_request_line = 4_094
limit_request_fields = 60
limit_request_field_size = 8_190

#: In RAM: on a disk that is busy with fsync, heartbeats would be late and healthy workers look dead.
worker_tmp_dir = "/dev/shm"  # noqa: S108  (the file has no name)
proc_name = "mobmap-web"
accesslog = None
errorlog = "-"
control_socket_disable = True

#: For the queue page (portal/operations/health.py): the worker processes start later than this main process.
os.environ["WEB_SERVER_STARTED_S"] = str(time.monotonic())
