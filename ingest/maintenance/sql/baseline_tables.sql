-- Create what a fold writes beside counts as tables of this transaction: nothing of the baseline is shown or published.
-- Reads the shapes of public's tables.
CREATE TEMPORARY TABLE named_creature (LIKE public.named_creature) ON COMMIT DROP;
CREATE TEMPORARY TABLE stale_spawns (LIKE public.stale_spawns INCLUDING INDEXES) ON COMMIT DROP;
CREATE TEMPORARY TABLE changed_count (LIKE public.changed_count INCLUDING INDEXES) ON COMMIT DROP
