"""One command per benchmark: `bench/run NAME` measures on servers of its own and compares with its targets.

In reading order: `servers` (a private site under var/bench), `corpus` (simulated uploads, kept between
runs), `watching` (memory and processor time), `results` (medians, tables, JSON), `plot` and `report` (which
write docs/benchmarks.md), then a module per command.
"""
