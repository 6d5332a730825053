"""Reading from 1,000,000 creatures with 1 to 16 clients: does the rate fall past the number of cores?"""

from __future__ import annotations

import os
import re
import statistics
from collections.abc import Mapping, Sequence

from bench.merging import database
from bench.results import Chart, Result, Target
from bench.scaling_growth import LOCALE
from bench.servers import Site
from deploy.steps import postgres
from deploy.steps.progress import Failure, run, say, step

CLIENTS = (1, 2, 4, 8, 16)
#: Creatures of one page of a list.
PAGE = 100
PAGES, SINGLE, FLOOR = f"pages of {PAGE}", "one by one", "SELECT 1"
#: More clients than cores must keep this share of the throughput with as many clients as cores. Answers one by one
#: cost little more than the context switches for each, so there it is a share of what `SELECT 1` keeps.
LEAST_KEPT = 0.85
#: Measurements per run: with as many clients as cores the rates fall into two groups, up to a factor of two apart,
#: depending on the cores on which the kernel places a client and its server process.
TIMES = 3
#: Seconds of each: some 100,000 rows and more.
SECONDS = 1
_COLUMNS = "c.id, n.name, c.level_min, c.level_max, c.boss, c.reactions, c.uploads, c.first_seen, c.last_seen"
_FROM = f"SELECT {_COLUMNS} FROM creature c JOIN creature_name n ON n.creature = c.id"
_SCRIPTS = {
    PAGES: "\\set page random(0, {rows} / 100 - 1)\n"
    + f"{_FROM} WHERE c.id BETWEEN :page * {PAGE} + 1 AND :page * {PAGE} + {PAGE};\n",
    SINGLE: "\\set id random(1, {rows})\n" + f"{_FROM} WHERE c.id = :id;\n",
    FLOOR: "SELECT 1;\n",
}
_RATE = re.compile(r"tps = ([\d.]+)")


def measure(site: Site, result: Result, rows: int, runs: int) -> None:
    """Read from the first `rows` creatures, which exist already, with each number of clients.

    More clients than cores are compared with as many as cores right before and right after, so that both meet the
    same conditions.
    """
    with site.connect(database(LOCALE)) as connection:
        page = connection.execute(f"{_FROM} WHERE c.id BETWEEN {PAGE + 1} AND {2 * PAGE}").fetchall()
    if len(page) != PAGE:
        result.faults.append(f"A page holds {len(page)} creatures instead of {PAGE}.")
    cores = max(n for n in CLIENTS if n <= (os.cpu_count() or 1))
    seen: dict[tuple[str, int], list[float]] = {(kind, n): [] for kind in _SCRIPTS for n in CLIENTS}
    kept: dict[tuple[str, int], list[float]] = {(kind, n): [] for kind in _SCRIPTS for n in CLIENTS if n > cores}
    with step(f"Reading from {rows:,} creatures, {CLIENTS[0]} to {CLIENTS[-1]} clients"):
        for kind in _SCRIPTS:
            _read(site, kind, rows, CLIENTS[-1])  # to warm up
        for _ in range(runs * TIMES):
            for kind in _SCRIPTS:
                turns = in_turns(CLIENTS, cores)
                rates = [(clients, _read(site, kind, rows, clients)) for clients in turns]
                for clients, rate in rates:
                    seen[kind, clients].append(rate)
                for clients, share in shares_of_neighbors(rates, cores):
                    kept[kind, clients].append(share)
    _add_figures(result, rows, seen)
    for (kind, clients), several in kept.items():
        result.add(f"{kind}, {clients} clients, share of {cores} right before and after", "", several)
    judge(result, cores, {key: statistics.median(several) for key, several in kept.items()})


