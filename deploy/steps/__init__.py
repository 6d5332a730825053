"""How the site is set up, started, stopped and tested on one machine.

Run by Debian's own Python before any package is installed, so only the standard library is used.
In reading order: `place` (where everything lies), `venv`, `compiled`, `postgres`, `rabbitmq`,
`supervisor` (what keeps them running), `environment` (what each process may know), `site` (./deploy/run
and ./deploy/stop), `demo`, `testing` (./deploy/test).
"""
