"""What the reads need beside the tables: the order of names, and creatures as they are shown.

A mob is a creature as it is shown: one raw creature id and those of the named creatures shown as it.
"""

from django.db import migrations

from maps.router import MAP_PREFIX


def create_name_order(apps, schema_editor):
    """Give the database the order of names of its own language, so that queries need not know it."""
    language = schema_editor.connection.alias.removeprefix(MAP_PREFIX)[:2]
    if not (language.isascii() and language.isalpha()):
        language = "und"
    schema_editor.execute(f"CREATE COLLATION name_order (provider = icu, locale = '{language}')")


def drop_name_order(apps, schema_editor):
    schema_editor.execute("DROP COLLATION name_order")


# The raw ids whose rows are counted with a mob. Planned as part of the query that calls it.
MOB_SUBJECTS = """
CREATE FUNCTION mob_subjects(mob bigint) RETURNS TABLE (subject bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    SELECT mob UNION ALL SELECT n.id FROM named_creature n WHERE n.shown_as = mob;
END
"""

# The name most uploads use, among equals the smaller text; null when only loot knows the creature.
MOB_NAME = """
CREATE FUNCTION mob_name(mob bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN COALESCE(
    (SELECT n.name FROM named_creature n WHERE n.id = mob),
    (SELECT c.name FROM creature_name c WHERE c.creature = mob ORDER BY c.uploads DESC, c.name COLLATE "C" LIMIT 1)
);
"""

# Always one row; level, boss and days are null when only loot knows the creature.
MOB_TRAITS = """
CREATE FUNCTION mob_traits(mob bigint)
RETURNS TABLE (level_min int, level_max int, boss bool, reactions bigint[], first_seen date, last_seen date)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT
        min(c.level_min), max(c.level_max), bool_or(c.boss),
        ARRAY[
            sum(c.reactions[1]), sum(c.reactions[2]), sum(c.reactions[3]),
            sum(c.reactions[4]), sum(c.reactions[5]), sum(c.reactions[6])
        ],
        min(c.first_seen), max(c.last_seen)
    FROM mob_subjects(mob) AS s
    JOIN creature c ON c.id = s.subject;
END
"""

# A coordinate that several subjects list counts once.
DISTINCT_POSITIONS = """
CREATE FUNCTION distinct_positions(subjects bigint[], in_zone int, on_floor int) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT count(DISTINCT place)
    FROM presence p CROSS JOIN LATERAL unnest(p.xy) AS place
    WHERE p.subject = ANY (subjects) AND p.zone = in_zone AND p.floor = on_floor
);
"""

# What is known of some subjects, counted as one, by zone and floor.
SUBJECT_PRESENCE = """
CREATE FUNCTION subject_presence(subjects bigint[])
RETURNS TABLE (zone int, floor int, positions bigint, sightings bigint, unplaced bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    SELECT
        p.zone, p.floor,
        CASE
            WHEN count(*) = 1 THEN max(p.position_count)::bigint
            ELSE distinct_positions(subjects, p.zone, p.floor)
        END,
        sum(p.sighting_count)::bigint, sum(p.unplaced)
    FROM presence p
    WHERE p.subject = ANY (subjects)
    GROUP BY p.zone, p.floor;
END
"""

# Sources as they are shown: one kind of loot of a mob is one source, under the id of its smallest raw creature id.
SHOWN_SOURCE = """
CREATE VIEW shown_source AS
SELECT
    s.id AS source,
    CASE
        WHEN n.shown_as IS NULL THEN s.id
        ELSE (
            SELECT o.id
            FROM mob_subjects(n.shown_as) AS u
            JOIN source o ON o.creature = u.subject AND o.kind = s.kind
            ORDER BY o.creature
            LIMIT 1
        )
    END AS shown,
    s.kind, COALESCE(n.shown_as, s.creature) AS mob, s.object, s.item, s.zone
FROM source s
LEFT JOIN named_creature n ON n.id = s.creature
"""

# The sources that are counted with one of them.
SOURCE_GROUP = """
CREATE FUNCTION source_group(one int) RETURNS TABLE (source int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    SELECT s.id FROM source s WHERE s.id = one AND s.creature IS NULL
    UNION ALL
    SELECT o.id
    FROM source s
    LEFT JOIN named_creature n ON n.id = s.creature
    CROSS JOIN LATERAL mob_subjects(COALESCE(n.shown_as, s.creature)) AS u
    JOIN source o ON o.creature = u.subject AND o.kind = s.kind
    WHERE s.id = one AND s.creature IS NOT NULL;
END
"""

# Counts of every mob on every floor of every zone; meant to be read by zone or as a whole.
MOB_PRESENCE = """
CREATE VIEW mob_presence AS
SELECT
    mob, zone, floor, sightings, unplaced,
    CASE WHEN cardinality(subjects) = 1 THEN positions ELSE distinct_positions(subjects, zone, floor) END AS positions
FROM (
    SELECT
        COALESCE(n.shown_as, p.subject) AS mob, p.zone, p.floor,
        array_agg(p.subject) AS subjects,
        sum(p.position_count) AS positions,
        sum(p.sighting_count)::bigint AS sightings,
        sum(p.unplaced) AS unplaced
    FROM presence p
    LEFT JOIN named_creature n ON n.id = p.subject
    WHERE p.subject > 0
    GROUP BY 1, 2, 3
) AS grouped
"""


class Migration(migrations.Migration):
    dependencies = [("maps", "0002_tables")]
    operations = [
        migrations.RunPython(create_name_order, drop_name_order),
        migrations.RunSQL(MOB_SUBJECTS, "DROP FUNCTION mob_subjects(bigint)"),
        migrations.RunSQL(MOB_NAME, "DROP FUNCTION mob_name(bigint)"),
        migrations.RunSQL(MOB_TRAITS, "DROP FUNCTION mob_traits(bigint)"),
        migrations.RunSQL(DISTINCT_POSITIONS, "DROP FUNCTION distinct_positions(bigint[], int, int)"),
        migrations.RunSQL(SUBJECT_PRESENCE, "DROP FUNCTION subject_presence(bigint[])"),
        migrations.RunSQL(SHOWN_SOURCE, "DROP VIEW shown_source"),
        migrations.RunSQL(SOURCE_GROUP, "DROP FUNCTION source_group(int)"),
        migrations.RunSQL(MOB_PRESENCE, "DROP VIEW mob_presence"),
        # Names known from skinning alone are in no other index.
        migrations.RunSQL(
            "CREATE INDEX named_creature_search ON named_creature USING gin (search_key(name) gin_trgm_ops)",
            "DROP INDEX named_creature_search",
        ),
        # The sources of a zone.
        migrations.RunSQL("CREATE INDEX loot_zone ON loot (zone)", "DROP INDEX loot_zone"),
    ]
