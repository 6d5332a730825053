"""Reading 1,000,000 rows' worth of creatures with 1 to 16 clients: does it fall past the number of cores?"""

from __future__ import annotations

import os
import re
import statistics

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
#: The least share of the throughput at as many clients as cores that more clients must keep.
LEAST_KEPT = 0.85
_COLUMNS = "c.id, n.name, c.level_min, c.level_max, c.boss, c.reactions, c.uploads, c.first_seen, c.last_seen"
_FROM = f"SELECT {_COLUMNS} FROM creature c JOIN creature_name n ON n.creature = c.id"
_SCRIPTS = {
    PAGES: "\\set page random(0, {rows} / 100 - 1)\n"
    + f"{_FROM} WHERE c.id BETWEEN :page * {PAGE} + 1 AND :page * {PAGE} + {PAGE};\n",
    SINGLE: "\\set id random(1, {rows})\n" + f"{_FROM} WHERE c.id = :id;\n",
    FLOOR: "SELECT 1;\n",
}
#: One by one and the floor take this part of the rows, or they would take minutes; but not so few that chance rules.
_SHARES = {PAGES: 1.0, SINGLE: 0.05, FLOOR: 0.1}
_LEAST_TRANSACTIONS = 20_000
_RATE = re.compile(r"tps = ([\d.]+)")


def measure(site: Site, result: Result, rows: int, runs: int) -> None:
    """Read the first `rows` creatures, which are there already, with each number of clients."""
    with site.connect(database(LOCALE)) as connection:
        page = connection.execute(f"{_FROM} WHERE c.id BETWEEN {PAGE + 1} AND {2 * PAGE}").fetchall()
    if len(page) != PAGE:
        result.faults.append(f"A page holds {len(page)} creatures instead of {PAGE}.")
    seen: dict[tuple[str, int], list[float]] = {(kind, n): [] for kind in _SCRIPTS for n in CLIENTS}
    with step(f"Reading {rows:,} rows' worth of creatures, {CLIENTS[0]} to {CLIENTS[-1]} clients"):
        _read(site, PAGES, rows, CLIENTS[-1])  # to warm up
        for _ in range(runs):
            for (kind, clients), rates in seen.items():
                rates.append(_read(site, kind, rows, clients))
    for (kind, clients), rates in seen.items():
        unit = "rows/s" if kind != FLOOR else "1/s"
        result.add(f"{kind}, {clients} client{'s' * (clients > 1)}", unit, rates)
    medians = {key: statistics.median(rates) for key, rates in seen.items()}
    for kind in (PAGES, SINGLE):
        say(f"  {kind}: " + ", ".join(f"{n} clients {medians[kind, n]:,.0f} rows/s" for n in CLIENTS))
        cores = max(n for n in CLIENTS if n <= (os.cpu_count() or 1))
        past = [medians[kind, n] for n in CLIENTS if n > cores]
        if past:
            kept = min(past) / medians[kind, cores]
            name = f"{kind}: the worst past {cores} clients, share of {cores} clients on as many cores"
            result.targets.append(Target(name, kept, least=LEAST_KEPT))
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
    """Return rows (for the floor: answers) per second, all clients together."""
    script = site.place.var / "scaling.sql"
    script.write_text(_SCRIPTS[kind].replace("{rows}", str(rows)))
    per_transaction = PAGE if kind == PAGES else 1
    wanted = max(_LEAST_TRANSACTIONS // per_transaction, int(rows * _SHARES[kind]) // per_transaction)
    told = run(
        [
            *(postgres.BIN / "pgbench", "--no-vacuum", "--protocol", "prepared", "--file", script),
            *("--client", str(clients), "--jobs", str(min(clients, os.cpu_count() or 1))),
            *("--transactions", str(wanted // clients), "--host", site.place.sockets),
            *("--username", postgres.SUPERUSER, database(LOCALE)),
        ],
        doing="Reading creatures (pgbench)",
    )
    found = _RATE.search(told)
    if not found:
        raise Failure(f"pgbench told no rate:\n{told}")
    return float(found[1]) * per_transaction
