"""What readers see, made from the merged counts when these change: spawn points, then files.

`changes` estimates spawn points again for what a fold has changed. `kinds` lists the published files and what
makes them, `invalidation` which are older than the tables, `build` brings them up to date, `files` keeps them on
disk, `serve` answers requests with them. nginx does that in production (`deploy/nginx`). Where a file is missing, the
same answer is computed from the database.
"""
