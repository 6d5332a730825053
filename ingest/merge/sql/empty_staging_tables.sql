-- Empty the staging tables of one schema (identifier: schema), in the fold's transaction.
TRUNCATE {0}.staged_upload, {0}.staged_creature, {0}.staged_position, {0}.staged_loot, {0}.staged_drop
