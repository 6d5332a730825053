-- Take what a fold writes beside the counts: in base nothing is shown or published. Of this transaction alone.
-- Reads the shapes of public's tables.
CREATE TEMPORARY TABLE named_creature (LIKE public.named_creature) ON COMMIT DROP;
CREATE TEMPORARY TABLE stale_spawns (LIKE public.stale_spawns INCLUDING INDEXES) ON COMMIT DROP;
CREATE TEMPORARY TABLE changed_count (LIKE public.changed_count INCLUDING INDEXES) ON COMMIT DROP
