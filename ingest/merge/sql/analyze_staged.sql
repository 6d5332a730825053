-- Let the planner know how much is staged: few rows are looked up by key, many are joined whole.
-- Reads staged_*; writes their statistics. Of staged_position without the packed column.
-- A tenth of the usual sample is enough for orders of magnitude, and takes a tenth of the time.
SET LOCAL default_statistics_target = 10;
ANALYZE staged_upload, staged_creature, staged_loot, staged_drop;
ANALYZE staged_position (subject, zone, floor)
