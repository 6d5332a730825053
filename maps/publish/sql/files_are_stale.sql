-- Tell whether something counted anew is to be spread, and whether a document is to be made now: not those that rest,
-- but those whose rest would be longer than any (cut_rests.sql). Reads: changed_count, stale_file.
SELECT
    EXISTS (SELECT FROM changed_count),
    EXISTS (
        SELECT FROM stale_file WHERE since <= now() OR since > now() + make_interval(secs => %(rest_s)s)
    );
