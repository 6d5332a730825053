-- Let the planner know how much is staged: a little is looked up by keys, much is joined whole.
-- Reads staged_*; writes their statistics. Of the positions without what is packed.
-- Orders of magnitude are enough, in this transaction: a tenth of the usual sample, at a tenth of its time.
SET LOCAL default_statistics_target = 10;
ANALYZE staged_upload, staged_creature, staged_loot, staged_drop;
ANALYZE staged_position (subject, zone, floor)
