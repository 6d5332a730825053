"""The door: settings, the upload endpoint, accounts, receipts, admin pages."""

from portal.celery import app as celery_app

__all__ = ["celery_app"]
