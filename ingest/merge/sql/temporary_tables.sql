-- Create temporary staging tables, for what is folded or subtracted apart. They belong to this session until dropped.
-- Reads the shape of the hot tables.
CREATE TEMPORARY TABLE staged_upload (LIKE hot_0.staged_upload);
CREATE TEMPORARY TABLE staged_creature (LIKE hot_0.staged_creature);
CREATE TEMPORARY TABLE staged_position (LIKE hot_0.staged_position INCLUDING STORAGE);
CREATE TEMPORARY TABLE staged_loot (LIKE hot_0.staged_loot);
CREATE TEMPORARY TABLE staged_drop (LIKE hot_0.staged_drop)
