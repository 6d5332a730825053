-- Privileges in the portal's database. Run by its owner or a superuser after every migration.
--
--   psql -d mobmap_portal -f deploy/grants-portal.sql
--
-- Reads: nothing. Writes: privileges in schema public. Locks: the named tables, for a moment.

\set ON_ERROR_STOP on
BEGIN;
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO mobmap_web, mobmap_ingest', current_database()) \gexec
GRANT USAGE ON SCHEMA public TO mobmap_web, mobmap_ingest;

-- The web server reads and writes all rows and alters no table.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO mobmap_web;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO mobmap_web;
REVOKE INSERT, UPDATE, DELETE ON django_migrations, spatial_ref_sys FROM mobmap_web;

-- Workers see uploads and whether a locale is paused: no accounts, no tokens, no sessions.
GRANT SELECT, INSERT, UPDATE, DELETE ON ingest_upload, ingest_requeued TO mobmap_ingest;
GRANT SELECT ON ingest_localecontrol TO mobmap_ingest;
COMMIT;
