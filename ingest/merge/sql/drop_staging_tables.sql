-- Drop what staging_tables.sql and subtract_room.sql made, as far as it is there.
DROP TABLE IF EXISTS
    pg_temp.staged_upload, pg_temp.staged_creature, pg_temp.staged_position, pg_temp.staged_loot, pg_temp.staged_drop,
    pg_temp.left_upload, pg_temp.wanted
