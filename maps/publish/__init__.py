"""Publish what readers see, from the merged counts: spawn points first, then files.

A fold notes what it changed, in its transaction: pairs of creature and zone in `stale_spawns`, everything else in
`changed_count`. Publishing runs after the fold (`run`), in transactions of its own:

1. `spawn_points` estimates the spawn points of stale pairs and invalidates the files that show them;
2. `invalidation` propagates changed counts to the files that show them (`stale_file`);
3. `build` builds stale files again (`kinds` lists what there is and how it is built) and `files` writes them to disk.

`serve` answers requests with published files, `excerpts` with an excerpt of one. In production nginx serves whole files
itself (`deploy/nginx`). Where a file is missing, the same answer is computed from the database.
"""
