"""The sort order of names, and the functions and views that reads use.

A mob is a creature under the id that readers see: one raw creature id and the named creatures shown as it.
"""

from django.db import migrations

from core.router import MAP_PREFIX


def create_name_order(apps, schema_editor):
    """Create a collation for the locale's language, so that queries are the same for all languages."""
    language = schema_editor.connection.alias.removeprefix(MAP_PREFIX)[:2]
    if not (language.isascii() and language.isalpha()):
        language = "und"
    schema_editor.execute(f"CREATE COLLATION name_order (provider = icu, locale = '{language}')")


def drop_name_order(apps, schema_editor):
    schema_editor.execute("DROP COLLATION name_order")


# The raw ids of a mob. PostgreSQL inlines the function into the calling query.
MOB_SUBJECTS = """
CREATE FUNCTION mob_subjects(mob bigint) RETURNS TABLE (subject bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    SELECT mob UNION ALL SELECT n.id FROM named_creature n WHERE n.shown_as = mob;
END
"""

# The most frequent name; of equally frequent ones the first in byte order. Null if only loot refers to the mob.
MOB_NAME = """
CREATE FUNCTION mob_name(mob bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN COALESCE(
    (SELECT n.name FROM named_creature n WHERE n.id = mob),
    (SELECT c.name FROM creature_name c WHERE c.creature = mob ORDER BY c.uploads DESC, c.name COLLATE "C" LIMIT 1)
);
"""

# Always one row. Levels, boss and days are null if only loot refers to the mob.
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

# Number of distinct coordinates: one that several subjects share counts once.
DISTINCT_POSITIONS = """
CREATE FUNCTION distinct_positions(subjects bigint[], in_zone int, on_floor int) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT count(DISTINCT position)
    FROM habitat p CROSS JOIN LATERAL unnest(p.xy) AS position
    WHERE p.subject = ANY (subjects) AND p.zone = in_zone AND p.floor = on_floor
);
"""

# Counts of several subjects together, by zone and floor.
SUBJECT_HABITAT = """
CREATE FUNCTION subject_habitat(subjects bigint[])
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
    FROM habitat p
    WHERE p.subject = ANY (subjects)
    GROUP BY p.zone, p.floor;
END
"""

# Sources as readers see them: one kind of loot of a mob is one source, with the id of the source of its smallest raw id.
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

# The sources that readers see as one with a given one.
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

# Counts of every mob per zone and floor. Filter it by zone, or read all of it.
MOB_HABITAT = """
CREATE VIEW mob_habitat AS
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
    FROM habitat p
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
        migrations.RunSQL(SUBJECT_HABITAT, "DROP FUNCTION subject_habitat(bigint[])"),
        migrations.RunSQL(SHOWN_SOURCE, "DROP VIEW shown_source"),
        migrations.RunSQL(SOURCE_GROUP, "DROP FUNCTION source_group(int)"),
        migrations.RunSQL(MOB_HABITAT, "DROP VIEW mob_habitat"),
        # The sources of a zone.
        migrations.RunSQL("CREATE INDEX loot_zone ON loot (zone)", "DROP INDEX loot_zone"),
    ]
