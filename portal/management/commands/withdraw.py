"""`./manage.py withdraw`: remove uploads from the merged data, or restore them."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentTypeError
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Count, QuerySet

from core import locales
from core.database import ERRORS
from core.progress import Progress
from ingest import lifecycle, wake
from ingest.maintenance import selection, withdrawals
from ingest.models import Upload
from ingest.queue import worker
from portal.models import Player

#: How long to wait for uploads that a worker has claimed; the sweep subtracts the rest.
WAIT_FOR_WORKERS_S = 10.0
#: Uploads marked in one transaction, so few that workers hardly wait for their rows.
PAGE = 500
VANISH = {
    "creatures": "creatures vanish",
    "sightings": "sightings fewer",
    "positions": "positions disappear",
    "gathering_positions": "gathering places disappear",
    "lootings": "lootings fewer",
    "drops": "drops fewer",
}


class Command(BaseCommand):
    help = (
        "Subtract uploads from the merged data, exactly: those that are named, or that meet every option given. "
        "Their documents stay in the archive, and --restore merges them again. Their receipts say “withdrawn”, and "
        "the same content sent again counts as a duplicate."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--upload", type=_upload, action="append", default=[], metavar="ID", help="this upload (repeatable)"
        )
        parser.add_argument(
            "--player", action="append", default=[], metavar="NAME", help="all uploads of a player (repeatable)"
        )
        parser.add_argument(
            "--sender",
            action="append",
            default=[],
            metavar="KEY",
            help="all uploads of a sender by the key that the admin shows, player:… or network:… (repeatable)",
        )
        selection.add_arguments(parser)
        parser.add_argument("--restore", action="store_true", help="restore withdrawn uploads instead")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="report what would vanish, exactly: does it and rolls it back. Folds wait meanwhile",
        )
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = _chosen(options)
        possible = lifecycle.restorable(chosen) if options["restore"] else lifecycle.withdrawable(chosen)
        counted = self._count(possible)
        expired = 0 if options["restore"] else lifecycle.permanent(chosen).count()
        if counted and expired:
            self.stdout.write(_expired(expired))
        if not counted:
            raise CommandError(_nothing(chosen, restore=options["restore"]))
        total = sum(counted.values())
        verb = "restore" if options["restore"] else "withdraw"
        try:
            if options["dry_run"]:
                self._dry_run(possible, counted, restore=options["restore"])
            elif options["yes"] or _confirmed(f"{verb.capitalize()} {_uploads(total)}?"):
                self._restore(possible, total) if options["restore"] else self._withdraw(possible, counted)
            else:
                self.stdout.write("Nothing was changed.")
        except KeyboardInterrupt:
            raise CommandError(
                f"Stopped. What was done so far stays, and the workers finish what was begun. Run the command again "
                f"to {verb} the rest."
            ) from None
        except ERRORS as error:
            raise CommandError(
                f"A database failed: {str(error).strip()}\nThe workers finish what was begun once the cause is "
                f"removed. Run the command again to {verb} the rest."
            ) from error

    def _count(self, possible: QuerySet[Upload]) -> dict[str, int]:
        """Print the number of uploads and senders of each locale; return the numbers of uploads."""
        counted = {}
        for row in (
            possible.values("locale").annotate(n=Count("id"), senders=Count("sender", distinct=True)).order_by("locale")
        ):
            counted[row["locale"]] = row["n"]
            senders = f"{row['senders']:,} {'sender' if row['senders'] == 1 else 'senders'}"
            self.stdout.write(f"{row['locale']}: {_uploads(row['n'])} of {senders}")
        return counted

    def _dry_run(self, possible: QuerySet[Upload], counted: dict[str, int], *, restore: bool) -> None:
        if not restore:
            for locale, count in counted.items():
                progress = Progress("uploads", count)
                lost = withdrawals.what_would_vanish(locale, possible.filter(locale=locale), progress.show)
                progress.end()
                self.stdout.write(
                    f"{locale}: " + ", ".join(f"{n:,} {VANISH[name]}" for name, n in lost._asdict().items())
                )
            waiting = possible.exclude(status=Upload.Status.MERGED).count()
            if waiting:
                these = "of these uploads is" if waiting == 1 else "of these uploads are"
                self.stdout.write(f"{waiting:,} {these} not merged yet and would not be merged.")
        self.stdout.write("Dry run: nothing was changed.")

    def _withdraw(self, possible: QuerySet[Upload], counted: dict[str, int]) -> None:
        began = time.monotonic()
        progress = Progress("uploads", sum(counted.values()))
        ids: list[UUID] = list(possible.order_by("locale", "id").values_list("id", flat=True))
        marked = 0
        for start in range(0, len(ids), PAGE):
            marked += self._mark(ids[start : start + PAGE])
            for locale in counted:
                while withdrawals.finish_pending(locale):
                    pass
            progress.show(marked - self._left(counted))
        self._wait_for_workers(counted, marked, progress)
        progress.end()
        left = self._left(counted)
        self.stdout.write(f"{_uploads(marked - left)} withdrawn in {time.monotonic() - began:.0f} s.")
        if left:
            self.stdout.write(f"Workers have claimed {_uploads(left)} more and subtract them within some minutes.")
        self.stdout.write("Spawn points follow when they are published. --restore merges the uploads again.")

    @staticmethod
    def _mark(ids: list[UUID]) -> int:
        """Mark uploads as withdrawn, retrying those whose rows were locked; return how many were marked."""
        marked = lifecycle.withdraw(ids)
        give_up_at = time.monotonic() + WAIT_FOR_WORKERS_S
        while marked < len(ids) and time.monotonic() < give_up_at:
            if not lifecycle.withdrawable(Upload.objects.filter(id__in=ids)).exists():
                break
            time.sleep(0.05)
            marked += lifecycle.withdraw(ids)
        return marked

    @staticmethod
    def _wait_for_workers(counted: dict[str, int], marked: int, progress: Progress) -> None:
        give_up_at = time.monotonic() + WAIT_FOR_WORKERS_S
        while (left := Command._left(counted)) and time.monotonic() < give_up_at:
            progress.show(marked - left, "waiting for workers that have claimed some")
            for locale in counted:
                worker.fold_staged(locale)  # what was staged before it was marked
                withdrawals.finish_pending(locale)
            if Command._left(counted) == left:
                time.sleep(0.2)
        for locale in counted:
            wake.wake(locale)

    @staticmethod
    def _left(counted: dict[str, int]) -> int:
        return sum(lifecycle.withdrawal_pending(locale).count() for locale in counted)

    def _restore(self, possible: QuerySet[Upload], total: int) -> None:
        progress = Progress("uploads", total)
        ids: list[UUID] = list(possible.order_by("id").values_list("id", flat=True))
        restored = 0
        for start in range(0, len(ids), PAGE):
            restored += lifecycle.restore(ids[start : start + PAGE])
            progress.show(restored)
        progress.end()
        for locale in locales.hosted():
            wake.wake(locale)
        self.stdout.write(f"{_uploads(restored)} queued again, to be merged from the archive.")


def _chosen(options: dict[str, Any]) -> QuerySet[Upload]:
    senders = [*options["sender"]]
    for name in options["player"]:
        player = Player.objects.filter(name=name).first()
        if player is None:
            raise CommandError(f"There is no player of the name “{name}”; nothing was changed.")
        senders.append(player.sender)
    chosen = selection.selection(options, uploads=options["upload"], senders=senders)
    if chosen.is_everything():
        raise CommandError(
            "Say which uploads: --upload, --player, --sender, --since, --until, --client-version. Nothing was changed."
        )
    return chosen.query()


def _nothing(chosen: QuerySet[Upload], *, restore: bool) -> str:
    if not chosen.exists():
        return "No upload meets these options; nothing was changed."
    expired = lifecycle.permanent(chosen).count()
    if expired and not restore:
        return f"{_expired(expired)} Nothing was changed."
    if restore:
        return "None of these uploads is withdrawn and has its document; nothing was changed."
    return "All of these uploads are rejected, or withdrawn already; nothing was changed."


def _expired(count: int) -> str:
    stay = "stays on the map and can" if count == 1 else "stay on the map and can"
    their = "its document was" if count == 1 else "their documents were"
    return f"{_uploads(count)} {stay} no longer be withdrawn: {their} deleted from the archive when too old."


def _confirmed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise CommandError(f"{question} There is nobody to ask: add --yes, or --dry-run to see what would vanish.")
    return input(f"{question} [yes/no] ").strip().lower() in {"y", "yes"}


def _upload(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no upload's id; receipts and the admin show it") from None


def _uploads(count: int) -> str:
    return f"{count:,} {'upload' if count == 1 else 'uploads'}"
