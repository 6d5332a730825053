"""Why an upload is refused: one class per cause, with its stable code, HTTP status and whether a retry may help."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from core.problems import Problem


class EmptyBody(Problem):
    code, title, status = "empty-body", _("The upload is empty"), 400


class NotXmlNorBase64(Problem):
    code, title, status = "not-xml-nor-base64", _("The upload is neither XML nor Base64 of it"), 400


class BadBase64(Problem):
    code, title, status = "bad-base64", _("The Base64 text is damaged"), 400


class BadCompression(Problem):
    code, title, status = "bad-compression", _("The compressed data are damaged"), 400


class NotUtf8(Problem):
    code, title, status = "not-utf8", _("The document is not UTF-8"), 400


class NotWellFormed(Problem):
    code, title, status = "not-well-formed", _("The document is not well-formed XML"), 400


class BadMultipart(Problem):
    code, title, status = "bad-multipart", _("The form can't be read"), 400


class UnknownToken(Problem):
    code, title, status = "unknown-token", _("The token is not known"), 401


class AnonymousNotAllowed(Problem):
    code, title, status = "anonymous-not-allowed", _("Uploads need a token here"), 401


class TooLarge(Problem):
    code, title, status = "too-large", _("The upload is too large"), 413


class UnsupportedMediaType(Problem):
    code, title, status = "unsupported-media-type", _("The media type is not accepted"), 415


class UnsupportedEncoding(Problem):
    code, title, status = "unsupported-encoding", _("The content encoding is not accepted"), 415


class InvalidDocument(Problem):
    code, title, status = "invalid-document", _("The document breaks the format's rules"), 422


class UploadLocaleNotHosted(Problem):
    code, title, status = "locale-not-hosted", _("This site hosts no map for that locale"), 422


class TooManyUploads(Problem):
    code, title, status, may_retry = "too-many-uploads", _("Too many uploads from this sender"), 429, True


class SpoolFull(Problem):
    code, title, status, may_retry = "spool-full", _("The site can't store more uploads right now"), 503, True


class DatabaseUnavailable(Problem):
    code, title, status, may_retry = "database-away", _("The site can't remember uploads right now"), 503, True


class IntakePaused(Problem):
    code, title, status, may_retry = "intake-paused", _("Uploads are paused"), 503, True
