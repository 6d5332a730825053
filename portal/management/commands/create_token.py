"""`./manage.py create_token`: create upload tokens of players, or revoke them."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils.translation import gettext as _

from core.files import write_atomically
from portal import accounts
from portal.models import Player


class Command(BaseCommand):
    help = (
        "Print a new upload token for a player, who is created when new. The token is shown this once; "
        "only its hash is stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help="the player's name")
        parser.add_argument("--revoke", action="store_true", help="revoke all tokens of NAME instead")
        parser.add_argument("--many", type=Path, metavar="FILE", help="take names from FILE, one per line (UTF-8)")
        parser.add_argument(
            "--json", type=Path, metavar="OUT", help="with --many: write {name: token} to OUT, mode 0600"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name, many, out = options["name"], options["many"], options["json"]
        if name and many:
            raise CommandError(_("Give a NAME or --many FILE, not both."))
        if options["revoke"]:
            self._revoke(name)
        elif many:
            self._issue_many(many, out)
        elif name:
            try:
                self.stdout.write(accounts.issue(name))
            except accounts.UnusableName as error:
                raise CommandError(str(error)) from None
        else:
            raise CommandError(_("Name the player: ./manage.py create_token NAME"))

    def _revoke(self, name: str | None) -> None:
        if not name:
            raise CommandError(_("Name the player: ./manage.py create_token NAME --revoke"))
        player = Player.objects.filter(name=name).first()
        if player is None:
            raise CommandError(_("There is no player of the name “%(name)s”; nothing was revoked.") % {"name": name})
        count = accounts.revoke_all(player)
        self.stdout.write(_("Revoked %(count)d tokens of %(name)s.") % {"count": count, "name": player.name})

    def _issue_many(self, names_file: Path, out: Path | None) -> None:
        if out is None:
            raise CommandError(_("--many needs --json OUT: the file that the tokens are written to."))
        try:
            names = [line for line in names_file.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(
                _("--many could not read %(file)s: %(error)s") % {"file": names_file, "error": error}
            ) from None
        try:
            # The file is written before the commit, so that no token exists that nobody can read.
            with transaction.atomic():
                tokens = accounts.issue_many(names)
                text = json.dumps(tokens, ensure_ascii=False, indent=1) + "\n"
                write_atomically(out, [text.encode()], mode=0o600)
        except accounts.UnusableName as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(
                _("No token was created: %(file)s could not be written: %(error)s") % {"file": out, "error": error}
            ) from None
        self.stdout.write(
            _("Wrote %(count)d tokens to %(file)s, readable by you alone.") % {"count": len(tokens), "file": out}
        )
