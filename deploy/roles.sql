-- The roles of the site. Run by a superuser, once per server; running it again sets the passwords.
--
--   psql -v owner_password=… -v web_password=… -v ingest_password=… -f deploy/roles.sql
--
-- mobmap_owner   owns all databases and migrates them; ./manage.py uses it
-- mobmap_web     for the web server; its privileges are in grants-portal.sql and grants-locale.sql
-- mobmap_ingest  for workers and scheduler; its privileges are in the same files
--
-- Reads: nothing. Writes: the server's roles. Locks: nothing that other sessions wait for.

SELECT format('CREATE ROLE %I LOGIN', name)
FROM unnest(ARRAY['mobmap_owner', 'mobmap_web', 'mobmap_ingest']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name)
\gexec

-- ./manage.py also works on tables that the workers created.
GRANT mobmap_ingest TO mobmap_owner;

ALTER ROLE mobmap_owner PASSWORD :'owner_password';
ALTER ROLE mobmap_web PASSWORD :'web_password';
ALTER ROLE mobmap_ingest PASSWORD :'ingest_password';
