"""One command per figure: `bench/run NAME` measures it on servers of its own and says how it stands.

In reading order: `servers` (a private site under var/bench), `corpus` (simulated uploads, kept between
runs), `watching` (memory and processor time), `results` (medians, tables, JSON), `plot` and `report` (what
docs/benchmarks.md is made from), then a module per command.
"""
