-- Empty the hot tables of one set (identifiers: its schema). In the fold's transaction: empty once it commits.
TRUNCATE {0}.staged_upload, {0}.staged_creature, {0}.staged_position, {0}.staged_loot, {0}.staged_drop
