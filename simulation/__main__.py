"""`python -m simulation DIR --uploads N`: write uploads of an invented world into a folder, with the truth beside them.

Besides the uploads: truth-LOCALE.json (spawn points, names, drop rates), book-LOCALE.json (each file's player,
positions and lootings), items-LOCALE.csv (for `./manage.py import_names`) and players.txt. The same options write the
same bytes.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from core.progress import Progress
from simulation import names, truth
from simulation.uploads import LARGEST_MEAN_KB, SMALLEST_MEAN_KB, Order, player_names, simulate
from simulation.world import World, make_world


class Refused(Exception):
    """Options that cannot be met; the message says which, why, and what to choose instead."""


def main(arguments: Sequence[str]) -> int:
    """Write the uploads and return the exit status: 0, or 1 with a message if nothing or not everything was written."""
    options = _parser().parse_args(arguments)
    directory: Path = options.directory
    try:
        order = _order(options)
        _check_folder(directory, force=options.force)
        directory.mkdir(parents=True, exist_ok=True)
        world = make_world(options.world)
        _write_truth(directory, world, order)
        size_bytes = _write_uploads(directory, world, order)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"Could not write into {directory}: {error}. The uploads there are not complete.", file=sys.stderr)
        return 1
    print(f"{order.uploads:,} uploads, {size_bytes / 1e6:,.1f} MB, in {directory}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m simulation", description=(__doc__ or "").partition(": ")[2])
    parser.add_argument("directory", metavar="DIR", type=Path)
    parser.add_argument("--uploads", metavar="N", type=int, default=100, help="number of uploads, all locales (100)")
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="seed of the players and their weeks (1)")
    parser.add_argument("--world", metavar="S", type=int, default=1, help="seed of the world they play in (1)")
    parser.add_argument(
        "--locale",
        metavar="LIST",
        default="enUS,deDE",
        help=f"locales, separated by commas; uploads alternate between them (enUS,deDE); "
        f"known: {', '.join(names.LOCALES)}",
    )
    parser.add_argument("--format-version", type=int, choices=(42, 43, 44), default=44, help="of the addon (44)")
    parser.add_argument("--mix", action="store_true", help="mix versions, and plain XML with Base64")
    parser.add_argument("--base64", action="store_true", help="write as the addon's window shows it")
    parser.add_argument("--players", metavar="P", type=int, help="number of players (a third of the uploads)")
    parser.add_argument("--malicious", metavar="F", type=float, default=0.0, help="share with random positions (0)")
    parser.add_argument(
        "--size-kb",
        metavar="K",
        type=float,
        default=65.0,
        help=f"mean size, {SMALLEST_MEAN_KB} to {LARGEST_MEAN_KB} (65)",
    )
    parser.add_argument("--force", action="store_true", help="write into a folder that is not empty")
    return parser


def _order(options: argparse.Namespace) -> Order:
    """Return what is asked for; raises `Refused`."""
    locales = tuple(dict.fromkeys(part.strip() for part in options.locale.split(",") if part.strip()))
    unknown = [locale for locale in locales if locale not in names.LOCALES]
    if unknown or not locales:
        raise Refused(
            f"--locale {options.locale}: the world has no names in {', '.join(unknown) or 'no locale'}. "
            f"Choose from {', '.join(names.LOCALES)}."
        )
    if options.uploads < 1:
        raise Refused(f"--uploads {options.uploads}: ask for at least 1.")
    if min(options.seed, options.world) < 0:
        raise Refused("--seed and --world must not be negative.")
    if not 0 <= options.malicious <= 1:
        raise Refused(f"--malicious {options.malicious}: a share lies between 0 and 1.")
    if not SMALLEST_MEAN_KB <= options.size_kb <= LARGEST_MEAN_KB:
        raise Refused(
            f"--size-kb {options.size_kb:g}: choose {SMALLEST_MEAN_KB} to {LARGEST_MEAN_KB}; the addon stops "
            "its export at 180,000 characters."
        )
    players = max(len(locales), options.uploads // 3) if options.players is None else options.players
    if players < len(locales):
        raise Refused(f"--players {players}: every locale needs at least one, ask for {len(locales)} or more.")
    return Order(
        uploads=options.uploads,
        seed=options.seed,
        locales=locales,
        version=options.format_version,
        players=players,
        mean_size_kb=options.size_kb,
        malicious_share=options.malicious,
        mix=options.mix,
        base64=options.base64,
    )


def _check_folder(directory: Path, *, force: bool) -> None:
    if directory.exists() and not directory.is_dir():
        raise Refused(f"{directory} is no folder. Name a folder; it need not exist yet.")
    if directory.exists() and any(directory.iterdir()) and not force:
        raise Refused(
            f"{directory} is not empty. Name another folder, or use --force: files of the same names are "
            "replaced, all others stay."
        )


def _write_truth(directory: Path, world: World, order: Order) -> None:
    for locale in order.locales:
        text = json.dumps(truth.truth(world, locale), ensure_ascii=False)
        (directory / f"truth-{locale}.json").write_text(text + "\n", encoding="utf-8")
        with (directory / f"items-{locale}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(("id", "name"))
            rows.writerows(truth.item_rows(world, locale))
    everyone = [name for named in player_names(order).values() for name in named]
    (directory / "players.txt").write_text("\n".join(everyone) + "\n", encoding="utf-8")


def _write_uploads(directory: Path, world: World, order: Order) -> int:
    """Write the uploads and their books; return the size of all uploads in bytes."""
    progress = Progress("uploads", order.uploads)
    size_bytes = 0
    with ExitStack() as stack:
        books = {
            locale: stack.enter_context((directory / f"book-{locale}.json").open("w", encoding="utf-8"))
            for locale in order.locales
        }
        begun: set[str] = set()
        for number, upload in enumerate(simulate(world, order), start=1):
            (directory / upload.file).write_bytes(upload.body)
            size_bytes += len(upload.body)
            book = books[upload.locale]
            book.write(",\n" if upload.locale in begun else "[\n")
            json.dump(truth.book_entry(upload), book, ensure_ascii=False)
            begun.add(upload.locale)
            progress.show(number, f"{size_bytes / 1e6:,.0f} MB")
        for locale, book in books.items():
            book.write("\n]\n" if locale in begun else "[]\n")
    progress.end()
    return size_bytes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
