-- Tell whether something counted anew is to be spread, and whether a document is to be made now: not those that rest,
-- but those whose rest would be longer than any (cut_rests.sql). Reads: recounted, stale_document.
SELECT
    EXISTS (SELECT FROM recounted),
    EXISTS (
        SELECT FROM stale_document WHERE since <= now() OR since > now() + make_interval(secs => %(rest_s)s)
    );
