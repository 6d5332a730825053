-- Drop the staging tables of one schema (identifier: schema), also those whose files are gone.
-- Takes their strongest locks. Whatever they held is in the spool.
DROP TABLE IF EXISTS
    {0}.staged_upload, {0}.staged_creature, {0}.staged_position, {0}.staged_loot, {0}.staged_drop
