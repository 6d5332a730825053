"""PostGIS, trigrams and the function that normalizes names for search."""

from django.db import migrations

SEARCH_KEY = """
CREATE FUNCTION search_key(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
-- Two-argument unaccent names its dictionary, so that the result cannot depend on the search path.
RETURN lower(public.unaccent('public.unaccent'::regdictionary, name));
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.RunSQL("CREATE EXTENSION IF NOT EXISTS postgis", migrations.RunSQL.noop),
        migrations.RunSQL("CREATE EXTENSION IF NOT EXISTS pg_trgm", migrations.RunSQL.noop),
        migrations.RunSQL("CREATE EXTENSION IF NOT EXISTS unaccent", migrations.RunSQL.noop),
        migrations.RunSQL(SEARCH_KEY, "DROP FUNCTION search_key(text)"),
    ]
