"""How the site is set up, started, stopped and tested on one machine.

Debian's own Python runs these modules before any package is installed, so they use only the standard library.
In reading order: `folders` (where the files of a site are), `ports`, `venv`, `compiled`, `environment` (the settings of
each process), `postgres`, `rabbitmq`, `supervisor` (keeps processes running), `site` (./deploy/run and
./deploy/stop), `watch`, `demo`, `testing` (./deploy/test) with `node_tools`, `progress` (what is printed).
"""