def judge(result: Result, cores: int, kept: Mapping[tuple[str, int], float]) -> None:
    """Add the targets: the lowest share of all numbers of clients past the cores counts."""
    more = [n for n in CLIENTS if n > cores]
    if not more:
        return
    pages = min(kept[PAGES, n] for n in more)
    single = min(kept[SINGLE, n] / kept[FLOOR, n] for n in more)
    result.targets += [
        Target(
            f"{PAGES}: the worst past {cores} clients, share of {cores} clients on as many cores", pages, LEAST_KEPT
        ),
        Target(f"{SINGLE}: the same, as a share of what `{FLOOR}` keeps", single, LEAST_KEPT),
    ]
    worst = min(more, key=lambda n: kept[SINGLE, n])
    result.notes.append(
        f"Past {cores} clients on {cores} cores, the rate of reading creatures {SINGLE} falls to "
        f"{kept[SINGLE, worst]:.2f} ({worst} clients). `{FLOOR}`, which reads no table, falls to "
        f"{kept[FLOOR, worst]:.2f} there and to {min(kept[FLOOR, n] for n in more):.2f} at worst: this is the cost of "
        f"context switches between clients and server processes. Only a larger loss can come from what readers of a "
        f"table share."
    )


def in_turns(clients: Sequence[int], cores: int) -> list[int]:
    """Return the order of measurement: `in_turns((1, 2, 4, 8), 2)` is `[1, 2, 4, 2, 8, 2]`."""
    order: list[int] = []
    for n in clients:
        order += [n, cores] if n > cores else [n]
    return order


def shares_of_neighbors(rates: Sequence[tuple[int, float]], cores: int) -> list[tuple[int, float]]:
    """Return each rate with more clients than cores as a share of the mean of the rates before and after it.

    For example for `[(2, 10.0), (4, 9.0), (2, 8.0)]` with 2 cores `[(4, 1.0)]`.
    """
    return [
        (clients, rate / ((before + after) / 2))
        for (_, before), (clients, rate), (_, after) in zip(rates, rates[1:], rates[2:], strict=False)
        if clients > cores
    ]


def _add_figures(result: Result, rows: int, seen: dict[tuple[str, int], list[float]]) -> None:
    """Add the rates, and plots of their medians."""
    for (kind, clients), rates in seen.items():
        unit = "rows/s" if kind != FLOOR else "1/s"
        result.add(f"{kind}, {clients} client{'s' * (clients > 1)}", unit, rates)
    medians = {key: statistics.median(rates) for key, rates in seen.items()}
    for kind in (PAGES, SINGLE):
        say(f"  {kind}: " + ", ".join(f"{n} clients {medians[kind, n]:,.0f} rows/s" for n in CLIENTS))
    result.add(
        "one by one, share of SELECT 1, best of all clients", "",
        [max(medians[SINGLE, n] for n in CLIENTS) / max(medians[FLOOR, n] for n in CLIENTS)],
    )  # fmt: skip
    result.charts += [
        Chart(
            "lines", f"Reading creatures from a table of {rows:,}, {words}", "clients", unit,
            [(kind, [(n, medians[kind, n]) for n in CLIENTS]) for kind in kinds],
        )
        for words, unit, kinds in (("a page at a time", "rows/s", [PAGES]), ("one by one", "1/s", [SINGLE, FLOOR]))
    ]  # fmt: skip


def _read(site: Site, kind: str, rows: int, clients: int) -> float:
    """Return rows (for `SELECT 1`: answers) per second of all clients together.

    Runs for a fixed time, not for a number of answers: the last client would finish those alone.
    """
    script = site.folders.var / "scaling.sql"
    script.write_text(_SCRIPTS[kind].replace("{rows}", str(rows)))
    per_transaction = PAGE if kind == PAGES else 1
    output = run(
        [
            *(postgres.BIN / "pgbench", "--no-vacuum", "--protocol", "prepared", "--file", script),
            *("--client", str(clients), "--jobs", str(min(clients, os.cpu_count() or 1))),
            *("--time", str(SECONDS), "--host", site.folders.sockets),
            *("--username", postgres.SUPERUSER, database(LOCALE)),
        ],
        doing="Reading creatures (pgbench)",
    )
    found = _RATE.search(output)
    if not found:
        raise Failure(f"pgbench printed no rate:\n{output}")
    return float(found[1]) * per_transaction
