-- Room for what is folded or subtracted apart, of this session alone and in the shape of the hot tables.
CREATE TEMPORARY TABLE staged_upload (LIKE hot_0.staged_upload) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_creature (LIKE hot_0.staged_creature) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_position (LIKE hot_0.staged_position INCLUDING STORAGE) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_loot (LIKE hot_0.staged_loot) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_drop (LIKE hot_0.staged_drop) ON COMMIT DROP
