"""The portal: settings, upload endpoint, accounts, receipts, admin, operations."""

from portal.celery import app as celery_app

__all__ = ["celery_app"]
