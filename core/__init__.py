"""What all apps stand on: locales and their databases, problems, SQL files, locks, files, progress."""
