-- Become the role that the hot tables belong to: the one with CREATE on the schema, if it is not the schema's owner.
-- Until the transaction ends, or the role is reset. Reads the catalog. Parameter: schema.
SELECT set_config('role', pg_get_userbyid(a.grantee), true)
FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
WHERE n.nspname = %(schema)s AND a.privilege_type = 'CREATE' AND a.grantee NOT IN (0, n.nspowner)
    AND pg_has_role(a.grantee, 'MEMBER')
LIMIT 1
