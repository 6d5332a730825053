-- Drop the temporary staging tables that exist in this session.
DROP TABLE IF EXISTS
    pg_temp.staged_upload, pg_temp.staged_creature, pg_temp.staged_position, pg_temp.staged_loot, pg_temp.staged_drop
