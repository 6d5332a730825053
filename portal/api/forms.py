"""The intake of forms, the browser's and the API's: bounds, parsing, then each document accepted or refused.

The API sends its answers as JSON, the upload page renders them. Details of problems are translated: the API takes
forms with English activated.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation, TooManyFilesSent
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from core.problems import Problem
from ingest.intake.accept import Accepted, accept
from ingest.problems import BadMultipart, SpoolFull, TooLarge, UnsupportedEncoding
from portal.api import limits, refusals

logger = logging.getLogger(__name__)

FULL_DISK = {errno.ENOSPC, errno.EDQUOT}


@dataclass(frozen=True)
class Result:
    """What became of one document of a form; `name` is its file's, as sent."""

    name: str
    outcome: Accepted | Problem


def take(
    request: HttpRequest,
    sender: str,
    check_locale: Callable[[str], None],
    *,
    text_field: str = "",
    keep_names: bool = True,
    dry_run: bool = False,
) -> list[Result]:
    """Accept or refuse each document of a form: the files of the field `file`, then the text of `text_field`.

    Returns a result per document, at least one. A refused document is recorded and does not stop the others. Raises a
    `Problem` that concerns the whole form; then nothing was accepted. `keep_names`: whether rows and refusals keep the
    names of files. `check_locale`: see `ingest.intake.accept.accept`.
    """
    documents = _parse(request, text_field)
    if not documents:
        raise BadMultipart(
            _("There was nothing to send. Choose a file or paste the text of the export window.")
            if text_field
            else "The form holds no file. Name the field of each file `file`."
        )
    limits.check_sender(sender, len(documents))
    results = []
    for name, body in documents:
        kept_name = name if keep_names else ""
        try:
            outcome: Accepted | Problem = accept(
                body, "", sender, kept_name, check_locale=check_locale, dry_run=dry_run
            )
        except Problem as problem:
            if not dry_run:
                refusals.record(problem, sender, kept_name)
            outcome = problem
        results.append(Result(name, outcome))
    return results


def _parse(request: HttpRequest, text_field: str) -> list[tuple[str, Iterator[bytes]]]:
    """Return the names of a form's documents, each with its content in chunks."""
    if request.headers.get("Content-Encoding"):
        raise UnsupportedEncoding(
            _("A form is sent without Content-Encoding; its files may be compressed with gzip or zstd themselves.")
        )
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if length > settings.MAX_REQUEST_BYTES:
        raise TooLarge(
            _("These files are too large to be sent at once: %(bytes)s bytes, of at most %(limit)s. Send fewer files.")
            % {"bytes": _grouped(length), "limit": _grouped(settings.MAX_REQUEST_BYTES)},
            limit_bytes=settings.MAX_REQUEST_BYTES,
        )
    try:
        files = request.FILES.getlist("file")
        text = request.POST.get(text_field, "").strip() if text_field else ""
    except TooManyFilesSent:
        raise TooLarge(
            _("At most %(count)d files are accepted at once. Send fewer files.")
            % {"count": settings.MAX_FILES_PER_REQUEST}
        ) from None
    except RequestDataTooBig:
        raise BadMultipart(_("The text of the form is too long. Send it as a file.")) from None
    except (MultiPartParserError, SuspiciousOperation) as error:
        raise BadMultipart(_("The form could not be read: %(error)s") % {"error": error}) from None
    except OSError as error:
        if error.errno not in FULL_DISK:
            raise
        logger.exception("The folder for temporary files could not hold the files of a form.")
        raise SpoolFull(
            _("The files could not be stored (%(error)s). Nothing was kept; send them again later.")
            % {"error": error.strerror},
            retry_after_s=limits.RETRY_FULL_S,
        ) from error
    documents: list[tuple[str, Iterator[bytes]]] = [(file.name or "", file.chunks()) for file in files]
    if text:
        documents.append((_("Pasted text"), iter([text.encode()])))
    return documents


def _grouped(number: int) -> str:
    return str(number_format(number, force_grouping=True))
