"""Base of all apps: locales and their databases, problems, SQL files, locks, files, caches, progress."""
