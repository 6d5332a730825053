"""Select uploads: the options that the commands requeue and withdraw share, and the query that they form."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.core.management.base import CommandParser
from django.db.models import Q, QuerySet

from core import locales
from ingest.models import Upload


@dataclass(frozen=True)
class Selection:
    """Conditions that uploads must all meet; empty fields are no condition."""

    locale: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    client_versions: Sequence[str] = ()
    uploads: Sequence[UUID] = ()
    senders: Sequence[str] = ()

    def is_everything(self) -> bool:
        """Return whether there is no condition beyond the locale."""
        return not (self.since or self.until or self.client_versions or self.uploads or self.senders)

    def query(self) -> QuerySet[Upload]:
        """Return the uploads, whatever their status."""
        found = Upload.objects.filter(locale__in=[self.locale] if self.locale else locales.hosted())
        if self.since:
            found = found.filter(received_at__gte=self.since)
        if self.until:
            found = found.filter(received_at__lt=self.until)
        if self.client_versions:
            found = found.filter(_any_version(self.client_versions))
        if self.uploads:
            found = found.filter(id__in=self.uploads)
        if self.senders:
            found = found.filter(sender__in=self.senders)
        return found


def _any_version(asked: Sequence[str]) -> Q:
    wanted = Q()
    for version in asked:
        if version.isascii() and version.isdecimal():
            wanted |= Q(version=int(version[:4]))
        elif version.endswith("*"):
            wanted |= Q(game_version__startswith=version[:-1])
        else:
            wanted |= Q(game_version=version)
    return wanted


def add_arguments(parser: CommandParser) -> None:
    """Add the options of a selection; uploads must meet all that are given."""
    parser.add_argument("--locale", type=hosted_locale, help="uploads of this locale, such as deDE")
    parser.add_argument(
        "--since", type=_since, metavar="WHEN", help="received at or after: 2026-11-20 or 2026-11-20T14:30 (UTC)"
    )
    parser.add_argument(
        "--until", type=_until, metavar="WHEN", help="received before; a day counts up to its end (UTC)"
    )
    parser.add_argument(
        "--client-version",
        dest="client_versions",
        action="append",
        default=[],
        metavar="V",
        help="a version of the addon's format (42, 43, 44), or of the game as its uploads write it; "
        "'12345*' takes all that begin with 12345. May be given several times",
    )


def selection(options: dict[str, Any], **more: Any) -> Selection:
    """Return the selection of a command's options."""
    return Selection(**{name: options[name] for name in ("locale", "since", "until", "client_versions")}, **more)


def hosted_locale(text: str) -> str:
    """Return a hosted locale by what an operator typed, `enUS` for `enGB`; raises for argparse."""
    try:
        locale = locales.canonical(text)
        locales.alias(locale)
    except locales.UnknownLocale:
        raise ArgumentTypeError(f"this site hosts {', '.join(locales.hosted())}, but no map for {text!r}") from None
    return locale


def _moment(text: str) -> tuple[datetime, bool]:
    """Return a time in UTC, and whether it is a whole day."""
    try:
        if len(text) == len("2026-11-20"):
            return datetime.combine(datetime.fromisoformat(text), time.min, UTC), True
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no day or time like 2026-11-20 or 2026-11-20T14:30") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)), False


def _since(text: str) -> datetime:
    return _moment(text)[0]


def _until(text: str) -> datetime:
    moment, whole_day = _moment(text)
    return moment + timedelta(days=1) if whole_day else moment
