-- Take what a fold writes beside the counts: in base nothing is shown or published. Of this transaction alone.
-- Reads the shapes of public's tables.
CREATE TEMPORARY TABLE named_creature (LIKE public.named_creature) ON COMMIT DROP;
CREATE TEMPORARY TABLE changed (LIKE public.changed INCLUDING INDEXES) ON COMMIT DROP;
CREATE TEMPORARY TABLE recounted (LIKE public.recounted INCLUDING INDEXES) ON COMMIT DROP
