"""`./manage.py send PATH… --url URL`: the player's client, which posts uploads and says what became of them."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.progress import Progress
from portal.api.client import Answer, Client, SiteUnreachable, readable, refusal_lines

#: What is taken from folders; other files are sent only when they are named.
SUFFIXES = {".xml", ".b64", ".gz", ".zst"}

REFUSED, UNUSABLE = 1, 2
#: Receipts asked for at once while waiting; those sent first are merged first.
RECEIPTS_AT_ONCE = 100
CONTRIBUTION = ("new_mobs", "new_positions", "confirmed_positions", "new_drops")


class Command(BaseCommand):
    help = (
        "Send MobMapData files, or folders of them (.xml, .b64, .gz, .zst), to a MobMap site. "
        "Exit status: 0 all accepted, 1 some refused, 2 the site can't be reached or an option can't be used."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="+", type=Path)
        parser.add_argument("--url", required=True, help="the site's address, such as http://127.0.0.1:8000")
        parser.add_argument(
            "--token", help="your token; other users of this machine may see it, so prefer --token-file"
        )
        parser.add_argument("--token-file", type=Path, metavar="F", help="file that holds your token")
        parser.add_argument(
            "--as-players",
            action="store_true",
            help="send each file as the player whom the book-LOCALE.json beside it names (needs --tokens)",
        )
        parser.add_argument("--tokens", type=Path, metavar="FILE", help="JSON object of players and their tokens")
        parser.add_argument("--jobs", type=int, default=4, metavar="N", help="connections at once (4)")
        parser.add_argument("--patience", type=float, default=900, metavar="S", help="seconds to keep trying (900)")
        parser.add_argument("--wait", action="store_true", help="wait until everything is on the map")
        parser.add_argument("--dry-run", action="store_true", help="let the site check the files, store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["jobs"] <= 64:
            raise CommandError(f"--jobs {options['jobs']}: choose 1 to 64.", returncode=UNUSABLE)
        files = _files(options["paths"])
        tokens = _tokens(files, options)
        try:
            client = Client(options["url"], options["patience"])
        except ValueError as error:
            raise CommandError(f"--url {error}.", returncode=UNUSABLE) from error
        sending = _Sending(self, client, options["jobs"])
        try:
            accepted = sending.send(files, tokens, dry_run=options["dry_run"])
            if options["wait"] and not options["dry_run"]:
                sending.wait_for_merge(accepted, options["patience"])
        except SiteUnreachable as error:
            raise CommandError(f"{error}. Sent so far: {sending.summary()}.", returncode=UNUSABLE) from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. Sent so far: {sending.summary()}.", returncode=UNUSABLE) from None
        finally:
            client.close()
        if sending.counts["refused"]:
            raise CommandError(
                f"{sending.counts['refused']:,} of {len(files):,} files were refused; the reasons are above.",
                returncode=REFUSED,
            )


def _files(paths: list[Path]) -> list[Path]:
    """Return the files to send: those named, and all uploads in folders, in the order of their names."""
    files: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
            if not found:
                kinds = ", ".join(sorted(SUFFIXES))
                raise CommandError(f"{path} holds no uploads ({kinds}).", returncode=UNUSABLE)
            files.update(dict.fromkeys(found))
        elif path.is_file():
            files[path] = None
        else:
            raise CommandError(f"There is no file or folder {path}.", returncode=UNUSABLE)
    return list(files)


def _load_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandError(f"Could not read {path}: {error}.", returncode=UNUSABLE) from error


def _tokens(files: list[Path], options: dict[str, Any]) -> dict[Path, str | None]:
    """Return the token to send each file with; None sends without a name."""
    if options["as_players"] != bool(options["tokens"]):
        raise CommandError("--as-players and --tokens FILE go together.", returncode=UNUSABLE)
    given = [name for name in ("token", "token_file", "tokens") if options[name]]
    if len(given) > 1:
        raise CommandError("Give one of --token, --token-file and --tokens.", returncode=UNUSABLE)
    if options["as_players"]:
        return _tokens_of_players(files, options["tokens"])
    token: str | None = options["token"]
    if options["token_file"]:
        try:
            token = options["token_file"].read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            raise CommandError(f"Could not read {options['token_file']}: {error}.", returncode=UNUSABLE) from error
    if token is not None and not (token and token.isascii() and token.isprintable() and " " not in token):
        raise CommandError(
            "That is no token: it is empty or holds blanks or letters no token has.", returncode=UNUSABLE
        )
    return dict.fromkeys(files, token)


def _tokens_of_players(files: list[Path], path: Path) -> dict[Path, str | None]:
    tokens = _load_json(path)
    if not isinstance(tokens, dict):
        raise CommandError(f"{path} holds no JSON object of players and tokens.", returncode=UNUSABLE)
    players = {
        folder / entry["file"]: str(entry["player"])
        for folder in {file.parent for file in files}
        for book in sorted(folder.glob("book-*.json"))
        for entry in _load_json(book)
    }
    unlisted = [file for file in files if file not in players]
    if unlisted:
        raise CommandError(f"No book-LOCALE.json beside {unlisted[0]} names its player.", returncode=UNUSABLE)
    strangers = sorted({players[file] for file in files} - tokens.keys())
    if strangers:
        raise CommandError(
            f"{path} has no token for {', '.join(strangers[:5])}{' …' if len(strangers) > 5 else ''}. "
            "Create them with ./manage.py create_token.",
            returncode=UNUSABLE,
        )
    return {file: str(tokens[players[file]]) for file in files}


class _Sending:
    """One run of the command: sends, counts and reports."""

    def __init__(self, command: BaseCommand, client: Client, jobs: int) -> None:
        self.command, self.client, self.jobs = command, client, jobs
        self.counts: Counter[str] = Counter()

    def summary(self) -> str:
        """Return what became of the files so far: "12 accepted, 1 refused"."""
        return ", ".join(f"{count:,} {kind}" for kind, count in self.counts.items()) or "nothing"

    def send(self, files: list[Path], tokens: dict[Path, str | None], *, dry_run: bool) -> list[str]:
        """Send all files and return the ids of the accepted uploads, each once."""
        ids: dict[str, None] = {}
        progress = Progress("files sent", len(files))

        def post(file: Path) -> tuple[Path, Answer]:
            return file, self.client.upload(file.read_bytes(), tokens[file], dry_run=dry_run)

        for file, answer in self._each(post, files, progress):
            if answer.status not in {200, 202}:
                self.counts["refused"] += 1
                progress.end()
                self._say("\n  ".join([f"{file}: {refusal_lines(answer)[0]}", *refusal_lines(answer)[1:]]), error=True)
                if answer.status == 401:
                    self.client.stop()
                    raise SiteUnreachable("Without a valid token nothing is taken")
                continue
            kind = "valid" if dry_run else "sent before" if answer.body.get("duplicate") else "accepted"
            self.counts[kind] += 1
            if "id" in answer.body:
                ids[str(answer.body["id"])] = None
        self._say(f"{len(files):,} {'file' if len(files) == 1 else 'files'}: {self.summary()}")
        return list(ids)

    def wait_for_merge(self, ids: list[str], patience_s: float) -> None:
        """Wait until all uploads are merged and say what they brought; warn when patience is over."""
        waiting, contribution, merged = list(ids), Counter[str](), 0
        progress = Progress("uploads on the map", len(ids))
        give_up_at, pause = time.monotonic() + patience_s, 0.2
        while waiting:
            done = set()
            asked = waiting[:RECEIPTS_AT_ONCE]
            for upload_id, answer in self._each(lambda one: (one, self.client.receipt(one)), asked):
                status = answer.body.get("status")
                if answer.status != 200 or status in {"rejected", "withdrawn"}:
                    done.add(upload_id)
                    self.counts["refused"] += 1
                    why = answer.body.get("reason") or answer.body.get("detail") or "no reason given"
                    progress.end()
                    self._say(f"Upload {upload_id} is {status or 'lost'}: {readable(str(why))}", error=True)
                elif status == "merged":
                    done.add(upload_id)
                    merged += 1
                    contribution.update({name: int(answer.body.get(name, 0)) for name in CONTRIBUTION})
            waiting = [upload_id for upload_id in waiting if upload_id not in done]
            progress.show(merged)
            if waiting and time.monotonic() > give_up_at:
                progress.end()
                raise SiteUnreachable(
                    f"After {patience_s:g} s {len(waiting):,} uploads still wait to be merged. They are safe; "
                    "look at their receipts later"
                )
            if waiting and not done:
                time.sleep(pause)
                pause = min(pause * 1.5, 3.0)
        progress.end()
        self._say(_told(merged, contribution))

    def _each(self, work: Any, items: list[Any], progress: Progress | None = None) -> Iterator[Any]:
        """Yield `work(item)` as it is done, a few items at once."""
        left, done = iter(items), 0
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                running: set[Future[Any]] = {pool.submit(work, item) for item in islice(left, 2 * self.jobs)}
                while running:
                    finished, running = wait(running, timeout=0.5, return_when="FIRST_COMPLETED")
                    running |= {pool.submit(work, item) for item in islice(left, len(finished))}
                    for future in finished:
                        done += 1
                        yield future.result()
                    if progress:
                        progress.show(done, self.client.waiting)
            except OSError as error:
                raise CommandError(
                    f"Could not read {error.filename}: {error.strerror}.", returncode=UNUSABLE
                ) from error
            except BaseException:
                self.client.stop()  # or the pool would wait for the pauses between tries
                raise
            finally:
                if progress:
                    progress.end()

    def _say(self, text: str, *, error: bool = False) -> None:
        (self.command.stderr if error else self.command.stdout).write(text)


def _told(merged: int, contribution: Counter[str]) -> str:
    """Return what merged uploads contribution: "2 uploads merged: your 41 new dots are on the map …"."""
    dots = contribution["new_positions"]
    new = f"your {dots:,} new {'dot is' if dots == 1 else 'dots are'} on the map" if dots else "no new dots"
    return (
        f"{merged:,} {'upload' if merged == 1 else 'uploads'} merged: {new}, "
        f"{contribution['confirmed_positions']:,} known ones confirmed, "
        f"{contribution['new_mobs']:,} new creatures, {contribution['new_drops']:,} new drops."
    )
