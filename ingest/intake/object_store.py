"""Spool and archive in an S3-compatible object store, for several machines (`MOBMAP_SPOOL_S3_BUCKET`).

Imported only where the settings name it: boto costs a process some 40 MB.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import IO, Any, TypeVar, cast

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.base import File
from django.utils.deconstruct import deconstructible
from storages.backends.s3 import S3Storage

logger = logging.getLogger(__name__)

T = TypeVar("T")

#: Compressed documents up to this size are held in memory until they are sent, larger ones in a file.
IN_MEMORY_BYTES = 1 << 20
#: While the store is unavailable, one request in so many seconds tries it; the others fail at once.
PAUSE_S = 5.0
CONNECT_TIMEOUT_S = 3
#: For each part of an answer. A store that takes longer counts as unavailable: threads of the web server wait here.
READ_TIMEOUT_S = 15


class ObjectStoreFault(OSError):
    """The object store did not do what was asked. Says why, without addresses and names."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EIO, reason)


def _raises_os_errors(method: Callable[..., T]) -> Callable[..., T]:
    """Make a method raise FileNotFoundError or `ObjectStoreFault`; boto's own errors, with addresses, are logged."""

    @wraps(method)
    def call(*args: Any, **options: Any) -> T:
        try:
            return method(*args, **options)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
            if status == HTTPStatus.NOT_FOUND and code != "NoSuchBucket":
                raise FileNotFoundError(errno.ENOENT, "the object store has no such document") from None
            logger.warning("The object store refused a request: %s", error)
            raise ObjectStoreFault(f"the object store refused it: {code or status}") from None
        except BotoCoreError as error:
            logger.warning("The object store does not answer: %s", error)
            raise ObjectStoreFault(f"the object store does not answer: {type(error).__name__}") from None

    return call


@cache
def _resource(process: int, endpoint: str, region: str, access_key: str, secret_key: str) -> Any:
    """Return boto's connection. It takes 13 MB, so storages and threads of a process share one.

    Only its client is used, which threads may share. A forked process creates its own.
    """
    return boto3.Session(access_key or None, secret_key or None, region_name=region or None).resource(
        "s3",
        endpoint_url=endpoint or None,
        config=Config(
            connect_timeout=CONNECT_TIMEOUT_S,
            read_timeout=READ_TIMEOUT_S,
            retries={"mode": "standard", "total_max_attempts": 2},
            max_pool_connections=32,
            tcp_keepalive=True,
            # Stores other than Amazon's know neither its newer checksums nor, in part, buckets as host names.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path" if endpoint else "auto"},
        ),
    )


@deconstructible(path="ingest.intake.object_store.ObjectStorage")
class ObjectStorage(S3Storage):
    """A prefix of a bucket. A document is whole and durable from the moment `save` returns."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._unavailable = False
        self._try_again_at = 0.0

    @property
    def connection(self) -> Any:
        return _resource(
            os.getpid(),
            self.endpoint_url or "",
            self.region_name or "",
            self.access_key or "",
            self.secret_key or "",
        )

    def probe(self) -> None:
        """Raise `ObjectStoreFault` unless the store answers with these keys for this bucket."""
        with self._one_tries():
            self._list_one()

    @_raises_os_errors
    def _list_one(self) -> None:
        self.connection.meta.client.list_objects_v2(Bucket=self.bucket_name, Prefix=self.location, MaxKeys=1)

    exists = _raises_os_errors(S3Storage.exists)
    listdir = _raises_os_errors(S3Storage.listdir)
    size = _raises_os_errors(S3Storage.size)
    get_modified_time = _raises_os_errors(S3Storage.get_modified_time)

    def delete(self, name: str) -> None:
        with self._one_tries():  # called after a failed `save`: don't wait twice
            self._delete(name)

    _delete = _raises_os_errors(S3Storage.delete)

    def take_all(self, names: Iterable[str], source: ObjectStorage) -> dict[str, OSError]:
        """Move documents here within the store: each is copied, and deleted in `source` once the copy is durable.

        Return those that could not be moved, with the reason (FileNotFoundError: not in `source`).
        """
        failed: dict[str, OSError] = {}
        for name in names:
            try:
                self._copy(name, source)
                source.delete(name)
            except OSError as error:
                failed[name] = error
        return failed

    def drop_all(self, names: Iterable[str]) -> dict[str, OSError]:
        """Delete documents; return those that may still be there, with the reason. Missing documents do not count."""
        failed: dict[str, OSError] = {}
        for name in names:
            try:
                self.delete(name)
            except FileNotFoundError:
                continue
            except OSError as error:
                failed[name] = error
        return failed

    @_raises_os_errors
    def _copy(self, name: str, source: ObjectStorage) -> None:
        self.connection.meta.client.copy_object(
            CopySource={"Bucket": source.bucket_name, "Key": source._normalize_name(name)},
            Bucket=self.bucket_name,
            Key=self._normalize_name(name),
        )

    def _save(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        # One request with a known length: never half an object, nor parts of one that nobody deletes.
        with SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=settings.FILE_UPLOAD_TEMP_DIR) as packed:
            digest = hashlib.md5(usedforsecurity=False)
            for chunk in content.chunks():
                packed.write(chunk)
                digest.update(chunk)
            size_bytes = packed.tell()
            packed.seek(0)
            with self._one_tries():
                self._put(name, packed, size_bytes, base64.b64encode(digest.digest()).decode())
        return name

    @_raises_os_errors
    def _put(self, name: str, packed: IO[bytes], size_bytes: int, md5: str) -> None:
        self.connection.meta.client.put_object(
            Bucket=self.bucket_name,
            Key=self._normalize_name(name),
            Body=packed,
            ContentLength=size_bytes,
            ContentMD5=md5,  # the one checksum that every store verifies
            ContentType="application/zstd",
        )

    @contextmanager
    def _one_tries(self) -> Iterator[None]:
        """Fail at once while the store is unavailable, except for one try every `PAUSE_S`.

        Otherwise all threads of the web server would soon wait for a silent store.
        """
        if self._unavailable:
            if monotonic() < self._try_again_at:
                raise ObjectStoreFault("the object store did not answer a moment ago")
            self._try_again_at = monotonic() + PAUSE_S
        try:
            yield
        except ObjectStoreFault:
            self._unavailable, self._try_again_at = True, monotonic() + PAUSE_S
            raise
        self._unavailable = False

    @_raises_os_errors
    def _open(self, name: str, mode: str = "rb") -> File:  # type: ignore[type-arg]
        answer = self.connection.meta.client.get_object(Bucket=self.bucket_name, Key=self._normalize_name(name))
        return File(cast(IO[bytes], _Stream(answer["Body"])), name)


class _Stream:
    """The body of an answer, read while it arrives. One that ends too early raises `ObjectStoreFault`."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self.close = body.close

    @_raises_os_errors
    def read(self, size: int = -1) -> bytes:
        data: bytes = self._body.read(None if size < 0 else size)
        return data
