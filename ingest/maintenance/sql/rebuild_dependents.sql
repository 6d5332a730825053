-- Views and functions that depend on some tables of schema public, as statements that create them again by name.
-- Ordered by age: what another one uses is older. Reads the catalog. Parameter: tables.
SELECT statement
FROM (
    SELECT DISTINCT
        v.oid, format('CREATE OR REPLACE VIEW %%I.%%I AS %%s', s.nspname, v.relname, pg_get_viewdef(v.oid)) AS statement
    FROM pg_depend d
    JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
    JOIN pg_class v ON v.oid = r.ev_class AND v.relkind = 'v'
    JOIN pg_namespace s ON s.oid = v.relnamespace
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (%(tables)s::regclass[])
    UNION
    SELECT DISTINCT p.oid, pg_get_functiondef(p.oid)
    FROM pg_depend d
    JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (%(tables)s::regclass[])
) AS bound
ORDER BY oid
