-- Privileges in a locale's database. Run by its owner or a superuser after every migration.
--
--   psql -d mobmap_enus -f deploy/grants-locale.sql
--
-- Reads: nothing. Writes: privileges in schemas public, baseline and hot_*. Locks: their tables, for a moment.

\set ON_ERROR_STOP on
BEGIN;
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO mobmap_web', current_database()) \gexec
SELECT format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO mobmap_ingest', current_database()) \gexec

-- The web server only reads merged data: an error in a page can't damage it.
GRANT USAGE ON SCHEMA public TO mobmap_web;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO mobmap_web;

-- Workers merge, and create their own staging tables.
GRANT USAGE, CREATE ON SCHEMA public TO mobmap_ingest;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO mobmap_ingest;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO mobmap_ingest;
-- Workers own the hot tables: they create and drop them.
GRANT USAGE, CREATE ON SCHEMA hot_0, hot_1 TO mobmap_ingest;
-- Merged counts of uploads whose documents expired; no page reads them.
GRANT USAGE ON SCHEMA baseline TO mobmap_ingest;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA baseline TO mobmap_ingest;
REVOKE INSERT, UPDATE, DELETE ON django_migrations, spatial_ref_sys FROM mobmap_ingest;
COMMIT;
