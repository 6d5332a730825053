"""How the site is set up, started, stopped and tested on one machine.

Debian's own Python runs these modules before any package is installed, so they use only the standard library.
In reading order: `folders` (where the files of a site are), `ports`, `install` (what a checkout needs),
`environment` (the settings of each process), `postgres`, `rabbitmq`, `supervisor` (keeps processes running), `site`
(./deploy/run and ./deploy/stop), `watch`, `demo`, `testing` (./deploy/test), `progress` (what is printed).
"""
