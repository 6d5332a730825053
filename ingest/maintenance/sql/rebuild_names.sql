-- Take over names that were interned since. Folds decide under which creature each is shown.
-- Reads public.named_creature; writes rebuild.named_creature.
INSERT INTO rebuild.named_creature (id, name)
SELECT n.id, n.name FROM public.named_creature n
WHERE NOT EXISTS (SELECT FROM rebuild.named_creature r WHERE r.id = n.id)
