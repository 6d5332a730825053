-- What roles other than its owner may do with a table: pairs of privilege and role; '' is everybody.
-- Reads the catalog. Parameter: table.
SELECT a.privilege_type, CASE WHEN a.grantee = 0 THEN '' ELSE pg_get_userbyid(a.grantee) END
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
WHERE c.oid = to_regclass('public.' || quote_ident(%(table)s)) AND a.grantee <> c.relowner
