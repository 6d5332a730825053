-- Finish a swap: take over under which creature each name is shown, and what is to be published again.
-- Reads rebuild.named_creature, rebuild.stale_spawns, rebuild.changed_count; writes named_creature, stale_spawns,
-- changed_count. In the swap's transaction.
UPDATE public.named_creature n
SET shown_as = r.shown_as
FROM rebuild.named_creature r
WHERE r.id = n.id AND n.shown_as IS DISTINCT FROM r.shown_as;

INSERT INTO public.stale_spawns (mob, zone)
SELECT mob, zone FROM rebuild.stale_spawns ORDER BY mob, zone
ON CONFLICT (mob, zone) DO UPDATE SET mob = excluded.mob;

INSERT INTO public.changed_count (kind, number)
SELECT kind, number FROM rebuild.changed_count ORDER BY kind, number
ON CONFLICT (kind, number) DO UPDATE SET number = excluded.number
