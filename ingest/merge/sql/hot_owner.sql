-- Become the role that hot tables belong to (parameter: schema): the one that was granted to make them, where it is
-- another than the schema's owner. Until the transaction ends, or the role is set back. Reads the catalogue.
SELECT set_config('role', pg_get_userbyid(a.grantee), true)
FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
WHERE n.nspname = %(schema)s AND a.privilege_type = 'CREATE' AND a.grantee NOT IN (0, n.nspowner)
    AND pg_has_role(a.grantee, 'MEMBER')
LIMIT 1
